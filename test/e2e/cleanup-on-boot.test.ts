import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {afterEach, expect, test} from 'vitest';
import {eventually} from '../eventually.js';
import {type Cluster, startCluster} from './support.js';

let cluster: Cluster | undefined;

afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

interface NodeLine {
  readonly node: string;
  readonly boot?: {readonly set: boolean; readonly last?: {readonly outcome: string; readonly plan?: string}};
  readonly error?: string;
}

async function boots(of: Cluster): Promise<readonly NodeLine[]> {
  const {stdout} = await of.win('helper', 'status', '-o', 'json');
  return JSON.parse(stdout).nodes;
}

/** Waits until the node reports the outcome of its last boot task. */
async function lastBoot(of: Cluster, node: string): Promise<NonNullable<NodeLine['boot']>['last']> {
  return eventually(
    'the outcome of a boot',
    async () => (await boots(of)).find(line => line.node === node)?.boot?.last,
  );
}

async function healthy(of: Cluster, node: string): Promise<void> {
  await expect.poll(async () => (await of.win('doctor', node)).code, {timeout: 60_000}).toBe(0);
}

test.each([
  ['kube-ovn', 'kovn-win-1'],
  ['antrea-healthy', undefined],
])('%s: a node that loses its network at boot repairs it without a client', async (scenario, wanted) => {
  const running = await startCluster(scenario);
  cluster = running;
  const node = wanted ?? [...cluster.simulation.nodes.values()].find(({os}) => os === 'windows')?.name ?? '';
  const set = await cluster.win('helper', 'install', '--cleanup-on-boot', '--yes');
  expect(set).toMatchObject({code: 0, stdout: expect.stringContaining('nodes have a boot task')});
  const asked = await cluster.kubectl('annotate', 'node', node, 'demo.kubectl-win/happen=reboot');
  expect(asked.code).toBe(0);
  const last = await lastBoot(cluster, node);
  expect(last).toMatchObject({outcome: 'ran', plan: expect.any(String)});
  await healthy(cluster, node);
  // The last steps may interrupt the node's network once more.
  const plans = async () => {
    const {stdout} = await running.win('cleanup', node, '--status', '-o', 'json');
    return JSON.parse(stdout).items[0].plans;
  };
  await expect.poll(plans, {timeout: 60_000}).toMatchObject([{id: last?.plan, state: 'succeeded'}]);
});

test('without it the node stays unhealthy; it can also be set up on an unhealthy node', async () => {
  cluster = await startCluster('kube-ovn');
  cluster.simulation.happen('kovn-win-1', 'reboot');
  expect((await cluster.win('doctor', 'kovn-win-1')).code).toBe(1);
  expect((await cluster.win('helper', 'install', '--cleanup-on-boot', '--yes')).code).toBe(0);
  expect((await cluster.win('cleanup', 'kovn-win-1', '--yes', '--force', '--confirm', 'kovn-win-1')).code).toBe(0);
  const status = await cluster.win('helper', 'status');
  expect(status.stdout).toMatch(/kovn-win-1 +set, \d+ steps +none since it was installed/);
});

test('without a terminal it does not ask, --dry-run stores nothing, and uninstall removes the tasks from the nodes', async () => {
  cluster = await startCluster('kube-ovn');
  const refused = await cluster.win('helper', 'install', '--cleanup-on-boot');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--yes');
  const dry = await cluster.win('helper', 'install', '--cleanup-on-boot', '--dry-run=client');
  expect(dry.stdout).toMatch(/^At every boot of kovn-win-1$/m);
  const yaml = await cluster.win('helper', 'install', '--cleanup-on-boot', '--dry-run=client', '-o', 'json');
  const plans: {kind: string; steps: {do: string}[]}[] = JSON.parse(yaml.stdout).items;
  expect(plans.map(({kind}) => kind)).toEqual(['BootPlan', 'BootPlan']);
  expect((await cluster.kubectl('get', 'daemonsets', '-n', 'kubectl-win', '-o', 'name')).stdout).toBe('');

  expect((await cluster.win('helper', 'install', '--cleanup-on-boot', '--yes')).code).toBe(0);
  expect((await boots(cluster)).map(({boot}) => boot?.set)).toEqual([true, true]);
  expect((await cluster.win('helper', 'uninstall')).stdout).toContain('was uninstalled');
  expect(await boots(cluster)).toEqual([]);
  cluster.simulation.happen('kovn-win-1', 'reboot');
  await delay(500);
  expect((await cluster.win('doctor', 'kovn-win-1')).code).toBe(1);
});

test('an unreachable node keeps its task, and the helper stays until it is reachable', async () => {
  cluster = await startCluster('kube-ovn');
  expect((await cluster.win('helper', 'install', '--cleanup-on-boot', '--yes')).code).toBe(0);
  cluster.simulation.nodes.get('kovn-win-2')?.fault({kubeletDown: true});
  const {code, stdout} = await cluster.win('helper', 'uninstall');
  expect(code).toBe(4);
  expect(stdout).toMatch(/^The helper stays installed/);
  expect(stdout).toContain('kovn-win-2: ');
});

test('agents in pods recover by themselves, and the output says so', async () => {
  cluster = await startCluster('flannel-overlay');
  const {code, stderr, stdout} = await cluster.win('helper', 'install', '--cleanup-on-boot', '--yes');
  expect(code).toBe(0);
  expect(stderr).toContain('flanneld is in a pod, which the kubelet restarts at every boot');
  expect(stdout).toMatch(/0 of \d+ nodes have a boot task/);
});

test('the manifests of an installation are available as YAML, and the real kubectl accepts them', async () => {
  cluster = await startCluster('kube-ovn');
  const {stdout} = await cluster.win('helper', 'install', '--dry-run=client');
  const file = join(cluster.folder, 'helper.yaml');
  writeFileSync(file, stdout);
  // The script is too large for the annotation of a client-side apply.
  const applied = await cluster.kubectl('apply', '--server-side', '-f', file);
  expect(applied).toMatchObject({code: 0, stdout: expect.stringContaining('daemonset.apps/')});
  expect((await cluster.win('helper', 'status')).stdout).toMatch(/^Installed: .*up to date/);
});
