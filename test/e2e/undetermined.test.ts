import {afterEach, expect, test} from 'vitest';
import type {DoctorReport} from '../../src/diagnose/report.js';
import {type Cluster, startCluster} from './support.js';

let cluster: Cluster | undefined;
afterEach(() => cluster?.close());

/** What doctor could not determine, and what it found. */
async function told(): Promise<{unknown: string[]; failed: string[]}> {
  const {stdout} = (await cluster?.win('doctor', '-o', 'json')) ?? {stdout: '{}'};
  const {nodes, cluster: whole} = JSON.parse(stdout) as DoctorReport;
  const results = [...whole.results, ...nodes.flatMap(node => node.results)];
  const ids = (wanted: string) => results.filter(({outcome}) => outcome === wanted).map(({id}) => id);
  return {unknown: ids('unknown'), failed: ids('fail')};
}

const nothing = {unknown: [], failed: []};

test.each([
  'antrea-healthy',
  'antrea-service',
  'flannel-overlay',
  'flannel-service',
  'flannel-hostgw',
  'calico',
  'azure',
  'hybrid-overlay',
  'older-ovn',
  'win-bridge',
  'kube-ovn',
])('nothing is undetermined on the healthy nodes of %s', async scenario => {
  cluster = await startCluster(scenario);
  expect(await told()).toEqual(nothing);
  const {stdout} = await cluster.win('doctor');
  expect(stdout).not.toMatch(/undetermined|\?/);
});

test('the southbound database is tested where the node says that it is, also if no node has the label of its servers', async () => {
  cluster = await startCluster('kube-ovn');
  await cluster.kubectl('label', 'nodes', '--all', 'kube-ovn/role-');
  expect(await told()).toEqual(nothing);
  for (const node of cluster.simulation.nodes.values()) {
    const {probes} = node.state.sections as {probes: {Target: string; Ok: boolean; Error: string | null}[]};
    for (const probe of probes.filter(({Target}) => Target.endsWith(':6642'))) {
      probe.Ok = false;
      probe.Error = 'No connection within 2500 ms.';
    }
  }
  expect(new Set((await told()).failed)).toEqual(new Set(['ovs/ovn-southbound']));
});

const annotation = 'ovn.kubernetes.io/tunnel_interface';

test('a tunnel annotation with alternatives is tried as Kube-OVN tries it', async () => {
  cluster = await startCluster('kube-ovn');
  await cluster.kubectl('annotate', 'node', 'kovn-win-2', '--overwrite', `${annotation}=^(Ethernet0|Ethernet7)$`);
  expect(await told()).toEqual(nothing);
});

test('a tunnel annotation that names no adapter is one finding, and leaves nothing undetermined', async () => {
  cluster = await startCluster('kube-ovn');
  await cluster.kubectl('annotate', 'node', 'kovn-win-2', '--overwrite', `${annotation}=Ethernet9`);
  expect(await told()).toEqual({unknown: [], failed: ['tunnel/annotation-resolves']});
});
