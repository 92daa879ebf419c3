import {host} from '../../../addresses.js';
import {servicesOf} from '../../../cluster/service-table.js';
import type {JsonObject} from '../../../json.js';
import {extensionsOf, HnsFactory} from '../../../node/hns.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../../plan.js';
import {dashed} from '../../../random.js';
import {after, day, fileTime, minute, second} from '../../../time.js';
import {hostUplinkMac, hostUplinkName, prefixLength} from '../../host.js';
import {loadBalancers} from '../../load-balancers.js';
import {nodesOf} from '../../plugin.js';
import {endpointName, name, networkName, podMac, sourceVip, vni, vtepMac} from './names.js';

export const natSubnet = '172.27.96.0/20';

/** The overlay, a placeholder network that keeps the switch, and kube-proxy's objects. */
export function flannelHns(cluster: ClusterPlan, node: NodePlan) {
  const factory = new HnsFactory(node.release, node.random.for('hns'));
  const made = after(node.bootedAt, 2 * minute + 41 * second);
  const external = placeholder(factory, node);
  const overlay = {
    ...overlayNetwork(factory, node, {
      made,
      mac: vtepMac(node),
      policies: overlayPolicies(cluster, node, vtepMac),
      layer: external.LayeredOn,
    }),
    ...counts(node.pods.length + 1),
  };
  const nat = factory.nat(after(node.bootedAt, 44 * second), natSubnet, host(natSubnet, 1), false);
  const pods = node.pods.map(pod => factory.endpoint(pod.startedAt, overlay, podEndpoint(cluster, node, pod)));
  const vip = sourceEndpoint(factory, node, overlay, sourceVip(node), after(made, 50 * second));
  const {remotes, policyLists} = loadBalancers({
    services: servicesOf(cluster),
    factory,
    network: overlay,
    endpoints: pods,
    sourceVip: sourceVip(node),
    overlayOn: node.address,
    made: after(node.bootedAt, 3 * minute + 33 * second),
  });
  return {
    hnsNetworks: [external, overlay, nat],
    hnsEndpoints: [...pods, vip, ...remotes],
    hnsPolicyLists: policyLists,
  };
}

const counts = (local: number) => ({
  CurrentEndpointCount: local,
  MaxConcurrentEndpoints: local + 1,
  TotalEndpoints: local + 8,
});

function placeholder(factory: HnsFactory, node: NodePlan): JsonObject {
  return factory.network(after(node.joinedAt, day), {
    name: 'External',
    type: 'Overlay',
    subnets: [{prefix: '192.168.255.0/30', gateway: '192.168.255.1', policies: [{Type: 'VSID', VSID: 9999}]}],
    extensions: extensionsOf(node.release, 'vfp', false),
    DNSServerCompartment: 3,
    DrMacAddress: dashed(node.random.for('external').mac('00:15:5d')),
    ManagementIP: node.address,
    NetworkAdapterName: hostUplinkName(node),
  });
}

interface Making {
  made: Date;
  /** The router MAC that HNS assigns. */
  mac: string;
  policies: readonly JsonObject[];
  /** The switch of an existing network, to share it. */
  layer?: unknown;
}

export function overlayNetwork(factory: HnsFactory, node: NodePlan, making: Making): JsonObject {
  const {made, mac, policies, layer} = making;
  return factory.network(made, {
    name: networkName,
    type: 'Overlay',
    subnets: [{prefix: node.podCIDR, gateway: host(node.podCIDR, 1), policies: [{Type: 'VSID', VSID: vni}]}],
    extensions: extensionsOf(node.release, 'vfp', false),
    // Not persistent: flanneld recreates it after every boot.
    flags: 8,
    policies,
    DNSServerCompartment: 4,
    DrMacAddress: dashed(mac),
    ...(layer !== undefined && {LayeredOn: layer}),
    ManagementIP: node.address,
    NetworkAdapterName: hostUplinkName(node),
  });
}

/** One route per peer; without it the peer is unreachable. */
export function overlayPolicies(cluster: ClusterPlan, node: NodePlan, macOf: (peer: NodePlan) => string): JsonObject[] {
  const peers = nodesOf(cluster, name).filter(peer => peer !== node);
  return [
    {Type: 'HostRoute'},
    ...peers.map(peer => ({
      DestinationPrefix: peer.podCIDR,
      DistributedRouterMacAddress: macOf(peer),
      IsolationId: vni,
      ProviderAddress: peer.address,
      Type: 'RemoteSubnetRoute',
    })),
  ];
}

/** kube-proxy's source VIP: an endpoint that is never attached. */
export function sourceEndpoint(
  factory: HnsFactory,
  node: NodePlan,
  overlay: JsonObject,
  address: string,
  made: Date,
): JsonObject {
  return factory.endpoint(made, overlay, {
    CreateProcessingStartTime: fileTime(made),
    EncapOverhead: 50,
    GatewayAddress: host(node.podCIDR, 1),
    IPAddress: address,
    MacAddress: dashed(hostUplinkMac(node)),
    Name: 'Ethernet',
    PrefixLength: prefixLength(node.podCIDR),
  });
}

export function podEndpoint(cluster: ClusterPlan, node: NodePlan, pod: PodPlan): JsonObject {
  return {
    CreateProcessingStartTime: fileTime(pod.startedAt),
    DNSServerList: cluster.dnsService,
    DNSSuffix: `${pod.namespace}.svc.cluster.local,svc.cluster.local,cluster.local`,
    EncapOverhead: 50,
    GatewayAddress: host(node.podCIDR, 1),
    IPAddress: pod.address,
    MacAddress: podMac(pod.address),
    Name: endpointName(pod),
    Namespace: {ID: pod.random.for('namespace').uuid()},
    Policies: [
      {ExceptionList: [cluster.serviceNetwork, cluster.podNetwork], Type: 'OutBoundNAT'},
      {DestinationPrefix: cluster.serviceNetwork, NeedEncap: true, Type: 'ROUTE'},
      {PA: node.address, Type: 'PA'},
    ],
    PrefixLength: prefixLength(node.podCIDR),
    SharedContainers: [pod.sandbox],
    State: 3,
  };
}
