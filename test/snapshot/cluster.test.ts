import {expect, it} from 'vitest';
import {SharedParts} from '../../src/lib/shared-parts.js';
import {inTurns} from '../../src/lib/work-in-turns.js';
import {ClusterModel} from '../../src/snapshot/cluster.js';

const pods = Array.from({length: 1000}, (_, index) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name: `web-${index}`, namespace: 'shop'},
  spec: {nodeName: `win-${index % 3}`, containers: []},
}));

const lists = [{kind: 'Pod'}];
const inSteps = (objects: readonly unknown[]) =>
  ClusterModel.inSteps(structuredClone(objects), 'v1.34.2', lists, new SharedParts());

it('a large cluster is read in steps, between which other work continues', async () => {
  const steps = [...inSteps(pods)].length;
  let others = 0;
  let isRead = false;
  const other = () => {
    others += 1;
    if (!isRead) setImmediate(other);
  };
  setImmediate(other);
  const cluster = await inTurns(inSteps(pods));
  isRead = true;
  expect(steps).toBeGreaterThan(10);
  expect(others).toBeGreaterThanOrEqual(steps);
  const atOnce = new ClusterModel(pods, 'v1.34.2', lists);
  expect(cluster.objects()).toEqual(atOnce.objects());
  expect(cluster.podsOn('win-1')).toEqual(atOnce.podsOn('win-1'));
});

it('what is wrong with an object does not stop the others', async () => {
  const cluster = await inTurns(inSteps([{kind: 'Pod'}, ...pods]));
  expect(cluster.unreadable).toEqual(['Pod']);
  expect(cluster.known('Pod')).toHaveLength(pods.length);
});
