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

  test('is reached at the addresses that the API server prefers, even if its nodes have others', async () => {
    const patch = (addresses: object[]) =>
      cluster.kubectl(
        ...['patch', 'node', 'win-1', '--subresource=status', '--type=merge', '-p'],
        JSON.stringify({status: {addresses}}),
      );
    const {stdout} = await cluster.kubectl('get', 'node', 'win-1', '-o', 'jsonpath={.status.addresses}');
    const addresses = JSON.parse(stdout) as {type: string; address: string}[];
    expect(addresses.map(({type}) => type)).toEqual(expect.arrayContaining(['InternalIP', 'ExternalDNS']));
    expect(await patch(addresses.filter(({type}) => type !== 'ExternalDNS'))).toMatchObject({code: 0});
    const {code, stderr} = await cluster.win('doctor', 'win-1');
    expect([code, stderr]).toEqual([4, expect.stringMatching(/win-1: not inspected: .*no preferred addresses found/)]);
    expect(await patch(addresses)).toMatchObject({code: 0});
    expect(await cluster.win('doctor', 'win-1')).toMatchObject({code: 1});
  });
});
