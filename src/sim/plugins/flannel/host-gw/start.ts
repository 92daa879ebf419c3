import {type JsonObject, listAt, textAt} from '../../../json.js';
import {addRows, editRows} from '../../../node/edit.js';
import {writeFile} from '../../../node/files.js';
import {HnsFactory} from '../../../node/hns.js';
import {HostNetwork} from '../../../node/host-network.js';
import {rows} from '../../../node/state.js';
import {addNetwork, countEndpoints, networkNamed, removeEndpoint, removeNetwork} from '../../../node/switch.js';
import type {NodePlan} from '../../../plan.js';
import {managementName} from '../../host.js';
import {exhausted, freeAddress, lease} from '../../host-local.js';
import {nodeAddress, startKubeProxy} from '../../kube-proxy.js';
import {type Added, nodesOf, type Started, type Starting, type WaitingPod} from '../../plugin.js';
import {attach, hasAddress, sandboxOf} from '../../start.js';
import {flanneldEnds, flanneldStarts, subnetEnvironment} from '../files.js';
import {bridgeNetwork, hostEndpoint, podEndpoint} from './hns.js';
import {hostAdapterName, hostAddress, hostEndpointName, name, networkName, noNetwork} from './names.js';
import {addHostAdapter, addPeerRoutes} from './node.js';

/** flanneld creates the bridge network, the host endpoint, forwarding, then the routes (flannel hostgw_windows.go). */
export function hostGwStart(starting: Starting): Started {
  const {cluster, node, state, now, random} = starting;
  const say = flanneldStarts(starting);
  if (!hasAddress(state, node.address)) {
    const why = `Could not find valid interface matching ${node.address}`;
    say(`main.go:359] ${why}`, 'E');
    flanneldEnds(state);
    return {ready: false, why};
  }
  const factory = new HnsFactory(node.release, random.for('hns'));
  const old = networkNamed(state, networkName);
  if (old && fits(old, node)) say(`hostgw_windows.go:117] Found existing HNSNetwork ${networkName}`);
  else {
    if (old) removeNetwork(state, old);
    addNetwork(state, bridgeNetwork(factory, node, now), random);
    say(`hostgw_windows.go:181] Created HNSNetwork ${networkName}`);
  }
  if (!attachHost(starting, factory)) {
    const why = `Waiting to attach bridge endpoint ${hostEndpointName} to host`;
    say(`hostgw_windows.go:195] Found existing bridge HNSEndpoint ${hostEndpointName}`);
    say(`hostgw_windows.go:220] ${why}`);
    return {ready: false, why};
  }
  say(`hostgw_windows.go:237] Attached bridge endpoint ${hostEndpointName} to host successfully`);
  const host = new HostNetwork(random.for('routes'), state);
  const management = host.named(managementName(node));
  if (management) {
    host.forward(management);
    addPeerRoutes(host, management, cluster, node);
  }
  Object.assign(state.sections, host.sections());
  writeFile(state, subnetEnvironment(cluster, node, 1500, now));
  for (const peer of nodesOf(cluster, name)) {
    if (peer !== node) say(`route_network_windows.go:118] Subnet added: ${peer.podCIDR} via ${peer.address}`);
  }
  return {ready: true};
}

function fits(network: JsonObject, {podCIDR}: NodePlan): boolean {
  const prefixes = listAt(network, 'Subnets').map(subnet => textAt(subnet, 'AddressPrefix'));
  return network.Type === 'L2Bridge' && prefixes.includes(podCIDR);
}

/**
 * Finds an existing endpoint by name and address. flanneld treats "already attached to the switch" as success, then
 * waits for an adapter with the address: false if none will appear.
 */
function attachHost({node, state, now, random}: Starting, factory: HnsFactory): boolean {
  const address = hostAddress(node);
  const found = rows(state, 'hnsEndpoints').find(endpoint => endpoint.Name === hostEndpointName);
  if (found && found.IPAddress !== address) removeEndpoint(state, found);
  const own = rows(state, 'hnsEndpoints').find(endpoint => endpoint.Name === hostEndpointName);
  const hasAdapter = rows(state, 'netAdapters').some(adapter => adapter.Name === hostAdapterName);
  if (own && hasAdapter) return true;
  // Only an endpoint that was created and never attached can still be attached.
  if (own && own.State !== 1) return false;
  const mac = random.for(hostEndpointName).mac('00:15:5d');
  const network = networkNamed(state, networkName) ?? {};
  if (own)
    editRows(
      state,
      'hnsEndpoints',
      endpoint => endpoint.ID === own.ID,
      () => ({CompartmentId: 1, State: 2}),
    );
  else addRows(state, 'hnsEndpoints', hostEndpoint(factory, node, network, now, mac));
  const host = new HostNetwork(random.for('host'), state);
  addHostAdapter(host, node, own ? String(own.MacAddress).replaceAll('-', ':').toLowerCase() : mac, host.nextIndex());
  Object.assign(state.sections, host.sections());
  countEndpoints(state);
  return true;
}

/** win-bridge never creates the network. */
export function addHostGwPod(starting: Starting, waiting: WaitingPod): Added {
  const {cluster, node, state, now, random} = starting;
  const network = networkNamed(state, networkName);
  if (!network) return {ready: false, why: noNetwork};
  const pod = sandboxOf(starting, waiting, () => freeAddress(state, networkName, node, 3));
  if (!pod) return {ready: false, why: exhausted('win-bridge', networkName, node.podCIDR)};
  const factory = new HnsFactory(node.release, random.for(pod.sandbox));
  attach(starting, factory.endpoint(now, network, podEndpoint(cluster, node, pod)), 1500);
  lease(state, networkName, pod);
  return {ready: true, pod};
}

export const hostGwProxyStart = (starting: Starting): Started =>
  startKubeProxy(starting, {network: networkName, sourceVip: nodeAddress});
