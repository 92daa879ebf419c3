import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {type Cluster, startCluster} from './support.js';

const minutes = 60_000;

const failuresIn = (report: string): string[] => {
  const {nodes} = JSON.parse(report) as {nodes: {results: {id: string; outcome: string}[]}[]};
  return nodes.flatMap(({results}) => results.flatMap(({id, outcome}) => (outcome === 'fail' ? [id] : [])));
};

describe.each([
  ['antrea-service', 'antrea 1.13.4'],
  ['flannel-service', 'flannel 0.13.0'],
])('the scenario %s', (scenario, plugin) => {
  it('is healthy, with nothing undetermined', async () => {
    const cluster = await startCluster(scenario);
    try {
      const {code, stdout} = await cluster.win('doctor');
      expect(code, stdout).toBe(0);
      expect(stdout).toContain(plugin);
      expect(stdout).toContain('2 healthy');
      expect(stdout).not.toContain('undetermined');
    } finally {
      await cluster.close();
    }
  });
});

describe('Flannel as services', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster('flannel-service-damaged');
  });
  afterAll(() => cluster.close());

  it(
    'without the External network gets it back, under the guard',
    async () => {
      expect(failuresIn((await cluster.win('doctor', 'fs-win-b', '-o', 'json')).stdout)).toEqual([
        'hns/external-network',
      ]);
      const {code, stdout, stderr} = await cluster.win('cleanup', 'fs-win-b', '--yes');
      expect(code, stdout + stderr).toBe(0);
      expect(stderr).toMatch(/✓.*Creates HNS network External/);
      expect(stderr).toMatch(/✓ Dead-man check/);
      expect(failuresIn((await cluster.win('doctor', 'fs-win-b', '-o', 'json')).stdout)).toEqual([]);
    },
    2 * minutes,
  );

  it(
    'is reset by the hard level: both networks are removed and recreated, and the services restarted',
    async () => {
      const networks = async () => {
        const {stdout} = await cluster.win('inspect', 'fs-win-c', '-o', 'json');
        return [...stdout.matchAll(/"name": ?"(External|flannel\.4096)"/g)].map(([, name]) => name);
      };
      expect(new Set(await networks())).toEqual(new Set(['External', 'flannel.4096']));
      const forced = ['--level=hard', '--force', '--confirm=fs-win-c', '--yes'];
      const {code, stdout, stderr} = await cluster.win('cleanup', 'fs-win-c', ...forced);
      expect(code, stdout + stderr).toBe(0);
      for (const step of ['Stops service flanneld', 'Removes HNS network External', 'Starts service kubeproxy'])
        expect(stderr).toMatch(new RegExp(`✓.*${step}`));
      expect(new Set(await networks())).toEqual(new Set(['External', 'flannel.4096']));
      expect(failuresIn((await cluster.win('doctor', 'fs-win-c', '-o', 'json')).stdout)).toEqual([]);
    },
    2 * minutes,
  );
});

it(
  'Antrea as a service is repaired after a reboot: its service starts after those of OVS',
  async () => {
    const cluster = await startCluster('antrea-service-reboot');
    try {
      const before = await cluster.win('doctor', 'as-win-1', '-o', 'json');
      expect(failuresIn(before.stdout)).toContain('ovs/stale-bridge');
      const {code, stdout, stderr} = await cluster.win('cleanup', 'as-win-1', '--yes');
      expect(code, stdout + stderr).toBe(0);
      expect(stderr).toMatch(/✓.*Starts service ovs-vswitchd[\s\S]*✓.*(Starts|Restarts) service antrea-agent/);
      const after = await cluster.win('doctor', 'as-win-1', '-o', 'json');
      // The startup cleanup task is not set up.
      expect(failuresIn(after.stdout)).toEqual(['cni/antrea-boot-hook']);
      expect(await cluster.leftovers()).toBe('');
    } finally {
      await cluster.close();
    }
  },
  2 * minutes,
);
