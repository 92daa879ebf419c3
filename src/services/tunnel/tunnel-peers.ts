import type {NodeSubject} from '../../model/check.js';
import {chassisOf, linuxTunnelAdapter, tunnelAnnotation} from '../../plugins/annotated-tunnel.js';
import {contains, isIpv4} from '../../snapshot/addresses.js';
import {internalIp, isWindows, type KubeNode} from '../../snapshot/cluster.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {AdapterCandidate} from './adapter-candidates.js';
import type {ChoosableNode} from './choosable-node.js';

/** A node's end of its tunnels. */
export interface TunnelEnd {
  readonly address: string;
  readonly mtu: number | undefined;
}

/** Another node that this one has tunnels to. */
export interface TunnelPeer extends TunnelEnd {
  readonly node: string;
}

/** The inspected nodes, and the planned tunnel ends of those that will change. */
export interface TunnelFleet {
  readonly subjects: readonly NodeSubject[];
  readonly planned: ReadonlyMap<string, TunnelEnd>;
}

/** The other nodes whose tunnel address is known. */
export function peersOf(seen: ChoosableNode, {subjects, planned}: TunnelFleet): TunnelPeer[] {
  return seen.cluster
    .all('Node')
    .filter(({metadata}) => metadata.name !== seen.node.name)
    .flatMap(object => {
      const {name} = object.metadata;
      const inspected = subjects.find(({node}) => node.name === name);
      const end = planned.get(name) ?? (inspected && tunnelEnd(inspected.node)) ?? endAsTold(seen, object);
      return end ? [{node: name, ...end}] : [];
    });
}

/** The current tunnel address of a node, and the MTU of its adapter. */
export function tunnelEnd(node: NodeModel): TunnelEnd | undefined {
  const address = encapAddress(node);
  if (address === undefined) return undefined;
  const adapter = node.netIPAddresses?.find(({ip}) => ip === address)?.adapter;
  const mtu =
    node.netIPInterfaces?.find(its => its.adapter === adapter && its.family === 'IPv4')?.mtu ??
    node.netAdapters?.find(({name}) => name === adapter)?.mtu;
  return {address, mtu};
}

/** `ovn-encap-ip`: the address that ovn-controller advertises to the other nodes. */
export function encapAddress({ovs}: NodeModel): string | undefined {
  return ovs?.externalIds['ovn-encap-ip']
    ?.split(',')
    .map(ip => ip.trim())
    .find(isIpv4);
}

/** For a node that was not inspected: its address in this node's tunnels, else its node address. Without a chassis it has no tunnels. */
function endAsTold({node, cluster}: ChoosableNode, object: KubeNode): TunnelEnd | undefined {
  const chassis = chassisOf(object);
  if (chassis === undefined) return undefined;
  const told = node.ovs?.bridges
    .flatMap(({ports}) => ports)
    .find(({externalIds}) => externalIds['ovn-chassis-id']?.split('@')[0] === chassis)?.interfaces[0]
    ?.options.remote_ip;
  const usesNodeAddress =
    !object.metadata.annotations[tunnelAnnotation] && (isWindows(object) || !linuxTunnelAdapter(cluster));
  const address = told ?? (usesNodeAddress ? internalIp(object) : undefined);
  return isIpv4(address) && address !== undefined ? {address, mtu: undefined} : undefined;
}

/** Peers without a route on this adapter. Routes of other adapters do not count: Windows sends from the adapter of the address. */
export function unreachablePeers(
  {node}: ChoosableNode,
  {holder}: AdapterCandidate,
  peers: readonly TunnelPeer[],
): TunnelPeer[] {
  const routes = node.netRoutes.filter(({adapter, persistent}) => adapter === holder && !persistent);
  return peers.filter(({address}) => !routes.some(({prefix}) => contains(prefix, address)));
}
