import {isObject, type JsonObject, listAt, textAt} from '../../json.js';
import {addRows, editRows, removeRows} from '../../node/edit.js';
import {fileAt, writeFile, writeLog} from '../../node/files.js';
import {HnsFactory} from '../../node/hns.js';
import {startProgram} from '../../node/programs.js';
import {type NodeState, rows} from '../../node/state.js';
import {addNetwork, networkNamed, removeNetwork} from '../../node/switch.js';
import {file, log} from '../../node/windows.js';
import type {NodePlan} from '../../plan.js';
import {startKubeProxy} from '../kube-proxy.js';
import type {Added, NodeMarks, Started, Starting, WaitingPod} from '../plugin.js';
import {attach, freeOf, hasAddress, sandboxOf} from '../start.js';
import {felixLines, setUpLines} from './files.js';
import {calicoNetwork, calicoPolicies, felixMac, hostEndpoint, placeholder, podEndpoint} from './hns.js';
import {
  block,
  bootKey,
  bootNote,
  felixLog,
  hostEndpointName,
  macAnnotation,
  networkName,
  nodeLog,
  nodeNameFile,
  notInitialised,
  placeholderName,
  podMtu,
  routerMac,
  tunnelAddress,
} from './names.js';

const colons = (mac: unknown) => String(mac).replaceAll('-', ':').toLowerCase();

/** The node setup in the order of calico node-service.ps1; Felix starts afterwards. */
export function calicoStart(starting: Starting): Started {
  const {node, state, now, random} = starting;
  const bootedAt = new Date(textAt(state.sections.os, 'LastBootUpTime'));
  const stuck = (why: string, ...before: string[]): Started => {
    writeLog(state, log(nodeLog, 4_096, now, [...before, why, why]));
    return {ready: false, why};
  };
  const isNoted = rows(state, 'registry').some(row => isNote(row) && row.Value === bootNote(bootedAt));
  if (!isNoted) {
    for (const network of rows(state, 'hnsNetworks')) {
      if (!/^nat$/i.test(String(network.Type))) removeNetwork(state, network);
    }
  }
  if (!hasValidAddress(state)) return stuck('Waiting for a valid IPv4 address on an interface');
  const factory = new HnsFactory(node.release, random.for('hns'));
  if (!networkNamed(state, placeholderName)) addNetwork(state, placeholder(factory, node, now), random);
  const management = String(networkNamed(state, placeholderName)?.ManagementIP);
  if (!hasAddress(state, management))
    return stuck(`Waiting for interface matching management IP ${management}: no index found for interface`);
  removeRows(state, 'registry', isNote);
  addRows(state, 'registry', {...bootKey, Value: bootNote(bootedAt)});
  const mac = buildNetwork(starting, factory);
  writeFile(state, file(nodeNameFile, now, node.name));
  writeLog(state, log(nodeLog, 2_048, now, setUpLines(node, bootedAt, now)));
  writeLog(state, log(felixLog, 1_024, now, felixLines(now)));
  startProgram(state, 'calico-node.exe', now, 19, random);
  startProgram(state, 'calico.exe', now, 9, random);
  const annotations = {
    'projectcalico.org/IPv4Address': `${node.address}/${node.prefix}`,
    'projectcalico.org/IPv4VXLANTunnelAddr': tunnelAddress(node),
    [macAnnotation]: mac,
  };
  return {ready: true, marks: {annotations}};
}

const isNote = (row: JsonObject) => row.Path === bootKey.Path && row.Name === bootKey.Name;

/** Neither loopback nor link-local (APIPA). */
const hasValidAddress = (state: NodeState) =>
  rows(state, 'netIPAddresses').some(
    ({AddressFamily, IPAddress}) => AddressFamily === 'IPv4' && !/^(127|169\.254)\./.test(String(IPAddress)),
  );

/** Creates the node's network, its endpoint, and Felix's routes to the other nodes. Returns the router MAC. */
function buildNetwork({cluster, node, state, now, random, annotations}: Starting, factory: HnsFactory): string {
  const macOf = (peer: NodePlan) => annotations.get(peer.name)?.[macAnnotation] ?? routerMac(peer);
  const policies = calicoPolicies(cluster, node, macOf);
  const old = networkNamed(state, networkName);
  if (old && !listAt(old, 'Subnets').some(subnet => textAt(subnet, 'AddressPrefix') === block(node)))
    removeNetwork(state, old);
  const kept = networkNamed(state, networkName);
  const mac = kept ? colons(kept.DrMacAddress) : random.for('vtep').mac('00:15:5d');
  if (kept)
    editRows(
      state,
      'hnsNetworks',
      row => row.ID === kept.ID,
      () => ({Policies: policies}),
    );
  else {
    const layer = networkNamed(state, placeholderName)?.LayeredOn;
    addNetwork(state, calicoNetwork(factory, node, {made: now, mac, policies, layer}), random);
  }
  const network = networkNamed(state, networkName) ?? {};
  const isOwn = ({Name, VirtualNetwork}: JsonObject) => Name === hostEndpointName && VirtualNetwork === network.ID;
  if (!rows(state, 'hnsEndpoints').some(isOwn))
    addRows(state, 'hnsEndpoints', hostEndpoint(factory, node, network, now));
  return mac;
}

export function addCalicoPod(starting: Starting, waiting: WaitingPod): Added {
  const {cluster, node, state, now, random} = starting;
  const network = networkNamed(state, networkName);
  if (!network || !fileAt(state, nodeNameFile)) return {ready: false, why: notInitialised};
  const pod = sandboxOf(starting, waiting, () => freeOf(state, node, block(node), 4));
  if (!pod) return {ready: false, why: 'plugin type="calico" failed (add): failed to request IPv4 addresses'};
  const factory = new HnsFactory(node.release, random.for(pod.sandbox));
  attach(starting, factory.endpoint(now, network, podEndpoint(cluster, node, pod)), podMtu);
  return {ready: true, pod};
}

/** The start script waits for the network, then for the endpoint with the source VIP. */
export const calicoProxyStart = (starting: Starting): Started =>
  startKubeProxy(starting, {
    network: networkName,
    dsr: true,
    sourceVip({state}, network) {
      const own = rows(state, 'hnsEndpoints').find(
        ({Name, VirtualNetwork}) => Name === hostEndpointName && VirtualNetwork === network.ID,
      );
      return own
        ? {address: String(own.IPAddress)}
        : `Waiting for HNS endpoint [${hostEndpointName}] to be created . . .`;
    },
  });

/** Felix applies another node's new MAC. */
export function calicoFollows(state: NodeState, peer: NodePlan, {annotations = {}}: NodeMarks): void {
  const mac = annotations[macAnnotation];
  if (mac === undefined) return;
  const changed = (policy: unknown) =>
    isObject(policy) && policy.DestinationPrefix === block(peer)
      ? {...policy, DistributedRouterMacAddress: felixMac(mac)}
      : policy;
  editRows(
    state,
    'hnsNetworks',
    network => network.Name === networkName,
    network => ({Policies: listAt(network, 'Policies').map(changed)}),
  );
}
