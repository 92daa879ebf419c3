import {parseJson, property} from '../../lib/json-properties.js';
import type {Peer, Sight} from '../../model/plugin.js';
import {internalIp, isWindows, type KubeNode, oncePerCluster} from '../../snapshot/cluster.js';
import {normalMac} from '../../snapshot/values.js';

export const routerMacAnnotation = 'k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac';
export const subnetAnnotation = 'k8s.ovn.org/hybrid-overlay-node-subnet';
/** Its name before OpenShift 4.4. */
const oldSubnetAnnotation = 'k8s.ovn.org/hybrid-overlay-hostsubnet';
/** types.HybridOverlayVNI of ovn-kubernetes: not to be set. */
const vni = 4097;

/** The subnet of a node that OVN does not manage, which is what a Windows node is. */
export function hybridSubnet(node: KubeNode | undefined): string | undefined {
  const annotations = node?.metadata.annotations ?? {};
  return annotations[subnetAnnotation] ?? annotations[oldSubnetAnnotation];
}

/** The IPv4 subnet that OVN gave to one of its nodes; a list, or in older versions one text. */
export function ovnSubnet(node: KubeNode | undefined): string | undefined {
  const subnets = property(parseJson(node?.metadata.annotations['k8s.ovn.org/node-subnets']), 'default');
  const all: unknown[] = Array.isArray(subnets) ? subnets : [subnets];
  return all.find((subnet): subnet is string => typeof subnet === 'string' && !subnet.includes(':'));
}

export function gatewayMac(node: KubeNode | undefined): string | undefined {
  const mac = node?.metadata.annotations[routerMacAnnotation];
  return mac ? normalMac(mac) : undefined;
}

/** UDP port of the overlay; undefined: not set, which is 4789. */
export function hybridPort({cluster}: Pick<Sight, 'cluster'>): number | undefined {
  const port = property(hybridConfig({cluster}), 'hybridOverlayVXLANPort');
  return typeof port === 'number' ? port : undefined;
}

/** The configuration of OpenShift's network operator for Windows nodes. */
export function hybridConfig({cluster}: Pick<Sight, 'cluster'>): unknown {
  const network = cluster?.custom('operator.openshift.io', 'Network').find(({metadata}) => metadata.name === 'cluster');
  const ovn = property(property(property(network, 'spec'), 'defaultNetwork'), 'ovnKubernetesConfig');
  return property(ovn, 'hybridOverlayConfig');
}

/** Every node that reports its subnet and its MAC: the agent leaves out those that do not (hybrid-overlay node.go). */
export function hybridPeers({cluster, object}: Sight): Peer[] | undefined {
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
