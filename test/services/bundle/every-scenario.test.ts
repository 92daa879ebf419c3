import {createWriteStream} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {diagnose} from '../../../src/diagnose/diagnose.js';
import type {DoctorReport} from '../../../src/diagnose/report.js';
import type {Result} from '../../../src/model/result.js';
import {collectBundle} from '../../../src/services/bundle/collect-bundle.js';
import {diff} from '../../../src/services/diff/diff.js';
import {doctor} from '../../../src/services/doctor/doctor.js';
import type {Redactable} from '../../../src/services/redact/redact.js';
import {silent} from '../../../src/session/progress.js';
import {nodesFromFile} from '../../../src/session/snapshot-file.js';
import {listScenarios} from '../../../src/sim/scenarios.js';
import {nodeDiffView} from '../../../src/view/text/node-diff.js';
import {type Cluster, startCluster} from '../../e2e/support.js';

const {signal} = new AbortController();
const open = async () => silent;

const inspection = ({kubeconfig}: Pick<Cluster, 'kubeconfig'>) => ({
  connection: {kubeconfig},
  names: [],
  concurrency: undefined,
  helperTimeout: 60_000,
  timeout: 120_000,
});

async function bundle(cluster: Cluster, redact: readonly Redactable[]): Promise<string> {
  const file = join(cluster.folder, `${['bundle', ...redact].join('-')}.tar.gz`);
  const ports = {open, target: createWriteStream(file), reports: async () => []};
  await collectBundle({...inspection(cluster), redact, version: '1.2.3'}, ports, signal);
  return file;
}

function live(cluster: Cluster): Promise<DoctorReport> {
  const options = {helper: true, wait: false, failOn: 'error', verbose: false} as const;
  return doctor({...inspection(cluster), ...options}, {progress: silent, lookingAgain: () => {}}, signal);
}

const offline = async (file: string): Promise<DoctorReport> =>
  diagnose({...(await nodesFromFile(file, [])), selection: {}, now: new Date()});

const isError = ({outcome, severity}: Result) => outcome === 'fail' && severity === 'error';

/**
 * The findings and undetermined checks of a report, without node names, and what explains what. Each only once: failing
 * agents write more errors between two reads.
 */
function said({nodes, cluster}: DoctorReport): unknown {
  const outcomes = (results: readonly Result[]) => {
    const lines = results
      .filter(({outcome}) => outcome !== 'pass' && outcome !== 'skipped')
      .map(({id, outcome, severity, causedBy}) => [id, outcome, severity, causedBy].join(' '));
    return [...new Set(lines)].sort();
  };
  return {
    nodes: nodes.map(({cni, results}) => [cni?.name, ...outcomes(results)].join('\n')).sort(),
    cluster: outcomes(cluster.results),
  };
}

/** What is wrong with a node and not with a healthy one beside it. */
const planted: Readonly<Record<string, readonly (readonly [unhealthy: string, healthy: string, RegExp])[]>> = {
  'antrea-reboot': [['win-1', 'win-2', /^HNS network antrea-hnsnetwork/m]],
  'antrea-ovs-in-pod': [['win-1', 'win-2', /^HNS network antrea-hnsnetwork/m]],
  'antrea-service-reboot': [['as-win-1', 'as-win-2', /^HNS network antrea-hnsnetwork/m]],
  'flannel-service-damaged': [
    ['fs-win-a', 'fs-win-c', /^HNS network flannel\.4096/m],
    ['fs-win-b', 'fs-win-c', /^HNS network External/m],
  ],
  'flannel-reboot': [['fl-win-a', 'fl-win-b', /^HNS network flannel\.4096/m]],
  'flannel-hostgw-reboot': [['hg-win-1', 'hg-win-2', /^HNS endpoint cbr0_ep, State/m]],
  'calico-reboot': [['cal-win-1', 'cal-win-2', /- .* after the boot at .*, not after the last boot/]],
  'azure-reboot': [['akswnp000001', 'akswnp000002', /^HNS network azure/m]],
  'hybrid-overlay-reboot': [['hy-win-1', 'hy-win-2', /^HNS network OVNKubernetesHybridOverlayNetwork/m]],
  'older-ovn-reboot': [['sig-win-1', 'sig-win-2', /^service ovn-controller, State/m]],
  'win-bridge-reboot': [['nb-win-3', 'nb-win-4', /^routes, to other nodes' pods/m]],
  'kube-ovn-reboot': [['kovn-win-1', 'kovn-win-2', /^HNS network kube-ovn/m]],
  'kube-ovn-fleet': [['kovn-win-elsewhere', 'kovn-win-1', /^adapter Ethernet1, address\s+- 172\.31\.7\.30/m]],
  fleet: [
    ['antrea-win-rebooted', 'antrea-win-1', /^HNS network antrea-hnsnetwork/m],
    ['antrea-win-no-extension', 'antrea-win-1', /^switch .* extension Open vSwitch Extension, Enabled/m],
    ['flannel-win-wrong-mac', 'flannel-win-1', /- Other nodes send to MAC/],
    ['flannel-win-hns-hangs', 'flannel-win-1', /- HNS does not respond/],
    ['kovn-win-wrong-nic', 'kovn-win-1', /^annotation \S+tunnel_interface .*\s+- Ethernet7/m],
  ],
};

/** HNS does not answer on one of them; the tunnel annotation of the other names no adapter. */
const doubtful = ['flannel-win-hns-hangs', 'kovn-win-wrong-nic'];

/** A check that is undetermined on a healthy node, or only because a service is stopped, does not help a user. */
const undetermined = ({nodes}: DoctorReport): string[] =>
  nodes
    .filter(({name}) => !doubtful.includes(name))
    .flatMap(({name, results}) =>
      results.filter(({outcome}) => outcome === 'unknown').map(({id, message}) => `${name} ${id}: ${message}`),
    );

/** The first differences that `diff` prints, each with both sides. */
async function firstDifferences(file: string, one: string, other: string): Promise<string> {
  const list = await diff({...inspection(noCluster), names: [one, other], from: file}, open, signal);
  const [, ...differences] = (await nodeDiffView.text(list, {colour: false, width: 400})).split('\n\n');
  return differences.slice(0, 3).join('\n\n');
}

const noCluster = {kubeconfig: '/nonexistent'};

test.each(listScenarios().map(({name}) => name))('%s, collected and diagnosed offline', async name => {
  const cluster = await startCluster(name);
  try {
    const report = await live(cluster);
    const file = await bundle(cluster, []);
    expect(said(await offline(file))).toEqual(said(report));
    expect(said(await offline(await bundle(cluster, ['ips', 'names'])))).toEqual(said(report));

    const rows = planted[name] ?? [];
    const unhealthy = report.nodes.filter(({results}) => results.some(isError)).map(node => node.name);
    expect(rows.map(([one]) => one)).toEqual(expect.arrayContaining(unhealthy));
    for (const [one, other, what] of rows) expect(await firstDifferences(file, one, other)).toMatch(what);
    expect(undetermined(report)).toEqual([]);
  } finally {
    await cluster.close();
  }
});
