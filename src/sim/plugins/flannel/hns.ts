import {hexAddress, host} from '../../addresses.js';
import {type ServiceBackend, servicesOf} from '../../cluster/service-table.js';
import type {JsonObject} from '../../json.js';
import {extensionsOf, HnsFactory} from '../../node/hns.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {dashed} from '../../random.js';
import {after, day, fileTime, minute, second} from '../../time.js';
import {nodesOf} from '../plugin.js';
import {endpointName, name, networkName, podMac, sourceVip, uplinkMac, uplinkName, vni, vtepMac} from './names.js';

export const natSubnet = '172.27.96.0/20';

/** The overlay on top of a placeholder network that keeps the switch alive, and what kube-proxy programs into it. */
export function flannelHns(cluster: ClusterPlan, node: NodePlan) {
  const {release} = node;
  const factory = new HnsFactory(release, node.random.for('hns'));
  const made = after(node.bootedAt, 2 * minute + 41 * second);
  const external = factory.network(after(node.joinedAt, day), {
    name: 'External',
    type: 'Overlay',
    subnets: [{prefix: '192.168.255.0/30', gateway: '192.168.255.1', policies: [{Type: 'VSID', VSID: 9999}]}],
    extensions: extensionsOf(release, 'vfp', false),
    DNSServerCompartment: 3,
    DrMacAddress: dashed(node.random.for('external').mac('00:15:5d')),
    ManagementIP: node.address,
    NetworkAdapterName: uplinkName(node),
  });
  const local = node.pods.length + 1;
  const overlay = factory.network(made, {
    name: networkName,
    type: 'Overlay',
    subnets: [{prefix: node.podCIDR, gateway: host(node.podCIDR, 1), policies: [{Type: 'VSID', VSID: vni}]}],
    extensions: extensionsOf(release, 'vfp', false),
    // Not persistent: flanneld makes it anew after every boot.
    flags: 8,
    policies: [{Type: 'HostRoute'}, ...peerRoutes(cluster, node)],
    DNSServerCompartment: 4,
    DrMacAddress: dashed(vtepMac(node)),
    // Both networks lie on one switch.
    LayeredOn: external.LayeredOn,
    ManagementIP: node.address,
    NetworkAdapterName: uplinkName(node),
    CurrentEndpointCount: local,
    MaxConcurrentEndpoints: local + 1,
    TotalEndpoints: local + 8,
  });
  const nat = factory.nat(after(node.bootedAt, 44 * second), natSubnet, host(natSubnet, 1), false);
  const pods = node.pods.map(pod => factory.endpoint(pod.startedAt, overlay, podEndpoint(cluster, node, pod)));
  const vip = factory.endpoint(after(made, 50 * second), overlay, {
    CreateProcessingStartTime: fileTime(after(made, 50 * second)),
    EncapOverhead: 50,
    GatewayAddress: host(node.podCIDR, 1),
    IPAddress: sourceVip(node),
    MacAddress: dashed(uplinkMac(node)),
    Name: 'Ethernet',
    PrefixLength: Number(node.podCIDR.split('/')[1]),
  });
  const {remotes, policyLists} = loadBalancers(cluster, node, factory, overlay, pods);
  return {
    hnsNetworks: [external, overlay, nat],
    hnsEndpoints: [...pods, vip, ...remotes],
    hnsPolicyLists: policyLists,
  };
}

/** One route a peer: without it no packet finds the other node. */
function peerRoutes(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  return nodesOf(cluster, name)
    .filter(peer => peer !== node)
    .map(peer => ({
      DestinationPrefix: peer.podCIDR,
      DistributedRouterMacAddress: vtepMac(peer),
      IsolationId: vni,
      ProviderAddress: peer.address,
      Type: 'RemoteSubnetRoute',
    }));
}

function podEndpoint(cluster: ClusterPlan, node: NodePlan, pod: PodPlan): JsonObject {
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
    PrefixLength: Number(node.podCIDR.split('/')[1]),
    SharedContainers: [pod.sandbox],
    State: 3,
  };
}

/** kube-proxy: a remote endpoint for every backend that is elsewhere, a policy list for every port of a Service. */
function loadBalancers(
  cluster: ClusterPlan,
  node: NodePlan,
  factory: HnsFactory,
  overlay: JsonObject,
  pods: readonly JsonObject[],
) {
  const made = after(node.bootedAt, 3 * minute + 33 * second);
  const remotes = new Map<string, JsonObject>();
  const endpointOf = ({address, node: home, onHost}: ServiceBackend) => {
    const own = pods.find(endpoint => endpoint.IPAddress === address);
    if (own) return own;
    const remote =
      remotes.get(address) ??
      factory.endpoint(made, overlay, {
        IPAddress: address,
        IsRemoteEndpoint: true,
        MacAddress: `02-11-${hexAddress(address, '-')}`,
        Name: 'Ethernet',
        Policies: [{PA: onHost ? node.address : home.address, Type: 'PA'}],
      });
    remotes.set(address, remote);
    return remote;
  };
  const policyLists = servicesOf(cluster).flatMap(({clusterIP, ports, backends}) => {
    const endpoints = backends.map(endpointOf);
    if (endpoints.length === 0) return [];
    return ports.map(({port, targetPort, protocol}) => {
      const policy = {
        ExternalPort: port,
        InternalPort: targetPort,
        Protocol: protocol === 'UDP' ? 17 : 6,
        SourceVIP: sourceVip(node),
        Type: 'ELB',
        VIPs: [clusterIP],
      };
      return factory.policyList(made, overlay, policy, endpoints);
    });
  });
  return {remotes: [...remotes.values()], policyLists};
}
