import {host} from '../../addresses.js';
import {servicesOf} from '../../cluster/service-table.js';
import type {JsonObject} from '../../json.js';
import {extensionsOf, HnsFactory} from '../../node/hns.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {after, minute, second} from '../../time.js';
import * as bridged from '../bridged.js';
import {hostUplinkName} from '../host.js';
import {loadBalancers} from '../load-balancers.js';
import {
  endpointName,
  exceptions,
  hostAddress,
  hostEndpointName,
  networkName,
  placeholderName,
  podMac,
} from './names.js';

/** Two networks that a script created when the node joined, the host endpoint, and kube-proxy's objects. */
export function winBridgeHns(cluster: ClusterPlan, node: NodePlan) {
  const factory = new HnsFactory(node.release, node.random.for('hns'));
  const made = after(node.joinedAt, 54 * minute);
  const external = factory.network(made, {
    name: placeholderName,
    type: 'L2Bridge',
    subnets: [{prefix: '192.168.255.0/30', gateway: '192.168.255.1'}],
    extensions: extensionsOf(node.release, 'vfp', false),
    DNSServerCompartment: 3,
    ManagementIP: node.address,
    NetworkAdapterName: hostUplinkName(node),
  });
  const local = node.pods.length + 1;
  const bridge = factory.network(after(made, 20 * second), {
    name: networkName,
    type: 'L2Bridge',
    subnets: [{prefix: node.podCIDR, gateway: host(node.podCIDR, 1)}],
    extensions: extensionsOf(node.release, 'vfp', false),
    DNSServerCompartment: 4,
    LayeredOn: external.LayeredOn,
    ManagementIP: node.address,
    CurrentEndpointCount: local,
    MaxConcurrentEndpoints: local,
    TotalEndpoints: local + 11,
  });
  const own = hostEndpoint(factory, node, bridge, after(node.bootedAt, 2 * minute), hostMac(node));
  const pods = node.pods.map(pod => factory.endpoint(pod.startedAt, bridge, podEndpoint(cluster, node, pod)));
  const {remotes, policyLists} = loadBalancers({
    services: servicesOf(cluster),
    factory,
    network: bridge,
    endpoints: pods,
    sourceVip: node.address,
    made: after(node.bootedAt, 3 * minute),
  });
  return {
    hnsNetworks: [external, bridge],
    hnsEndpoints: [own, ...pods, ...remotes],
    hnsPolicyLists: policyLists,
  };
}

export const hostMac = (node: NodePlan) => node.random.for(hostEndpointName).mac('00:15:5d');

export const hostEndpoint = (
  factory: HnsFactory,
  node: NodePlan,
  bridge: JsonObject,
  made: Date,
  mac: string,
): JsonObject =>
  bridged.bridgedHostEndpoint(factory, node, bridge, {name: hostEndpointName, address: hostAddress(node), mac, made});

export const podEndpoint = (cluster: ClusterPlan, node: NodePlan, pod: PodPlan): JsonObject =>
  bridged.bridgedPodEndpoint(cluster, pod, {
    name: endpointName(pod.sandbox),
    mac: podMac(pod),
    gateway: hostAddress(node),
    subnet: node.podCIDR,
    exceptions: exceptions(cluster, node),
    routes: [`${node.address}/32`],
  });
