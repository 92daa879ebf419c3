import {existsSync} from 'node:fs';
import {describe, expect, it} from 'vitest';
import {findPowerShell} from '../../src/sim/windows/powershell.js';
import {PowerShellProgram} from '../../src/sim/windows/program.js';
import {type Cluster, startCluster} from './support.js';

const pwsh = findPowerShell();
const hasOvs = existsSync('/usr/share/openvswitch/vswitch.ovsschema');
const minutes = 60_000;

/** The host of these nodes has no ovs-vsctl.exe: the bridge can be read and removed only through the OVSDB pipe. */
async function repaired(cluster: Cluster): Promise<void> {
  const before = await cluster.win('doctor', 'win-1', '-o', 'json');
  expect(before.code, before.stderr).toBe(1);
  expect(failuresIn(before.stdout)).toContain('ovs/stale-bridge');

  const {code, stdout, stderr} = await cluster.win('cleanup', 'win-1', '--yes', '--verify-timeout=300s');
  expect(code, stdout + stderr).toBe(0);
  expect(stderr).toMatch(/✓.*bridge br-int/);

  const after = await cluster.win('doctor', 'win-1', '-o', 'json');
  // The startup cleanup task is not set up.
  expect(failuresIn(after.stdout)).toEqual(['cni/antrea-boot-hook']);
  expect(await cluster.leftovers()).toBe('');
}

function failuresIn(report: string): string[] {
  const {nodes} = JSON.parse(report) as {nodes: {results: {id: string; outcome: string}[]}[]};
  return nodes.flatMap(({results}) => results.flatMap(({id, outcome}) => (outcome === 'fail' ? [id] : [])));
}

describe('Antrea with OVS in its pod', () => {
  it(
    'is diagnosed and repaired after a reboot',
    async () => {
      const cluster = await startCluster('antrea-ovs-in-pod');
      try {
        await repaired(cluster);
      } finally {
        await cluster.close();
      }
    },
    4 * minutes,
  );

  it.skipIf(pwsh === undefined || !hasOvs)(
    'is diagnosed and repaired by the real scripts, over a real ovsdb-server',
    async () => {
      await using helper = new PowerShellProgram(pwsh ?? '');
      const cluster = await startCluster('antrea-ovs-in-pod', {helper});
      try {
        await repaired(cluster);
      } finally {
        await cluster.close();
      }
    },
    15 * minutes,
  );
});
