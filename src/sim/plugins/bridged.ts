import type {JsonObject} from '../json.js';
import type {HnsFactory} from '../node/hns.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../plan.js';
import {dashed} from '../random.js';
import {fileTime} from '../time.js';
import {prefixLength} from './host.js';

// Shared by plugins with an L2Bridge network.

export interface HostEndpoint {
  readonly name: string;
  readonly address: string;
  readonly mac: string;
  readonly made: Date;
}

/** The host's endpoint on the bridge: the gateway of the pods. */
export function bridgedHostEndpoint(
  factory: HnsFactory,
  node: NodePlan,
  bridge: JsonObject,
  {name, address, mac, made}: HostEndpoint,
): JsonObject {
  return factory.endpoint(made, bridge, {
    CompartmentId: 1,
    CreateProcessingStartTime: fileTime(made),
    IPAddress: address,
    MacAddress: dashed(mac),
    Name: name,
    PrefixLength: prefixLength(node.podCIDR),
    State: 2,
  });
}

export interface BridgedPod {
  readonly name: string;
  readonly mac: string;
  readonly gateway: string;
  readonly subnet: string;
  /** DNS servers in addition to the one of the cluster. */
  readonly dns?: readonly string[];
  /** Destinations without outbound NAT. */
  readonly exceptions: readonly string[];
  /** Encapsulated destinations in addition to the Services. */
  readonly routes?: readonly string[];
}

export function bridgedPodEndpoint(cluster: ClusterPlan, pod: PodPlan, its: BridgedPod): JsonObject {
  const route = (prefix: string) => ({DestinationPrefix: prefix, NeedEncap: true, Type: 'ROUTE'});
  return {
    CreateProcessingStartTime: fileTime(pod.startedAt),
    DNSServerList: [cluster.dnsService, ...(its.dns ?? [])].join(','),
    DNSSuffix: `${pod.namespace}.svc.cluster.local,svc.cluster.local,cluster.local`,
    GatewayAddress: its.gateway,
    IPAddress: pod.address,
    MacAddress: dashed(its.mac),
    Name: its.name,
    Namespace: {ID: pod.random.for('namespace').uuid()},
    Policies: [
      {ExceptionList: its.exceptions, Type: 'OutBoundNAT'},
      ...[cluster.serviceNetwork, ...(its.routes ?? [])].map(route),
    ],
    PrefixLength: prefixLength(its.subnet),
    SharedContainers: [pod.sandbox],
    State: 3,
  };
}
