import {afterEach, expect, test} from 'vitest';
import type {DoctorReport} from '../../src/diagnose/report.js';
import {loadScenario} from '../../src/sim/scenarios.js';
import {type Cluster, startCluster, startClusterOf, win} from './support.js';

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

const failed = (report: DoctorReport, node: string) =>
  report.nodes
    .find(({name}) => name === node)
    ?.results.filter(({outcome}) => outcome === 'fail')
    .map(({id}) => id);

test('doctor finds the stale bridge after a reboot and names the bridge and the missing network', async () => {
  cluster = await startCluster('antrea-reboot');
  const {code, stdout} = await cluster.win('doctor');
  expect(stdout).toContain('ovs/stale-bridge');
  expect(stdout).toContain('Bridge br-int is in the OVS database, but HNS network antrea-hnsnetwork does not exist.');
  expect(code).toBe(1);
  expect(await cluster.leftovers()).toBe('');
});

test('a healthy cluster exits with 0 and finds nothing', async () => {
  cluster = await startCluster('antrea-healthy');
  const {code, stdout} = await cluster.win('doctor', '--fail-on', 'warning');
  expect(stdout).toContain('no problems found');
  expect(code).toBe(0);
});

test('only the JSON report is on stdout, in the documented format', async () => {
  cluster = await startCluster('antrea-reboot');
  const {stdout, stderr, code} = await cluster.win('doctor', '-o', 'json');
  const report = JSON.parse(stdout) as DoctorReport;
  expect(stderr).toBe('');
  expect(code).toBe(1);
  expect(report).toMatchObject({
    apiVersion: 'kubectl-win/v1',
    kind: 'DoctorReport',
    cluster: {version: cluster.simulation.version, context: 'antrea-reboot'},
  });
  expect(report.nodes.map(({name, inspected}) => [name, inspected])).toEqual([
    ['win-1', true],
    ['win-2', true],
  ]);
  expect(report.nodes[0]?.cni).toMatchObject({name: 'antrea', confidence: 'certain'});
  expect(failed(report, 'win-1')).toContain('ovs/stale-bridge');
  expect(failed(report, 'win-2')).toEqual([]);
});

test('names and selectors select nodes; -o name prints those with problems', async () => {
  cluster = await startCluster('antrea-reboot');
  expect((await cluster.win('doctor', '-o', 'name')).stdout).toBe('node/win-1\n');
  expect((await cluster.win('doctor', 'win-2', '-o', 'name')).stdout).toBe('');
  expect((await cluster.win('doctor', '-l', 'kubernetes.io/hostname=win-1', '-o', 'name')).stdout).toBe('node/win-1\n');
});

test('--only and --skip select checks, and an unknown one is rejected with the nearest', async () => {
  cluster = await startCluster('antrea-reboot');
  const only = JSON.parse(
    (await cluster.win('doctor', 'win-1', '--only', 'ovs/stale-bridge', '-o', 'json')).stdout,
  ) as DoctorReport;
  expect(only.nodes[0]?.results.map(({id}) => id)).toEqual(['ovs/stale-bridge']);
  const wrong = await cluster.win('doctor', '--only', 'ovs/stale-brigde');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('Did you mean "ovs/stale-bridge"?');
});

test('the report of a snapshot file is byte-identical between runs, except generatedAt', async () => {
  const run = async () => {
    const {stdout} = await win(['doctor', '--from', 'test/fixtures/cases/02-antrea-after-reboot.json', '-o', 'json']);
    return stdout.replace(/"generatedAt": "[^"]*"/, '');
  };
  const first = await run();
  expect(first).toContain('ovs/stale-bridge');
  expect(await run()).toBe(first);
});

test('stdout and a pipe carry no escape sequences and no live display', async () => {
  cluster = await startCluster('antrea-reboot');
  const {stdout, stderr} = await cluster.win('doctor');
  expect(stdout + stderr).not.toContain('\u001b');
});

test('a helper that prints a banner and warnings is still read, and -v shows them', async () => {
  cluster = await startCluster('antrea-reboot');
  cluster.simulation.nodes.get('win-1')?.fault({helper: {kind: 'garbage'}});
  const {code, stdout, stderr} = await cluster.win('doctor', '-v');
  expect(code).toBe(1);
  expect(stdout).toContain('ovs/stale-bridge');
  expect(stderr).toContain('win-1 printed: Windows PowerShell');
});

test('a user who may not create helpers on nodes is pointed to --no-helper, if the command has it', async () => {
  cluster = await startClusterOf({...loadScenario('antrea-reboot'), access: 'viewer'});
  const doctor = await cluster.win('doctor');
  expect([doctor.code, doctor.stderr]).toEqual([3, expect.stringContaining('pass --no-helper.')]);
  for (const command of [['cleanup', 'win-1'], ['inspect', 'win-1'], ['collect'], ['preflight', 'antrea']]) {
    const {code, stderr} = await cluster.win(...command);
    expect([command, code, stderr]).toEqual([command, 3, expect.stringContaining('rbac.yaml')]);
    expect(stderr).not.toContain('--no-helper');
  }
});
