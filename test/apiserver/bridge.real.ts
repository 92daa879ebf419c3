import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Cluster, startCluster} from '../e2e/support.js';

describe('a simulated cluster in a real API server', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster('antrea-reboot');
  });
  afterAll(() => cluster.close());

  test('has its nodes and pods, and doctor reads them', async () => {
    const nodes = await cluster.kubectl('get', 'nodes,pods', '-A', '-o', 'wide');
    expect(nodes).toMatchObject({code: 0, stderr: ''});
    const {code} = await cluster.win('doctor');
    expect(code).toBe(1);
    expect(await cluster.leftovers()).toBe('');
  });
});
