import {isObject, type JsonObject, listAt, textAt} from '../../../json.js';
import {editRows} from '../../../node/edit.js';
import {writeFile} from '../../../node/files.js';
import {HnsFactory} from '../../../node/hns.js';
import type {NodeState} from '../../../node/state.js';
import {addNetwork, networkNamed, removeNetwork} from '../../../node/switch.js';
import type {NodePlan} from '../../../plan.js';
import {exhausted, freeAddress, lease} from '../../host-local.js';
import type {Added, NodeMarks, Started, Starting, WaitingPod} from '../../plugin.js';
import {attach, hasAddress, sandboxOf} from '../../start.js';
import {flanneldEnds, flanneldStarts, subnetEnvironment} from '../files.js';
import {annotationPrefix} from '../names.js';
import {overlayNetwork, overlayPolicies, podEndpoint} from './hns.js';
import {backendData, networkName, noNetwork, podMtu, vtepMac} from './names.js';

const dataAnnotation = `${annotationPrefix}/backend-data`;
const macIn = (annotation: string | undefined) => /"VtepMAC":"([^"]+)"/.exec(annotation ?? '')?.[1];
const colons = (mac: unknown) => String(mac).replaceAll('-', ':').toLowerCase();

/** flanneld recovers by itself: it replaces a network of its name that does not match (flannel device_windows.go). */
export function flannelStart(starting: Starting): Started {
  const {cluster, node, state, now, random, annotations} = starting;
  const say = flanneldStarts(starting);
  if (!hasAddress(state, node.address)) {
    const why = `Could not find valid interface matching ${node.address}`;
    say(`main.go:359] ${why}`, 'E');
    flanneldEnds(state);
    return {ready: false, why};
  }
  const macOf = (peer: NodePlan) => macIn(annotations.get(peer.name)?.[dataAnnotation]) ?? vtepMac(peer);
  const policies = overlayPolicies(cluster, node, macOf);
  const old = networkNamed(state, networkName);
  const kept = old && fits(old, node) ? old : undefined;
  const mac = kept ? colons(kept.DrMacAddress) : random.for('vtep').mac('00:15:5d');
  if (kept) {
    editRows(
      state,
      'hnsNetworks',
      network => network.ID === kept.ID,
      () => ({Policies: policies}),
    );
    say(`device_windows.go:75] Found existing HostComputeNetwork ${networkName}`);
  } else {
    if (old) removeNetwork(state, old);
    const layer = networkNamed(state, 'External')?.LayeredOn;
    const factory = new HnsFactory(node.release, random.for('hns'));
    addNetwork(state, overlayNetwork(factory, node, {made: now, mac, policies, layer}), random);
    say(`device_windows.go:116] Created HostComputeNetwork ${networkName}`);
  }
  writeFile(state, subnetEnvironment(cluster, node, podMtu, now));
  say('main.go:476] Running backend.');
  return {ready: true, marks: {annotations: {[dataAnnotation]: backendData(mac)}}};
}

function fits(network: JsonObject, {podCIDR}: NodePlan): boolean {
  const prefixes = listAt(network, 'Subnets').map(subnet => textAt(subnet, 'AddressPrefix'));
  return network.Type === 'Overlay' && prefixes.includes(podCIDR);
}

/** win-overlay never creates the network. */
export function addFlannelPod(starting: Starting, waiting: WaitingPod): Added {
  const {cluster, node, state, now, random} = starting;
  const network = networkNamed(state, networkName);
  if (!network) return {ready: false, why: noNetwork};
  const pod = sandboxOf(starting, waiting, () => freeAddress(state, networkName, node, 3));
  if (!pod) return {ready: false, why: exhausted('win-overlay', networkName, node.podCIDR)};
  const factory = new HnsFactory(node.release, random.for(pod.sandbox));
  attach(starting, factory.endpoint(now, network, podEndpoint(cluster, node, pod)), podMtu);
  lease(state, networkName, pod);
  return {ready: true, pod};
}

/** Applies another node's new router MAC to the route to its pods. */
export function flannelFollows(state: NodeState, peer: NodePlan, {annotations = {}}: NodeMarks): void {
  const mac = macIn(annotations[dataAnnotation]);
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
