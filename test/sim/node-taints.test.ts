import {afterAll, beforeAll, expect, it} from 'vitest';
import {type Cluster, cluster} from './support.js';

/** Runs on the simulated and on a real API server. */
let lab: Cluster;
beforeAll(async () => {
  lab = await cluster('antrea-healthy', {controllers: true});
});
afterAll(() => lab?.[Symbol.asyncDispose]());

const taintsOf = async (name: string) => {
  const {body} = await lab.get(`/api/v1/nodes/${name}`);
  return (body.spec.taints ?? []).map(({key, effect}: {key: string; effect: string}) => `${key}:${effect}`).sort();
};

const setReady = (status: string) =>
  lab.patch('/api/v1/nodes/fresh/status', {
    status: {
      conditions: [
        {type: 'Ready', status, reason: 'Test', message: 'by the test', lastTransitionTime: '2026-01-01T00:00:00Z'},
      ],
    },
  });

it('a new node has the not-ready taint, whatever it was created with', async () => {
  const taints = [{key: 'team', effect: 'NoSchedule'}];
  const node = {apiVersion: 'v1', kind: 'Node', metadata: {name: 'fresh'}, spec: {taints}};
  expect((await lab.post('/api/v1/nodes', node)).status).toBe(201);
  expect(await taintsOf('fresh')).toEqual(['node.kubernetes.io/not-ready:NoSchedule', 'team:NoSchedule']);
});

it.each([
  ['True', []],
  ['False', ['node.kubernetes.io/not-ready:NoExecute', 'node.kubernetes.io/not-ready:NoSchedule']],
  ['Unknown', ['node.kubernetes.io/unreachable:NoExecute', 'node.kubernetes.io/unreachable:NoSchedule']],
  ['True', []],
])('whose Ready is %s has the taints %j beside its own', async (status, expected) => {
  expect((await setReady(status)).status).toBe(200);
  await expect.poll(() => taintsOf('fresh'), {timeout: 20_000}).toEqual([...expected, 'team:NoSchedule']);
});
