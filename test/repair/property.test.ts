import {describe, expect, test} from 'vitest';
import {allChecks} from '../../src/diagnose/engine.js';
import {plan as nodeSchema} from '../../src/model/plan.js';
import {nodePlan, type RepairPlan} from '../../src/model/repair-plan.js';
import type {Result} from '../../src/model/result.js';
import {review} from '../../src/repair/plan/review-plan-file.js';
import type {RawNode} from '../checks/support.js';
import fc from '../seeded.js';
import * as scenes from './scenes.js';
import {failing, type Patient, passing, patient} from './support.js';

// No plan may do harm, for any snapshot. The rules are repeated here, on raw rows.

// biome-ignore lint/suspicious/noExplicitAny: raw rows as Windows and the API give them
type Row = any;

const nodes: (() => Patient)[] = [
  () => patient('01-antrea-healthy'),
  () => patient('02-antrea-after-reboot'),
  () => patient('03-antrea-ovs-extension-off'),
  () => patient('04-kube-ovn-healthy'),
  () => patient('06-flannel-overlay-healthy', 'fl-win-a'),
  () => patient('08-flannel-host-gw-after-reboot', 'hg-win-1'),
  () => patient('09-calico-vxlan-healthy', 'cal-win-1'),
  () => patient('10-calico-wrong-management-ip'),
  () => patient('11-azure-cni-after-reboot'),
  () => patient('12-hybrid-overlay-network-missing'),
  () => patient('13-win-bridge-outbound-nat'),
  scenes.kubeOvnAfterReboot,
  scenes.flannelAfterReboot,
  scenes.calicoAfterReboot,
  scenes.azureWithBrokenState,
  scenes.winBridgeAfterReboot,
  scenes.legacyOvn,
  () => scenes.antreaAsService('01-antrea-healthy'),
  () => scenes.antreaWithOvsInPod('02-antrea-after-reboot'),
];

/** The name of each plugin's pod network. */
const ownNames: Record<string, RegExp> = {
  antrea: /^antrea-hnsnetwork$/i,
  'kube-ovn': /^kube-ovn$/i,
  flannel: /^(flannel\.\d+|vxlan\d+|cbr0)$/i,
  calico: /^calico/i,
  azure: /^azure$/i,
  'ovn-kubernetes': /^(OVNKubernetesHybridOverlayNetwork|OpenShiftNetwork)$/i,
  'win-bridge': /^l2bridge$/i,
};
const untouchable = /^(nat|external|ext|base.*|default switch)$/i;

const networkName = fc.constantFrom(
  'nat',
  'External',
  'ext',
  'external',
  'Default Switch',
  'BaseOVNKubernetesHybridOverlayNetwork',
  'OVNKubernetesHybridOverlayNetwork',
  'antrea-hnsnetwork',
  'kube-ovn',
  'flannel.4096',
  'cbr0',
  'Calico',
  'azure',
  'l2bridge',
  'vpcbr001122334455',
  'customer-net',
  'a\u001b[31mb',
);
const guid = fc.uuid({version: 4});
const address = fc.constantFrom('10.124.1.14', '10.244.1.5', '10.212.4.9', '10.48.73.133', '10.244.3.17', '10.9.9.9');

type Mutation = (scene: Patient, node: RawNode) => void;

