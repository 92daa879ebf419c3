import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {type Cluster, cluster, namespace, type WatchEvent} from './support.js';

let lab: Cluster;
const maps = '/api/v1/namespaces/lab/configmaps';
const configMap = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {name, labels},
});
const version = async () => (await lab.get(maps)).body.metadata.resourceVersion as string;

async function take(events: AsyncGenerator<WatchEvent>, count: number): Promise<WatchEvent[]> {
  const taken: WatchEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}
const words = (events: WatchEvent[]) => events.map(({type, object}) => `${type} ${object.metadata.name}`);

beforeAll(async () => {
  lab = await cluster('antrea-healthy');
  await lab.post('/api/v1/namespaces', namespace('lab'));
});
afterAll(() => lab[Symbol.asyncDispose]());

describe('a watch', () => {
  it('sends what happened since a version, in order', async () => {
    const since = await version();
    await lab.post(maps, configMap('a'));
    await lab.patch(`${maps}/a`, {data: {x: '1'}});
    await lab.delete(`${maps}/a`);
    const events = await take(lab.watch(`${maps}?watch=1&resourceVersion=${since}`), 3);
    expect(words(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    const versions = events.map(({object}) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });

  it('starts with the existing objects if no version is given', async () => {
    await lab.post(maps, configMap('there'));
    const events = await take(lab.watch(`${maps}?watch=true&fieldSelector=metadata.name%3Dthere`), 1);
    expect(words(events)).toEqual(['ADDED there']);
  });

  it('sends the initial state and a bookmark at its end if requested', async () => {
    const query = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
    for await (const {type, object} of lab.watch(`${maps}?${query}`)) {
      if (type !== 'BOOKMARK') continue;
      expect(object.metadata.annotations).toEqual({'k8s.io/initial-events-end': 'true'});
      break;
    }
  });

  it('shows an object that leaves the selection as deleted, and one that enters it as added', async () => {
    const since = await version();
    await lab.post(maps, configMap('moving', {tier: 'x'}));
    await lab.patch(`${maps}/moving`, {metadata: {labels: {tier: 'y'}}});
    await lab.patch(`${maps}/moving`, {metadata: {labels: {tier: 'x'}}});
    const events = await take(lab.watch(`${maps}?watch=1&labelSelector=tier%3Dx&resourceVersion=${since}`), 3);
    expect(words(events)).toEqual(['ADDED moving', 'DELETED moving', 'ADDED moving']);
  });

  it('from a compacted version ends with 410', async () => {
    const since = await version();
    await lab.post(maps, configMap('forgotten'));
    lab.simulation.store.compact();
    const [event] = await take(lab.watch(`${maps}?watch=1&resourceVersion=${since}`), 1);
    expect(event).toMatchObject({type: 'ERROR', object: {code: 410, reason: 'Expired'}});
  });

  it('ends at its timeout', async () => {
    const since = await version();
    expect(await take(lab.watch(`${maps}?watch=1&timeoutSeconds=1&resourceVersion=${since}`), 99)).toEqual([]);
  });

  it('has table rows if requested', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const [event] = await take(lab.watch('/api/v1/nodes?watch=1&fieldSelector=metadata.name%3Dwin-1', {accept}), 1);
    expect(event?.object).toMatchObject({kind: 'Table', rows: [{cells: expect.arrayContaining(['win-1', 'Ready'])}]});
  });
});
