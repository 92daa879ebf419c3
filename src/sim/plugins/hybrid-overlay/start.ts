import {isObject, type JsonObject, listAt, textAt} from '../../json.js';
import {addRows, editRows} from '../../node/edit.js';
import {appendLog} from '../../node/files.js';
import {HnsFactory} from '../../node/hns.js';
import {HostNetwork} from '../../node/host-network.js';
import {startProgram} from '../../node/programs.js';
import {type NodeState, rows} from '../../node/state.js';
import {addNetwork, networkNamed, removeNetwork} from '../../node/switch.js';
import type {NodePlan} from '../../plan.js';
import {klogTime} from '../../time.js';
import {exhausted, freeAddress, lease} from '../host-local.js';
import {type SimulatedKubeProxy, startKubeProxy} from '../kube-proxy.js';
import type {Added, NodeMarks, Started, Starting, WaitingPod} from '../plugin.js';
import {attach, hasAddress, sandboxOf} from '../start.js';
import {creatingLine} from './files.js';
import {baseNetwork, hostEndpoint, hostMac, overlayNetwork, overlayPolicies, podEndpoint} from './hns.js';
import {
  agentLog,
  baseName,
  hostEndpointName,
  macAnnotation,
  networkName,
  noNetwork,
  podMtu,
  subnetAnnotation,
  vipAddress,
} from './names.js';
import {addHostAdapter} from './node.js';

const colons = (mac: unknown) => String(mac).replaceAll('-', ':').toLowerCase();

/** hybrid-overlay-node creates the base network, then its own, then one route per peer (ho_node_windows.go). */
export function hybridStart(starting: Starting): Started {
  const {cluster, node, state, now, random, annotations} = starting;
  const say = (line: string, level?: string) =>
    appendLog(state, agentLog, now, `${klogTime(now, level)}    3184 ${line}`);
  startProgram(state, 'hybrid-overlay-node.exe', now, 16, random);
  say('node.go:141] Starting Hybrid Overlay Node Controller');
  if (annotations.get(node.name)?.[subnetAnnotation] === undefined)
    return {ready: false, why: `Node ${node.name} has no annotation ${subnetAnnotation}`};
  if (!hasAddress(state, node.address)) return {ready: false, why: 'no adapter has the address of the node'};
  const factory = new HnsFactory(node.release, random.for('hns'));
  if (!networkNamed(state, baseName)) addNetwork(state, baseNetwork(factory, node, now), random);
  const policies = overlayPolicies(cluster, node, peer => annotations.get(peer.name)?.[macAnnotation]);
  const old = networkNamed(state, networkName);
  const kept = old && fits(old, node) ? old : undefined;
  const mac = kept ? colons(kept.DrMacAddress) : random.for('router').mac('00:15:5d');
  if (kept)
    editRows(
      state,
      'hnsNetworks',
      network => network.ID === kept.ID,
      () => ({Policies: policies}),
    );
  else {
    if (old) removeNetwork(state, old);
    const layer = networkNamed(state, baseName)?.LayeredOn;
    addNetwork(state, overlayNetwork(factory, node, {made: now, mac, policies, layer}), random);
    say(creatingLine(node));
  }
  return {ready: true, marks: {annotations: {[macAnnotation]: mac}}};
}

function fits(network: JsonObject, {podCIDR}: NodePlan): boolean {
  const prefixes = listAt(network, 'Subnets').map(subnet => textAt(subnet, 'AddressPrefix'));
  return network.Type === 'Overlay' && prefixes.includes(podCIDR);
}

/** win-overlay never creates the network. */
export function addHybridPod(starting: Starting, waiting: WaitingPod): Added {
  const {cluster, node, state, now, random} = starting;
  const network = networkNamed(state, networkName);
  if (!network) return {ready: false, why: noNetwork};
  const pod = sandboxOf(starting, waiting, () => freeAddress(state, networkName, node, 4));
  if (!pod) return {ready: false, why: exhausted('win-overlay', networkName, node.podCIDR)};
  const factory = new HnsFactory(node.release, random.for(pod.sandbox));
  attach(starting, factory.endpoint(now, network, podEndpoint(cluster, node, pod)), podMtu);
  lease(state, networkName, pod);
  return {ready: true, pod};
}

export const hybridProxyStart = (starting: Starting): Started =>
  startKubeProxy(starting, {network: networkName, dsr: true, sourceVip: hostVip});

/** The start script creates the host endpoint if it is missing, and attaches it to the host. */
const hostVip: SimulatedKubeProxy['sourceVip'] = ({node, state, now, random}, network, factory) => {
  const isOwn = ({Name, VirtualNetwork}: JsonObject) => Name === hostEndpointName && VirtualNetwork === network.ID;
  if (!rows(state, 'hnsEndpoints').some(isOwn)) {
    addRows(state, 'hnsEndpoints', hostEndpoint(factory, node, network, now, hostMac(node)));
    const host = new HostNetwork(random.for(hostEndpointName), state);
    addHostAdapter(host, node, host.nextIndex());
    Object.assign(state.sections, host.sections());
  }
  return {address: vipAddress(node)};
};

/** Applies another node's new router MAC to the route to its pods. */
export function hybridFollows(state: NodeState, peer: NodePlan, {annotations = {}}: NodeMarks): void {
  const mac = annotations[macAnnotation];
  if (mac === undefined) return;
  const changed = (policy: unknown) =>
    isObject(policy) && policy.DestinationPrefix === peer.podCIDR
      ? {...policy, DistributedRouterMacAddress: mac}
      : policy;
  editRows(
    state,
    'hnsNetworks',
    network => network.Name === networkName,
    network => ({Policies: listAt(network, 'Policies').map(changed)}),
  );
}