const list = (node: RawNode, section: string): Row[] => {
  const rows = node.sections[section];
  return Array.isArray(rows) ? rows : [];
};
const pick = (rows: Row[], n: number): Row | undefined => rows[n % Math.max(1, rows.length)];

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc
    .record({
      ID: guid,
      Name: networkName,
      Type: fc.constantFrom('L2Bridge', 'Overlay', 'nat', 'Transparent'),
      n: fc.nat(5),
      shares: fc.boolean(),
    })
    .map(
      ({n, shares, ...network}): Mutation =>
        (_, node) => {
          const other = pick(list(node, 'hnsNetworks'), n);
          list(node, 'hnsNetworks').push({
            ...network,
            ...(shares && other && {LayeredOn: other.LayeredOn, ManagementIP: other.ManagementIP}),
          });
        },
    ),
  fc.tuple(fc.nat(5), networkName).map(
    ([n, name]): Mutation =>
      (_, node) => {
        const network = pick(list(node, 'hnsNetworks'), n);
        if (network) network.Name = name;
      },
  ),
  fc.tuple(fc.nat(5), fc.constantFrom('LayeredOn', 'ManagementIP', 'NetworkAdapterName', 'Subnets')).map(
    ([n, field]): Mutation =>
      (_, node) => {
        const network = pick(list(node, 'hnsNetworks'), n);
        if (network) delete network[field];
      },
  ),
  fc
    .constantFrom(
      'hnsEndpoints',
      'hnsNetworks',
      'files',
      'netAdapters',
      'netIPAddresses',
      'vmSwitches',
      'services',
      'ovs',
      'probes',
      'processes',
      'netRoutes',
    )
    .map(
      (section): Mutation =>
        (_, node) => {
          delete node.sections[section];
          node.errors[section] = {kind: 'Timeout', message: 'no answer'};
        },
    ),
  fc
    .record({
      ID: guid,
      IPAddress: address,
      State: fc.constantFrom(1, 2, 3, 4, undefined),
      IsRemoteEndpoint: fc.boolean(),
      n: fc.nat(5),
      CreateProcessingStartTime: fc.constantFrom(undefined, 134000000000000000, 134170000000000000),
    })
    .map(
      ({n, ...endpoint}): Mutation =>
        (_, node) => {
          const network = pick(list(node, 'hnsNetworks'), n);
          list(node, 'hnsEndpoints').push({
            ...endpoint,
            Name: `ep-${endpoint.ID.slice(0, 8)}`,
            VirtualNetwork: network?.ID,
          });
        },
    ),
  fc.tuple(fc.nat(9), address, fc.constantFrom('Running', 'Pending', 'Succeeded', 'Failed')).map(
    ([n, podIP, phase]): Mutation =>
      ({scenario}) => {
        const pod = pick(
          scenario.document.cluster.objects.filter(({kind, spec}) => kind === 'Pod' && !spec.hostNetwork),
          n,
        );
        if (pod) pod.status = {...pod.status, phase, podIP, podIPs: [{ip: podIP}]};
      },
  ),
  fc.tuple(fc.nat(9), fc.constantFrom('Stopped', 'Running', 'Paused')).map(
    ([n, state]): Mutation =>
      (_, node) => {
        const service = pick(list(node, 'services'), n);
        if (service) service.State = state;
      },
  ),
  fc.nat(9).map(
    (n): Mutation =>
      (_, node) => {
        list(node, 'processes').splice(n % Math.max(1, list(node, 'processes').length), 1);
      },
  ),
  fc.nat(9).map(
    (n): Mutation =>
      (_, node) => {
        const row = pick(list(node, 'netIPAddresses'), n);
        if (row) row.PrefixOrigin = row.PrefixOrigin === 'Dhcp' ? 'Manual' : 'Dhcp';
      },
  ),
);

const repairable = allChecks.filter(({repair}) => repair).map(({id}) => id);
const obstacles = allChecks.filter(({blocksRepair}) => blocksRepair).map(({id}) => id);

const finding: fc.Arbitrary<Result> = fc.oneof(
  {weight: 6, arbitrary: fc.constantFrom(...repairable).map(id => failing(id))},
  {weight: 1, arbitrary: fc.constantFrom(...obstacles).map(id => failing(id))},
  {weight: 2, arbitrary: fc.constantFrom('cni/calico-boot-time', 'hns/network-present').map(passing)},
  {
    weight: 1,
    arbitrary: networkName.map(object =>
      failing('net/orphan-switch-binding', {evidence: [{section: 'adapterBindings', object, seen: true}]}),
    ),
  },
);

const situation = fc.record({
  which: fc.nat(nodes.length - 1),
  mutations: fc.array(mutation, {maxLength: 6}),
  results: fc.array(finding, {minLength: 1, maxLength: 4}),
  level: fc.constantFrom('auto', 'soft', 'medium', 'hard', 'hard'),
  force: fc.boolean(),
  drain: fc.boolean(),
});

interface Prepared {
  readonly scene: Patient;
  readonly name: string;
  readonly node: RawNode;
}

function prepare({which, mutations}: {which: number; mutations: readonly Mutation[]}): Prepared {
  const scene = nodes[which]?.() ?? patient('01-antrea-healthy');
  const {name} = scene.subject().node;
  const node = scene.scenario.document.nodes[name];
  if (!node) throw new Error(`no node ${name}`);
  for (const mutate of mutations) mutate(scene, node);
  return {scene, name, node};
}

