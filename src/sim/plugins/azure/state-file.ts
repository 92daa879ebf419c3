import {host} from '../../addresses.js';
import {isObject, type JsonObject} from '../../json.js';
import {file} from '../../node/windows.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {hostUplinkName, prefixLength} from '../host.js';
import {endpointName, gateway, networkName, stateFile, version, wireServer} from './names.js';

/** The saved state of a network and its endpoints (azure-container-networking network/manager.go). */
export interface Remembered {
  /** The HNS ID of the network. */
  network: string;
  endpoints: Record<string, JsonObject>;
}

export function rememberedEndpoint(
  {podNetwork, dnsService}: ClusterPlan,
  pod: PodPlan,
  network: string,
  endpoint: string,
): JsonObject {
  const mask = maskOf(prefixLength(podNetwork));
  return {
    Id: endpointName(pod),
    HnsId: endpoint,
    HNSNetworkID: network,
    SandboxKey: '',
    IfName: 'eth0',
    HostIfName: '',
    MacAddress: '',
    IPAddresses: [{IP: pod.address, Mask: mask}],
    Gateways: [host(podNetwork, 1)],
    DNS: {Suffix: `${pod.namespace}.svc.cluster.local`, Servers: [dnsService, wireServer], Options: null},
    ContainerID: pod.sandbox,
    PODName: pod.name,
    PODNameSpace: pod.namespace,
    NetNs: pod.random.for('namespace').uuid(),
    NICType: 'InfraNIC',
  };
}

/** Go encodes the bytes of a mask in base64. */
const maskOf = (prefix: number) =>
  Buffer.from([0, 8, 16, 24].map(bits => 256 - 2 ** (8 - Math.min(8, Math.max(0, prefix - bits))))).toString('base64');

export function writeState(
  cluster: ClusterPlan,
  node: NodePlan,
  {network, endpoints}: Remembered,
  written: Date,
): JsonObject {
  const [base = ''] = cluster.podNetwork.split('/');
  const azure = {
    Id: networkName,
    HnsId: network,
    Mode: 'bridge',
    VlanId: 0,
    Subnets: [
      {
        Family: 2,
        Prefix: {IP: base, Mask: maskOf(prefixLength(cluster.podNetwork))},
        Gateway: gateway(cluster),
        PrimaryIP: node.podCIDR.split('/')[0],
      },
    ],
    Endpoints: endpoints,
    DNS: {Suffix: '', Servers: [cluster.dnsService, wireServer], Options: null},
    EnableSnatOnHost: false,
    NetNs: '',
    SnatBridgeIP: '',
  };
  const uplink = {
    Name: hostUplinkName(node),
    Networks: {[networkName]: azure},
    Subnets: [cluster.podNetwork],
    BridgeName: '',
    MacAddress: '',
    IPAddresses: null,
    Routes: null,
    IPv4Gateway: '0.0.0.0',
    IPv6Gateway: '::',
  };
  const content = {
    Network: {
      Version: version(cluster),
      TimeStamp: `${written.toISOString().slice(0, 19)}Z`,
      ExternalInterfaces: {[hostUplinkName(node)]: uplink},
    },
  };
  return file(stateFile, written, JSON.stringify(content));
}

/** Undefined if the file is empty: Azure CNI then starts without state. Throws if it is not JSON, as Azure CNI does. */
export function readState(content: string, node: NodePlan): Remembered | undefined {
  if (content.trim() === '') return undefined;
  let here: unknown = JSON.parse(content);
  for (const key of ['Network', 'ExternalInterfaces', hostUplinkName(node), 'Networks', networkName]) {
    here = isObject(here) ? here[key] : undefined;
  }
  if (!isObject(here)) return undefined;
  return {
    network: String(here.HnsId),
    endpoints: isObject(here.Endpoints) ? (here.Endpoints as Remembered['endpoints']) : {},
  };
}
