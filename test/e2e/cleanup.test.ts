import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {editRows} from '../../src/sim/node/edit.js';
import {onRealApi} from '../apiserver/chosen-api.js';
import {alivePods, lostUntold, toldLosses} from './cleanup-support.js';
import {type Cluster, startCluster} from './support.js';

const minutes = 60_000;
const live = {controllers: true, pace: {stepMs: 30, retryMs: 300}};

describe('cleanup after a reboot', () => {
  it.each([
    ['antrea-reboot', 'win-1'],
    ['kube-ovn-reboot', 'kovn-win-1'],
    ['flannel-reboot', 'fl-win-a'],
    ['flannel-hostgw-reboot', 'hg-win-1'],
    ['calico-reboot', 'cal-win-1'],
    ['azure-reboot', 'akswnp000001'],
    ['hybrid-overlay-reboot', 'hy-win-1'],
    ['older-ovn-reboot', 'sig-win-1'],
    ['win-bridge-reboot', 'nb-win-3'],
  ])(
    '%s: doctor finds it, cleanup repairs and verifies it, doctor passes, and nothing is left to do',
    async (scenario, node) => {
      const cluster = await startCluster(scenario, live);
      try {
        expect((await cluster.win('doctor')).code).toBe(1);
        const alive = alivePods(cluster);
        const told = await toldLosses(cluster);
        const cleaned = await cluster.win('cleanup', '--yes');
        expect(cleaned.stderr).not.toContain('✗');
        expect(cleaned.stdout).toContain(`${node}: repaired and verified`);
        expect(cleaned.code).toBe(0);
        expect(lostUntold(cluster, alive, told)).toEqual([]);
        expect((await cluster.win('doctor')).code).toBe(0);
        const again = await cluster.win('cleanup', '--yes');
        expect(again.stdout).toContain('othing to do');
        expect(again.code).toBe(0);
        expect(await cluster.leftovers()).toBe('');
      } finally {
        await cluster.close();
      }
    },
    2 * minutes,
  );
});

describe('cleanup', () => {
  let cluster: Cluster;
  let file: string;

  beforeAll(async () => {
    cluster = await startCluster('antrea-reboot', live);
    file = join(cluster.folder, 'plan.yaml');
  });
  afterAll(() => cluster.close());

  it('without a terminal and --yes changes nothing, and says what it requires', async () => {
    const {code, stderr} = await cluster.win('cleanup', 'win-1');
    expect(code).toBe(2);
    expect(stderr).toContain('no terminal: pass --yes');
    expect(stderr).toContain('--dry-run=client');
    expect((await cluster.win('doctor')).code).toBe(1);
  });

  it('shows what the node reports for each step, and changes nothing', async () => {
    const {code, stdout} = await cluster.win('cleanup', 'win-1', '--dry-run=server');
    expect(code).toBe(0);
    expect(stdout).toMatch(/2\s+ovs\.deleteBridge\s+ready\s+Bridge br-int is in the OVS database, with 6 ports\./);
    expect((await cluster.win('cleanup', 'win-1', '--status')).stdout).toContain('No plans on these nodes.');
  });

  it('refuses a plan file if the node has changed since, and shows the difference', async () => {
    const {stdout} = await cluster.win('cleanup', 'win-1', '--dry-run=client', '-o', 'yaml');
    writeFileSync(file, stdout);
    const set = (state: string) =>
      cluster.simulation.nodes.get('win-1')?.change(node =>
        editRows(
          node,
          'services',
          ({Name}) => Name === 'ovs-vswitchd',
          () => ({State: state}),
        ),
      );
    set('Running');
    const stale = await cluster.win('cleanup', '--plan', file, '--yes');
    expect(stale.code).toBe(2);
    expect(stale.stdout).toContain('win-1: refused: The node has changed since the plan was created');
    expect(stale.stdout).toMatch(/service ovs-vswitchd.*(Running.*Stopped|Stopped.*Running)/);
    set('Stopped');
  });

  it('runs exactly the plan of a file, and records on the node who did what', async () => {
    const {code, stdout, stderr} = await cluster.win('cleanup', '--plan', file, '--yes');
    expect([code, stdout]).toEqual([0, expect.stringContaining('win-1: repaired and verified')]);
    expect(stderr).toContain('✓ 2/8 Deletes bridge br-int and its ports from the OVS database.');
    const described = await cluster.kubectl('describe', 'node', 'win-1');
    expect(described.stdout).toMatch(/Normal\s+NetworkCleanup\s.*kubectl-win\s+.*ran a medium cleanup.*repaired/);
    const status = await cluster.win('cleanup', 'win-1', '--status');
    expect(status.stdout).toMatch(/win-1\s+[0-9a-f-]{36}\s+succeeded\s+5\/5/);
    expect(status.code).toBe(0);
    expect(await cluster.leftovers()).toBe('');
  });

  // A real API server does not proxy node requests to a kubelet on loopback.
  it.skipIf(onRealApi)('shows when a node booted', async () => {
    const {stdout} = await cluster.win('nodes');
    expect(stdout).toMatch(/win-1\s.*\s3\dm ago\s/);
    expect(stdout).toMatch(/win-2\s.*\s\dd ago\s/);
  });
});