const sameId = (one: string, other: unknown) => one.toLowerCase() === String(other ?? '').toLowerCase();

/** Running pods of the node, by address. */
function podWith({scene, name}: Prepared, ip: string | undefined): Row | undefined {
  return scene.scenario.document.cluster.objects.find(
    ({kind, spec, status}) =>
      kind === 'Pod' &&
      spec.nodeName === name &&
      !spec.hostNetwork &&
      !['Succeeded', 'Failed'].includes(status?.phase) &&
      ip !== undefined &&
      status?.podIP === ip,
  );
}

const isMovedAway = (pod: Row) => (pod.metadata.ownerReferences ?? []).some(({kind}: Row) => kind === 'ReplicaSet');

function assertHarmless(plan: RepairPlan, prepared: Prepared, {force, drain}: {force: boolean; drain: boolean}): void {
  const {node} = prepared;
  const removed: string[] = [];
  for (const step of plan.steps) {
    if (step.do === 'hns.removeNetwork') {
      const network = list(node, 'hnsNetworks').find(({ID}) => sameId(step.with.id, ID));
      expect(network, 'it removes a network that is not there').toBeDefined();
      expect(untouchable.test(network.Name), `it removes ${network.Name}`).toBe(false);
      expect(/^nat$/i.test(network.Type), `it removes a network of type ${network.Type}`).toBe(false);
      expect(network.Name, `it removes ${network.Name} of ${plan.plugin}`).toMatch(ownNames[plan.plugin] ?? /^$/);
      removed.push(step.with.id);
    }
    if (step.do === 'hns.removeEndpoint') {
      const endpoint = list(node, 'hnsEndpoints').find(({ID}) => sameId(step.with.id, ID));
      expect(endpoint, 'it removes an endpoint that is not there').toBeDefined();
      if (!force) expect(podWith(prepared, endpoint.IPAddress), `it takes ${endpoint.Name} from a pod`).toBeUndefined();
    }
    if (step.do === 'file.remove')
      expect(list(node, 'files').some(({Path, Exists}) => Path === step.with.path && Exists)).toBe(true);
  }
  if (!force)
    for (const endpoint of list(node, 'hnsEndpoints')) {
      const goes = removed.some(id => sameId(id, endpoint.VirtualNetwork));
      const pod = goes && !endpoint.IsRemoteEndpoint ? podWith(prepared, endpoint.IPAddress) : undefined;
      if (pod) expect(drain && isMovedAway(pod), `pod ${pod.metadata.name} loses its network`).toBe(true);
    }
}

/** Removed load balancers come back only if kube-proxy starts. */
function assertProxyRestarts({steps, after}: RepairPlan): void {
  const at = steps.findIndex(({do: what}) => what === 'hns.removePolicyLists');
  if (at < 0) return;
  const service = steps
    .slice(at)
    .some(
      step =>
        /^service\.(re)?start$/.test(step.do) && 'name' in step.with && /^kube-?proxy$/i.test(String(step.with.name)),
    );
  const pod = after.some(step => step.do === 'pod.delete' && /^kube-proxy/.test(step.with.name));
  expect(service || pod, 'kube-proxy is not started after its load balancers went').toBe(true);
}

describe('no plan, for any snapshot,', () => {
  test('removes a foreign network, disconnects a running pod without force, or interrupts without a reachability check', () => {
    const kinds = {plan: 0, refused: 0, nothing: 0};
    fc.assert(
      fc.property(situation, ({level, force, drain, results, ...rest}) => {
        const prepared = prepare(rest);
        const {scene} = prepared;
        const options = {level, force, drain} as const;
        const outcome = scene.outcome(options, results);
        kinds[outcome.kind] += 1;
        if (outcome.kind !== 'plan') return;
        const {plan} = outcome;
        assertHarmless(plan, prepared, options);
        assertProxyRestarts(plan);
        const onNode = nodePlan(plan);
        if (onNode) nodeSchema.parse(onNode);
        expect(scene.outcome(options, results)).toEqual(outcome);
        expect(review(plan, scene.subject(), {force})).toEqual({kind: 'ready'});
      }),
      {numRuns: 300},
    );
    // All three must have occurred, or the test proves nothing.
    expect(Math.min(...Object.values(kinds)), JSON.stringify(kinds)).toBeGreaterThan(10);
  });
});
