import {isVirtual, nicUnder, nodeAddressHolder} from '../../checks/net/adapters.js';
import {uplinkOf} from '../../checks/uplink.js';
import {addressesOf, addressHolder, isUsable} from '../../plugins/annotated-tunnel.js';
import {isIpv4, isLinkLocal, sameCidr} from '../../snapshot/addresses.js';
import {type Endpoint, same} from '../../snapshot/hns.js';
import type {Adapter, Address} from '../../snapshot/sections.js';
import type {ChoosableNode} from './choosable-node.js';

/** An adapter that a tunnel could use. */
export interface AdapterCandidate {
  readonly name: string;
  readonly description: string | undefined;
  readonly status: string | undefined;
  readonly mac: string | undefined;
  readonly speed: string | undefined;
  readonly mtu: number | undefined;
  /** The adapter that has its addresses and routes: itself, or the bridge that replaced it. */
  readonly holder: string;
  /** IPv4 addresses, in the order in which Windows lists them. */
  readonly addresses: readonly Address[];
  /** The address that kube-ovn would use. */
  readonly tunnelAddress: string | undefined;
  readonly usedFor: readonly string[];
  /** A NIC or a team of NICs, on which a network can be created. */
  readonly physical: boolean;
  /** Why it cannot carry tunnels, independent of the other nodes. */
  readonly unsuitable: string | undefined;
}

/** All adapters of a node; those that can carry tunnels come first. */
export function candidatesOf(seen: ChoosableNode): AdapterCandidate[] {
  const all = seen.node.netAdapters.map(adapter => candidate(seen, adapter));
  const rank = ({unsuitable, physical}: AdapterCandidate) => (unsuitable === undefined ? 0 : physical ? 1 : 2);
  return all.sort((one, other) => rank(one) - rank(other));
}

function candidate(seen: ChoosableNode, adapter: Adapter): AdapterCandidate {
  const {node} = seen;
  const holder = addressHolder(node, adapter.name);
  const addresses = addressesOf(node, adapter.name).filter(({ip}) => isIpv4(ip));
  const mtu = node.netIPInterfaces?.find(its => its.adapter === holder && its.family === 'IPv4')?.mtu;
  const {name, description, status, mac, speed} = adapter;
  return {
    ...{name, description, status, mac, speed, holder, addresses},
    mtu: mtu ?? adapter.mtu,
    tunnelAddress: addresses.find(isTakeable)?.ip,
    usedFor: usedFor(seen, adapter, holder),
    physical: !isVirtual(adapter),
    unsuitable: virtual(seen, adapter) ?? notUp(adapter) ?? withoutAddress(seen, adapter, addresses),
  };
}

/** Windows does not use an address that is a duplicate, or that is still tentative. */
function isTakeable(address: Address): boolean {
  return isUsable(address) && (address.state === undefined || same(address.state, 'Preferred'));
}

function usedFor(seen: ChoosableNode, adapter: Adapter, holder: string): string[] {
  const {node, object} = seen;
  const ofNode = nodeAddressHolder(node, object);
  const endpoint = endpointOf(seen, adapter);
  if (endpoint) return [podOf(seen, endpoint) ?? 'a pod'];
  return [
    ...(ofNode && same(ofNode.adapter, holder) ? ['node address'] : []),
    ...(node.hnsNetworks ?? [])
      .filter(network => same(uplinkOf(node, network) ?? '', adapter.name))
      .map(({name}) => `HNS network ${name}`),
    ...(node.netRoutes.some(route => route.adapter === holder && sameCidr(route.prefix, '0.0.0.0/0'))
      ? ['default route']
      : []),
  ];
}

function virtual(seen: ChoosableNode, adapter: Adapter): string | undefined {
  if (!isVirtual(adapter)) return undefined;
  const {node, plugin} = seen;
  const {bridges, ovs} = plugin.profile;
  if ([...bridges, ovs?.gateway.port ?? ''].some(name => same(name, adapter.name))) {
    const nic = nicUnder(node, adapter);
    return `managed by ${plugin.title}${nic ? `; the NIC under it is ${nic.name}` : ''}`;
  }
  const endpoint = endpointOf(seen, adapter);
  if (endpoint) return `it belongs to ${podOf(seen, endpoint) ?? 'a pod'}`;
  return 'it is a virtual adapter of a switch, which cannot carry a network';
}

function endpointOf({node}: ChoosableNode, adapter: Adapter): Endpoint | undefined {
  if (!isVirtual(adapter)) return undefined;
  return node.hnsEndpoints?.find(({name, remote}) => !remote && same(`vEthernet (${name})`, adapter.name));
}

/** Kube-OVN records the pod of an OVS port in its external ids. */
function podOf({node}: ChoosableNode, {name}: Endpoint): string | undefined {
  const port = node.ovs?.bridges.flatMap(({ports}) => ports).find(its => same(its.name, name));
  const ids = port?.interfaces[0]?.externalIds;
  return ids?.pod_name === undefined ? undefined : `pod ${ids.pod_namespace}/${ids.pod_name}`;
}

function notUp({status}: Adapter): string | undefined {
  if (status === undefined) return 'Windows does not report whether it is up';
  return same(status, 'Up') ? undefined : `it is ${status.toLowerCase()}`;
}

function withoutAddress({node}: ChoosableNode, adapter: Adapter, addresses: readonly Address[]): string | undefined {
  if (addresses.some(isTakeable)) return undefined;
  const [first] = addresses;
  if (!first) {
    const inPlace = node.netAdapters.find(other => isVirtual(other) && nicUnder(node, other)?.name === adapter.name);
    return `it has no IPv4 address${inPlace ? `: a switch is on it, and its addresses are on ${inPlace.name}` : ''}`;
  }
  if (isLinkLocal(first.ip)) return `its address ${first.ip} is an automatic private address (APIPA)`;
  if (first.prefixLength === 32) return `its address ${first.ip} is a /32, which kube-ovn ignores`;
  return `its address ${first.ip} is ${first.state?.toLowerCase()}`;
}
