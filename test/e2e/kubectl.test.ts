import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest';
import {kubectl as kubectlPath} from '../../scripts/kubectl.mjs';
import {type Cluster, demo, Running, startCluster} from './support.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster('antrea-reboot');
});
afterAll(() => cluster.close());

test('kubectl get nodes -o wide shows the Windows nodes', async () => {
  const {stdout, code} = await cluster.kubectl('get', 'nodes', '-o', 'wide');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^NAME\s+STATUS\s+ROLES\s+AGE\s+VERSION\s+INTERNAL-IP/);
  expect(stdout).toMatch(/win-1\s+Ready.*Windows Server/);
});

test('nodes distinguishes the plugins of a mixed cluster, and marks a guess', async () => {
  const mixed = await startCluster('fleet');
  onTestFinished(() => mixed.close());
  const pluginOf = async (node: string) =>
    / {2,}((?:antrea|flannel|kube-ovn) .*?) {2,}/.exec((await mixed.win('nodes', node)).stdout)?.[1];
  expect(await pluginOf('antrea-win-1')).toBe('antrea 2.2.0 encap');
  expect(await pluginOf('kovn-win-1')).toBe('kube-ovn 1.14.4');
  // Both controllers run, and the Node object has no marks of either.
  await mixed.kubectl('annotate', 'node', 'kovn-win-1', 'ovn.kubernetes.io/allocated-');
  expect(await pluginOf('kovn-win-1')).toMatch(/ \(guess\)$/);
});

test('kubectl get pods -A and describe node work', async () => {
  expect((await cluster.kubectl('get', 'pods', '-A')).stdout).toMatch(/kube-system\s+antrea-agent-windows/);
  const {stdout, code} = await cluster.kubectl('describe', 'node', 'win-1');
  expect(code).toBe(0);
  expect(stdout).toMatch(/Name:\s+win-1/);
});

test('kubectl annotate node writes and shows the annotation', async () => {
  expect((await cluster.kubectl('annotate', 'node', 'win-2', 'example.com/note=hello')).stdout).toContain('annotated');
  const {stdout} = await cluster.kubectl(
    'get',
    'node',
    'win-2',
    '-o',
    'jsonpath={.metadata.annotations.example\\.com/note}',
  );
  expect(stdout).toBe('hello');
});

test('kubectl plugin list finds the plugin and kubectl win runs it', async () => {
  expect((await cluster.kubectl('plugin', 'list')).stdout).toMatch(/\/kubectl-win$/m);
  const {stdout, code} = await cluster.kubectl('win', 'doctor', '-o', 'name');
  expect(stdout).toBe('node/win-1\n');
  expect(code).toBe(1);
});

test('kubectl can watch, exec into and delete the helper pod while doctor runs', async () => {
  for (const node of cluster.simulation.nodes.values()) node.fault({helper: {kind: 'slow', ms: 400}});
  const watch = new Running(kubectlPath(), ['get', 'pods', '-n', 'kubectl-win', '--watch', '-o', 'name'], cluster.env);
  const doctor = cluster.start('doctor', 'win-2');
  const pod = await watch.printed(/pod\/kubectl-win-win-2\S*/);
  await watch.printed(/(pod\/kubectl-win-win-2[\s\S]*){2}/);
  const wait = await cluster.kubectl('wait', '-n', 'kubectl-win', pod, '--for=condition=Ready', '--timeout=10s');
  expect(wait.code).toBe(0);
  const exec = await cluster.kubectl('exec', '-n', 'kubectl-win', pod, '--', 'hostname');
  expect(exec.stdout.trim().toLowerCase()).toBe('win-2');
  expect((await cluster.kubectl('delete', '-n', 'kubectl-win', pod)).stdout).toContain('deleted');
  const {code} = await doctor.ended;
  expect(code).toBe(4);
  watch.child.kill();
  await watch.ended;
  expect(await cluster.leftovers()).toBe('');
  for (const node of cluster.simulation.nodes.values()) node.fault({helper: undefined});
});

test('demo --keep prints how to reach the cluster, and exits without a trace at Ctrl-C', async () => {
  const kept = demo('--keep', '--scenario', 'antrea-healthy');
  const line = await kept.printed(/export KUBECONFIG=\S+/);
  const env = {...cluster.env, KUBECONFIG: line.replace('export KUBECONFIG=', '')};
  await kept.printed(/Press Ctrl-C/);
  const nodes = await new Running(kubectlPath(), ['get', 'nodes', '-o', 'name'], env).ended;
  expect(nodes.stdout).toContain('node/win-1');
  kept.child.kill('SIGINT');
  expect((await kept.ended).code).toBe(0);
  const after = await new Running(kubectlPath(), ['get', 'nodes'], env).ended;
  expect(after.code).not.toBe(0);
});

test('demo -- COMMAND runs the command with the cluster and the plugin, and exits with its code', async () => {
  const {code, stdout} = await demo(
    '--scenario',
    'antrea-reboot',
    '--',
    'sh',
    '-c',
    'kubectl win doctor -o name; exit 7',
  ).ended;
  expect(stdout).toBe('node/win-1\n');
  expect(code).toBe(7);
});

test('demo without a command runs doctor, and --list names the scenarios', async () => {
  const {code, stdout} = await demo().ended;
  expect(stdout).toContain('ovs/stale-bridge');
  expect(code).toBe(1);
  const {stdout: list} = await demo('--list').ended;
  for (const name of ['antrea-healthy', 'antrea-reboot', 'flannel-overlay', 'kube-ovn', 'fleet'])
    expect(list).toMatch(new RegExp(`^${name}\\s`, 'm'));
});

test('demo rejects an unknown scenario and a missing program', async () => {
  const unknown = await demo('--scenario', 'nonsense').ended;
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toMatch(/^error: Unknown scenario nonsense\./);
  const missing = await demo('--', 'no-such-program').ended;
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('cannot run "no-such-program"');
});
