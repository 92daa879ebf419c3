import {host} from '../../../addresses.js';
import {servicesOf} from '../../../cluster/service-table.js';
import type {JsonObject} from '../../../json.js';
import {extensionsOf, HnsFactory} from '../../../node/hns.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../../plan.js';
import {after, day, minute, second} from '../../../time.js';
import * as bridged from '../../bridged.js';
import {loadBalancers} from '../../load-balancers.js';
import {endpointName, exceptions, hostAddress, hostEndpointName, networkName, podMac} from './names.js';

/** The bridge network, the host endpoint on it, and kube-proxy's objects. */
export function hostGwHns(cluster: ClusterPlan, node: NodePlan) {
  const factory = new HnsFactory(node.release, node.random.for('hns'));
  const local = node.pods.length + 1;
  const bridge: JsonObject = {
    // It survives reboots, so it is as old as the node.
    ...bridgeNetwork(factory, node, after(node.joinedAt, day)),
    CurrentEndpointCount: local,
    MaxConcurrentEndpoints: local + 1,
    TotalEndpoints: local + 16,
  };
  const own = hostEndpoint(
    factory,
    node,
    bridge,
    after(node.bootedAt, 3 * minute + 31 * second),
    node.random.for(hostEndpointName).mac('00:15:5d'),
  );
  const pods = node.pods.map(pod => factory.endpoint(pod.startedAt, bridge, podEndpoint(cluster, node, pod)));
  const {remotes, policyLists} = loadBalancers({
    services: servicesOf(cluster),
    factory,
    network: bridge,
    endpoints: pods,
    sourceVip: node.address,
    made: after(node.bootedAt, 4 * minute),
  });
  return {
    hnsNetworks: [bridge],
    hnsEndpoints: [own, ...pods, ...remotes],
    hnsPolicyLists: policyLists,
  };
}

/** Without an adapter name: flanneld does not set one. */
export function bridgeNetwork(factory: HnsFactory, node: NodePlan, made: Date): JsonObject {
  return factory.network(made, {
    name: networkName,
    type: 'L2Bridge',
    subnets: [{prefix: node.podCIDR, gateway: host(node.podCIDR, 1)}],
    extensions: extensionsOf(node.release, 'vfp', false),
    DNSServerCompartment: 3,
    ManagementIP: node.address,
  });
}

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
    name: endpointName(pod),
    mac: podMac(pod),
    gateway: hostAddress(node),
    subnet: node.podCIDR,
    exceptions: exceptions(cluster, node),
  });
