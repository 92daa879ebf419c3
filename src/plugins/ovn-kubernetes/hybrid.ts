import {parseJson, property} from '../../lib/json-properties.js';
import type {DetectionInput, Peer} from '../../model/plugin.js';
import {internalIp, isWindows, type KubeNode, oncePerCluster} from '../../snapshot/cluster.js';
import {normalMac} from '../../snapshot/values.js';

export const routerMacAnnotation = 'k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac';
export const subnetAnnotation = 'k8s.ovn.org/hybrid-overlay-node-subnet';
/** Its name before OpenShift 4.4. */
const oldSubnetAnnotation = 'k8s.ovn.org/hybrid-overlay-hostsubnet';
/** types.HybridOverlayVNI of ovn-kubernetes: not configurable. */
const vni = 4097;

/** The subnet of a node that OVN does not manage, such as a Windows node. */
export function hybridSubnet(node: KubeNode | undefined): string | undefined {
  const annotations = node?.metadata.annotations ?? {};
  return annotations[subnetAnnotation] ?? annotations[oldSubnetAnnotation];
}

/** The IPv4 subnet that OVN assigned to one of its nodes: a list, or a string in older versions. */
export function ovnSubnet(node: KubeNode | undefined): string | undefined {
  const subnets = property(parseJson(node?.metadata.annotations['k8s.ovn.org/node-subnets']), 'default');
  const all: unknown[] = Array.isArray(subnets) ? subnets : [subnets];
  return all.find((subnet): subnet is string => typeof subnet === 'string' && !subnet.includes(':'));
}

export function gatewayMac(node: KubeNode | undefined): string | undefined {
  const mac = node?.metadata.annotations[routerMacAnnotation];
  return mac ? normalMac(mac) : undefined;
}

/** UDP port of the overlay; undefined: not set (default 4789). */
export function hybridPort({cluster}: Pick<DetectionInput, 'cluster'>): number | undefined {
  const port = property(hybridConfig({cluster}), 'hybridOverlayVXLANPort');
  return typeof port === 'number' ? port : undefined;
}

/** The hybrid overlay configuration of OpenShift's network operator. */
export function hybridConfig({cluster}: Pick<DetectionInput, 'cluster'>): unknown {
  const network = cluster?.custom('operator.openshift.io', 'Network').find(({metadata}) => metadata.name === 'cluster');
  const ovn = property(property(property(network, 'spec'), 'defaultNetwork'), 'ovnKubernetesConfig');
  return property(ovn, 'hybridOverlayConfig');
}

/** All nodes that publish their subnet and MAC address: the agent ignores others (hybrid-overlay node.go). */
export function hybridPeers({cluster, object}: DetectionInput): Peer[] | undefined {
  if (!cluster || !object) return undefined;
  return nodesInOverlay(cluster).filter(({node}) => node !== object.metadata.name);
}

const nodesInOverlay = oncePerCluster(cluster =>
  cluster.all('Node').flatMap((node): Peer[] => {
    const prefix = ovnSubnet(node) ?? hybridSubnet(node);
    const mac = gatewayMac(node);
    if (prefix === undefined || mac === undefined) return [];
    return [{node: node.metadata.name, windows: isWindows(node), prefix, address: internalIp(node), mac, vni}];
  }),
);
