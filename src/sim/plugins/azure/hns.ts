import {host} from '../../addresses.js';
import {servicesOf} from '../../cluster/service-table.js';
import type {JsonObject} from '../../json.js';
import {extensionsOf, HnsFactory} from '../../node/hns.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {after, minute, second} from '../../time.js';
import * as bridged from '../bridged.js';
import {hostUplinkName} from '../host.js';
import {loadBalancers} from '../load-balancers.js';
import {endpointName, exceptions, gateway, networkName, placeholderName, podMac, wireServer} from './names.js';

/** The placeholder network of the node setup, the network created with the first pod, and kube-proxy's objects. */
export function azureHns(cluster: ClusterPlan, node: NodePlan) {
  const factory = new HnsFactory(node.release, node.random.for('hns'));
  const external = placeholder(factory, node);
  const [first] = node.pods;
  if (!first) return {hnsNetworks: [external], hnsEndpoints: [], hnsPolicyLists: []};
  const local = node.pods.length;
  const azure: JsonObject = {
    ...azureNetwork(factory, cluster, node, first.startedAt, external.LayeredOn),
    CurrentEndpointCount: local,
    MaxConcurrentEndpoints: local + 2,
    TotalEndpoints: local + 11,
  };
  const pods = node.pods.map(pod => factory.endpoint(pod.startedAt, azure, podEndpoint(cluster, node, pod)));
  const {remotes, policyLists} = loadBalancers({
    services: servicesOf(cluster),
    factory,
    network: azure,
    endpoints: pods,
    sourceVip: node.address,
    made: after(first.startedAt, 20 * second),
  });
  return {
    hnsNetworks: [external, azure],
    hnsEndpoints: [...pods, ...remotes],
    hnsPolicyLists: policyLists,
  };
}

function placeholder(factory: HnsFactory, node: NodePlan): JsonObject {
  return factory.network(after(node.joinedAt, minute), {
    name: placeholderName,
    type: 'L2Bridge',
    subnets: [{prefix: '192.168.255.0/30', gateway: '192.168.255.1'}],
    extensions: extensionsOf(node.release, 'vfp', false),
    DNSServerCompartment: 3,
    ManagementIP: node.address,
    NetworkAdapterName: hostUplinkName(node),
  });
}

export function azureNetwork(
  factory: HnsFactory,
  cluster: ClusterPlan,
  node: NodePlan,
  made: Date,
  layer: unknown,
): JsonObject {
  return factory.network(made, {
    name: networkName,
    type: 'L2Bridge',
    subnets: [{prefix: cluster.podNetwork, gateway: gateway(cluster)}],
    extensions: extensionsOf(node.release, 'vfp', false),
    // Not persistent: the CNI recreates it with the first pod after a reboot.
    flags: 8,
    DNSServerCompartment: 4,
    ...(layer !== undefined && {LayeredOn: layer}),
    ManagementIP: node.address,
    NetworkAdapterName: hostUplinkName(node),
  });
}

export const podEndpoint = (cluster: ClusterPlan, node: NodePlan, pod: PodPlan): JsonObject =>
  bridged.bridgedPodEndpoint(cluster, pod, {
    name: endpointName(pod),
    mac: podMac(pod),
    gateway: host(cluster.podNetwork, 1),
    subnet: cluster.podNetwork,
    dns: [wireServer],
    exceptions: exceptions(cluster, node),
  });
