import {host} from '../../addresses.js';
import {servicesOf} from '../../cluster/service-table.js';
import type {JsonObject} from '../../json.js';
import {extensionsOf, HnsFactory} from '../../node/hns.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {dashed} from '../../random.js';
import {after, fileTime, minute, second} from '../../time.js';
import {hostUplinkMac} from '../host.js';
import {loadBalancers} from '../load-balancers.js';
import {nodesOf} from '../plugin.js';
import {
  block,
  blockSize,
  endpointName,
  hostAddress,
  hostEndpointName,
  name,
  networkName,
  placeholderName,
  podMac,
  routerMac,
  vni,
} from './names.js';

/** The overlay and a placeholder network, both created after every boot, and kube-proxy's objects. */
export function calicoHns(cluster: ClusterPlan, node: NodePlan) {
  const factory = new HnsFactory(node.release, node.random.for('hns'));
  const made = after(node.bootedAt, 2 * minute + 40 * second);
  const external = placeholder(factory, node, made);
  const local = node.pods.length;
  const calico: JsonObject = {
    ...calicoNetwork(factory, node, {
      made: after(made, 31 * second),
      mac: routerMac(node),
      policies: calicoPolicies(cluster, node, routerMac),
      layer: external.LayeredOn,
    }),
    CurrentEndpointCount: local,
    MaxConcurrentEndpoints: local + 1,
    TotalEndpoints: local + 9,
  };
  const own = hostEndpoint(factory, node, calico, after(made, 34 * second));
  const pods = node.pods.map(pod => factory.endpoint(pod.startedAt, calico, podEndpoint(cluster, node, pod)));
  const {remotes, policyLists} = loadBalancers({
    services: servicesOf(cluster),
    factory,
    network: calico,
    endpoints: pods,
    sourceVip: hostAddress(node),
    overlayOn: node.address,
    dsr: true,
    made: after(made, minute),
  });
  return {
    hnsNetworks: [external, calico],
    hnsEndpoints: [own, ...pods, ...remotes],
    hnsPolicyLists: policyLists,
  };
}

/** Exists only to create the switch. It names no adapter because VXLAN_ADAPTER is not set. */
export function placeholder(factory: HnsFactory, node: NodePlan, made: Date): JsonObject {
  return factory.network(made, {
    name: placeholderName,
    type: 'Overlay',
    subnets: [{prefix: '192.168.255.0/30', gateway: '192.168.255.1', policies: [{Type: 'VSID', VSID: 9999}]}],
    extensions: extensionsOf(node.release, 'vfp', false),
    DNSServerCompartment: 3,
    DrMacAddress: dashed(node.random.for('external').mac('00:15:5d')),
    ManagementIP: node.address,
  });
}

interface Making {
  made: Date;
  mac: string;
  policies: readonly JsonObject[];
  layer: unknown;
}

export function calicoNetwork(factory: HnsFactory, node: NodePlan, {made, mac, policies, layer}: Making): JsonObject {
  return factory.network(made, {
    name: networkName,
    type: 'Overlay',
    subnets: [{prefix: block(node), gateway: host(block(node), 1), policies: [{Type: 'VSID', VSID: vni}]}],
    extensions: extensionsOf(node.release, 'vfp', false),
    policies,
    DNSServerCompartment: 4,
    DrMacAddress: dashed(mac),
    LayeredOn: layer,
    ManagementIP: node.address,
  });
}

/** Felix writes MAC addresses in lower case with dashes. */
export const felixMac = (mac: string) => mac.replaceAll(':', '-').toLowerCase();

export function calicoPolicies(cluster: ClusterPlan, node: NodePlan, macOf: (peer: NodePlan) => string): JsonObject[] {
  const peers = nodesOf(cluster, name).filter(peer => peer !== node);
  return [
    {Type: 'HostRoute'},
    ...peers.map(peer => ({
      DestinationPrefix: block(peer),
      DistributedRouterMacAddress: felixMac(macOf(peer)),
      IsolationId: vni,
      ProviderAddress: peer.address,
      Type: 'RemoteSubnetRoute',
    })),
  ];
}

/** In an overlay this is a remote endpoint by design; it is never attached. */
export function hostEndpoint(factory: HnsFactory, node: NodePlan, network: JsonObject, made: Date): JsonObject {
  return factory.endpoint(made, network, {
    IPAddress: hostAddress(node),
    IsRemoteEndpoint: true,
    MacAddress: dashed(hostUplinkMac(node)),
    Name: hostEndpointName,
    Policies: [{PA: node.address, Type: 'PA'}],
  });
}

export function podEndpoint(cluster: ClusterPlan, node: NodePlan, pod: PodPlan): JsonObject {
  return {
    CreateProcessingStartTime: fileTime(pod.startedAt),
    DNSServerList: cluster.dnsService,
    DNSSuffix: `${pod.namespace}.svc.cluster.local,svc.cluster.local,cluster.local`,
    EncapOverhead: 50,
    GatewayAddress: host(block(node), 1),
    IPAddress: pod.address,
    MacAddress: podMac(pod.address),
    Name: endpointName(pod),
    Namespace: {ID: pod.random.for('namespace').uuid()},
    Policies: [
      {ExceptionList: [cluster.serviceNetwork, cluster.podNetwork], Type: 'OutBoundNAT'},
      {DestinationPrefix: cluster.serviceNetwork, NeedEncap: true, Type: 'ROUTE'},
      {PA: node.address, Type: 'PA'},
      {
        Action: 'Allow',
        Direction: 'In',
        Id: 'allow-host-to-endpoint',
        Protocol: 256,
        Priority: 900,
        RuleType: 'Host',
        Type: 'ACL',
      },
    ],
    PrefixLength: blockSize,
    SharedContainers: [pod.sandbox],
    State: 3,
  };
}
