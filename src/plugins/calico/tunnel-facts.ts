import {digest} from '../../lib/digest.js';
import type {DetectionInput, Peer} from '../../model/plugin.js';
import {within} from '../../snapshot/addresses.js';
import {type ClusterModel, isWindows, type KubeNode, oncePerCluster} from '../../snapshot/cluster.js';
import {normalMac} from '../../snapshot/values.js';
import {blocksOf, felixSetting, ipPools} from './resources.js';

export const tunnelMacAnnotation = 'projectcalico.org/VXLANTunnelMACAddr';
const tunnelAnnotation = 'projectcalico.org/IPv4VXLANTunnelAddr';
const addressAnnotation = 'projectcalico.org/IPv4Address';

export function tunnelMac(node: KubeNode | undefined): string | undefined {
  const mac = node?.metadata.annotations[tunnelMacAnnotation];
  return mac ? normalMac(mac) : undefined;
}

export function hasTunnel(node: KubeNode | undefined): boolean {
  const annotations = node?.metadata.annotations ?? {};
  return annotations[tunnelAnnotation] !== undefined || annotations[tunnelMacAnnotation] !== undefined;
}

/** False if Calico stores its nodes in its own etcd: then there are no annotations. */
export function usesAnnotations(cluster: ClusterModel | undefined): boolean {
  return cluster ? isAnnotated(cluster) : true;
}

const isAnnotated = oncePerCluster(cluster =>
  cluster.all('Node').some(node => hasTunnel(node) || calicoAddress(node) !== undefined),
);

/** A node's address as used by Calico, which may differ from the one that kubelet reports. */
function calicoAddress(node: KubeNode | undefined): string | undefined {
  return node?.metadata.annotations[addressAnnotation]?.split('/')[0];
}

/** The VNI that Felix uses, cluster-wide or for one node; default 4096. */
export function felixVni({cluster, object}: Pick<DetectionInput, 'cluster' | 'object'>): number {
  const vni = felixSetting(cluster, object?.metadata.name, 'vxlanVNI');
  return typeof vni === 'number' ? vni : 4096;
}

/**
 * The MAC address that Felix derives for a node without the annotation, such as every Linux node
 * (felix/calc/vxlan_resolver.go).
 */
export function derivedMac(node: string): string {
  return normalMac(`66${digest('sha1', node).slice(0, 10)}`);
}

/**
 * The other nodes' blocks: with VXLAN, Felix creates a remote subnet for each; with BGP, a route to each is learned.
 */
export function calicoPeers({cluster, object}: DetectionInput, variant: string | undefined): Peer[] | undefined {
  if (!cluster || !object || blocksOf(cluster, object.metadata.name) === undefined) return undefined;
  const overlay = variant === 'vxlan';
  const all = overlay ? overOverlay(cluster) : overHosts(cluster);
  const others = all.filter(({node}) => node !== object.metadata.name);
  if (!overlay) return others;
  const vni = felixVni({cluster, object});
  return others.map(peer => ({...peer, vni}));
}

const overOverlay = oncePerCluster(cluster => blocksOnNodes(cluster, true));
const overHosts = oncePerCluster(cluster => blocksOnNodes(cluster, false));

function blocksOnNodes(cluster: ClusterModel, overlay: boolean): Peer[] {
  const pools = ipPools(cluster);
  const tunnelled = (block: string) =>
    pools.length === 0 || pools.some(({cidr, vxlan}) => vxlan !== 'Never' && within(block, cidr));
  return cluster
    .all('Node')
    .filter(node => !overlay || hasTunnel(node))
    .flatMap(node =>
      (blocksOf(cluster, node.metadata.name) ?? [])
        .filter(block => !overlay || tunnelled(block))
        .map(block => ({
          node: node.metadata.name,
          windows: isWindows(node),
          prefix: block,
          address: calicoAddress(node),
          mac: overlay ? (tunnelMac(node) ?? derivedMac(node.metadata.name)) : undefined,
          vni: undefined,
        })),
    );
}
