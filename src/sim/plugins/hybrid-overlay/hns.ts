import {host} from '../../addresses.js';
import {servicesOf} from '../../cluster/service-table.js';
import type {JsonObject} from '../../json.js';
import {extensionsOf, HnsFactory} from '../../node/hns.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {dashed} from '../../random.js';
import {after, fileTime, minute, second} from '../../time.js';
import * as bridged from '../bridged.js';
import {hostUplinkName, prefixLength} from '../host.js';
import {loadBalancers} from '../load-balancers.js';
import {nodesOf} from '../plugin.js';
import {
  baseName,
  endpointName,
  hostEndpointName,
  name,
  networkName,
  podMac,
  routerMac,
  vipAddress,
  vni,
} from './names.js';

/** The base network, the overlay on its switch, the host endpoint, and kube-proxy's objects. */
export function hybridHns(cluster: ClusterPlan, node: NodePlan) {
  const factory = new HnsFactory(node.release, node.random.for('hns'));
  const made = after(node.bootedAt, 2 * minute + 12 * second);
  const base = baseNetwork(factory, node);
  const local = node.pods.length + 1;
  const overlay = {
    ...overlayNetwork(factory, node, {
      made,
      mac: routerMac(node),
      policies: overlayPolicies(cluster, node, routerMac),
      layer: base.LayeredOn,
    }),
    CurrentEndpointCount: local,
    MaxConcurrentEndpoints: local + 1,
    TotalEndpoints: local + 6,
  };
  const pods = node.pods.map(pod => factory.endpoint(pod.startedAt, overlay, podEndpoint(cluster, node, pod)));
  const own = hostEndpoint(factory, node, overlay, after(made, 20 * second), hostMac(node));
  const {remotes, policyLists} = loadBalancers({
    services: servicesOf(cluster),
    factory,
    network: overlay,
    endpoints: pods,
    sourceVip: vipAddress(node),
    overlayOn: node.address,
    dsr: true,
    made: after(node.bootedAt, 3 * minute),
  });
  return {
    hnsNetworks: [base, overlay],
    hnsEndpoints: [...pods, own, ...remotes],
    hnsPolicyLists: policyLists,
  };
}

export function baseNetwork(factory: HnsFactory, node: NodePlan, made = after(node.joinedAt, 40 * minute)): JsonObject {
  return factory.network(made, {
    name: baseName,
    type: 'Overlay',
    subnets: [{prefix: '100.64.0.0/30', gateway: '100.64.0.2', policies: [{Type: 'VSID', VSID: vni + 1}]}],
    extensions: extensionsOf(node.release, 'vfp', false),
    DNSServerCompartment: 3,
    DrMacAddress: dashed(node.random.for('base').mac('00:15:5d')),
    ManagementIP: node.address,
    NetworkAdapterName: hostUplinkName(node),
  });
}

interface Making {
  made: Date;
  /** The router MAC that HNS assigns. */
  mac: string;
  policies: readonly JsonObject[];
  /** The switch of the base network. */
  layer: unknown;
}

export function overlayNetwork(factory: HnsFactory, node: NodePlan, making: Making): JsonObject {
  const {made, mac, policies, layer} = making;
  return factory.network(made, {
    name: networkName,
    type: 'Overlay',
    subnets: [{prefix: node.podCIDR, gateway: host(node.podCIDR, 1), policies: [{Type: 'VSID', VSID: vni}]}],
    extensions: extensionsOf(node.release, 'vfp', false),
    // Not persistent: hybrid-overlay-node recreates it after every boot.
    flags: 8,
    policies,
    DNSServerCompartment: 4,
    DrMacAddress: dashed(mac),
    ...(layer !== undefined && {LayeredOn: layer}),
    ManagementIP: node.address,
    NetworkAdapterName: hostUplinkName(node),
  });
}

/** One route per peer that has published its subnet and MAC. */
export function overlayPolicies(
  cluster: ClusterPlan,
  node: NodePlan,
  macOf: (peer: NodePlan) => string | undefined,
): JsonObject[] {
  const peers = nodesOf(cluster, name).filter(peer => peer !== node);
  return [
    {Type: 'HostRoute'},
    ...peers.flatMap(peer => {
      const mac = macOf(peer);
      if (mac === undefined) return [];
      return [
        {
          DestinationPrefix: peer.podCIDR,
          DistributedRouterMacAddress: mac,
          IsolationId: vni,
          ProviderAddress: peer.address,
          Type: 'RemoteSubnetRoute',
        },
      ];
    }),
  ];
}

export const hostMac = (node: NodePlan) => node.random.for(hostEndpointName).mac('00:15:5d');

export const hostEndpoint = (
  factory: HnsFactory,
  node: NodePlan,
  overlay: JsonObject,
  made: Date,
  mac: string,
): JsonObject =>
  bridged.bridgedHostEndpoint(factory, node, overlay, {name: hostEndpointName, address: vipAddress(node), mac, made});

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
