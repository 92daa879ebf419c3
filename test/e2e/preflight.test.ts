import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, expect, test} from 'vitest';
import type {PreflightReport} from '../../src/services/preflight/preflight-report.js';
import {parseScenario} from '../../src/sim/scenarios.js';
import {readyFor} from '../services/preflight/ready.js';
import {type Cluster, startCluster, startClusterOf, win} from './support.js';

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

const unmet = (report: PreflightReport, node: string) =>
  report.nodes
    .find(({name}) => name === node)
    ?.results.filter(({outcome, severity}) => outcome === 'fail' && severity === 'error')
    .map(({id}) => id);

test('nodes that already run a plugin are ready for it, and no helper is left behind', async () => {
  cluster = await startCluster('antrea-healthy');
  const {code, stdout} = await cluster.win('preflight', 'antrea');
  expect(stdout).toMatch(/✓ Hyper-V and its management tools are installed +hyper-v$/m);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('Ready for Antrea: 2 of 2 nodes');
  expect(code).toBe(0);
  expect(await cluster.leftovers()).toBe('');
});

test('a cluster that runs another plugin is told so first, and gets no command that installs or removes one', async () => {
  cluster = await startCluster('antrea-healthy');
  const {code, stdout} = await cluster.win('preflight', 'kube-ovn');
  expect(stdout.split('\n')[0]).toBe('This cluster runs another network plugin: Antrea (win-1, win-2).');
  expect(stdout).toMatch(/✗ Kube-OVN runs on the Linux nodes +on-linux$/m);
  expect(stdout).not.toMatch(/helm |kubectl apply|Install-|Remove-|Rename-Item/);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('Ready for Kube-OVN: 0 of 2 nodes (the cluster is not ready)');
  expect(code).toBe(1);
  const report = JSON.parse((await cluster.win('preflight', 'kube-ovn', '-o', 'json')).stdout) as PreflightReport;
  expect(report.cluster.runs).toEqual([{name: 'antrea', title: 'Antrea', nodes: ['win-1', 'win-2']}]);
  expect(JSON.stringify(report)).not.toMatch(/"(remedy|install)"/);
});

test('Docker is not recommended for a kubelet that cannot use it', async () => {
  cluster = await startCluster('kube-ovn');
  const {stdout} = await cluster.win('preflight', 'kube-ovn', '-v');
  expect(stdout).toContain('cannot use without cri-dockerd');
  expect(stdout).not.toContain('DockerMsftProvider');
});

test('only the JSON report is on stdout, in the documented format', async () => {
  cluster = await startCluster('antrea-healthy');
  const {stdout, stderr, code} = await cluster.win('preflight', 'kube-ovn', 'win-1', '-o', 'json');
  const report = JSON.parse(stdout) as PreflightReport;
  expect(stderr).toBe('');
  expect(code).toBe(1);
  expect(report).toMatchObject({
    apiVersion: 'kubectl-win/v1',
    kind: 'PreflightReport',
    plugin: {name: 'kube-ovn', title: 'Kube-OVN'},
    cluster: {context: 'antrea-healthy', ready: 'no'},
    summary: {nodes: 1, ready: 0, notReady: 1, undecided: 0, uninspected: 0},
  });
  expect(report.nodes.map(({name}) => name)).toEqual(['win-1']);
  expect(unmet(report, 'win-1')).toContain('preflight/kube-ovn/windows-version');
});

test('an unknown plugin, mode or node is rejected, with the known ones', async () => {
  cluster = await startCluster('antrea-healthy');
  const plugin = await cluster.win('preflight', 'cilium');
  expect(plugin.stderr).toContain(
    'Plugins: antrea, kube-ovn, flannel, calico, azure, ovn-kubernetes, win-bridge, win-overlay, wincni.',
  );
  const none = await cluster.win('preflight');
  expect(none.stderr).toContain('network plugin required');
  const mode = await cluster.win('preflight', 'flannel', '--mode', 'bgp');
  expect(mode.stderr).toContain('Modes: overlay, host-gw.');
  const node = await cluster.win('preflight', 'antrea', 'win-9');
  expect(node.stderr).toContain('Node "win-9" not found.');
  expect([plugin, none, mode, node].map(({code}) => code)).toEqual([2, 2, 2, 2]);
});

test('a user who may not run helpers gets 3, and a node without HostProcess containers makes it 4', async () => {
  const scenario = (more: string, faults = '') =>
    parseScenario(
      'obstacles',
      `description: obstacles
kubernetes: v1.31.4
podNetwork: 10.124.0.0/16
plugins: {antrea: {version: v2.2.0}}
nodes:
  - {name: lx-1, os: linux, controlPlane: true, address: 10.21.40.11/24, podCIDR: 10.124.0.0/24}
  - {name: win-1, address: 10.21.40.61/24, podCIDR: 10.124.1.0/24${faults}}
${more}`,
    );
  cluster = await startClusterOf(scenario('access: viewer'));
  expect((await cluster.win('preflight', 'antrea')).code).toBe(3);
  await cluster.close();
  cluster = await startClusterOf(scenario('', ', faults: {docker: true}'));
  const {code, stdout} = await cluster.win('preflight', 'antrea', '-o', 'short');
  expect(stdout).toMatch(/win-1: \? not inspected: .*Docker/);
  expect(code).toBe(4);
});

test('a snapshot is diagnosed without a cluster, and its results can be explained', async () => {
  cluster = await startCluster('antrea-healthy');
  const path = join(cluster.folder, 'snapshot.json');
  const snapshot = readyFor('flannel').object('ConfigMap', 'kube-flannel-cfg', its => {
    its.data['net-conf.json'] = '{"Network":"10.244.0.0/16","Backend":{"Type":"vxlan"}}';
  }).document;
  writeFileSync(path, JSON.stringify(snapshot));
  const {code, stdout} = await win(['preflight', 'flannel', '--from', path]);
  expect(stdout).toMatch(/✗ VNI 4096 on every node +vni$/m);
  expect(stdout).toMatch(/✗ UDP port is 4789 +port$/m);
  expect(stdout).toContain('kubectl -n kube-flannel patch configmap kube-flannel-cfg --type merge');
  expect(code).toBe(1);
  const explained = await win(['explain', 'preflight/flannel/vni']);
  expect(explained.stdout).toContain('VNI 4096 on every node');
  expect(explained.code).toBe(0);
});
