import coerce from 'semver/functions/coerce.js';
import gte from 'semver/functions/gte.js';
import {podNetwork} from '../../checks/pod-network.js';
import {uplinkOf} from '../../checks/uplink.js';
import {names} from '../../lib/names.js';
import {addressesOf, asIfRenamed, isUsable} from '../../plugins/annotated-tunnel.js';
import {isLinkLocal} from '../../snapshot/addresses.js';
import {same} from '../../snapshot/hns.js';
import type {AdapterCandidate} from './adapter-candidates.js';
import type {ChoosableNode} from './choosable-node.js';
import {encapAddress} from './tunnel-peers.js';

/** What a person should know before an adapter is written down. */
export function tunnelWarnings(seen: ChoosableNode, candidate: AdapterCandidate): string[] {
  return [
    withoutWindows(seen),
    alsoFits(seen, candidate),
    otherAddresses(seen, candidate),
    effect(seen, candidate),
  ].filter(text => text !== undefined);
}

function withoutWindows({plugin}: ChoosableNode): string | undefined {
  const version = coerce(plugin.version);
  if (version === null || !gte(version, '1.15.0')) return undefined;
  return `Kube-OVN ${plugin.version} does not support Windows: 1.14 is the last version that does.`;
}

/** A name without an exact match is taken as a regular expression, and `Ethernet` is in many names. */
function alsoFits({node}: ChoosableNode, {name}: AdapterCandidate): string | undefined {
  const others = asIfRenamed(name, node).adapters.filter(other => other !== name);
  if (others.length === 0) return undefined;
  return `If ${name} is renamed or missing when kube-ovn starts, the name is used as a pattern, which also matches ${names(others)}.`;
}

function otherAddresses({node}: ChoosableNode, {name, tunnelAddress}: AdapterCandidate): string | undefined {
  const others = addressesOf(node, name).filter(
    address =>
      address.ip !== tunnelAddress && (isUsable(address) || (address.ip.includes(':') && !isLinkLocal(address.ip))),
  );
  if (others.length === 0) return undefined;
  return `${name} also has ${names(others.map(({ip}) => ip))}: kube-ovn uses the address that Windows lists first, now ${tunnelAddress}.`;
}

/** How a choice changes a network that already exists; undefined: there is none. */
export type Move =
  /** The network sits on this adapter, and tunnels start from its address. */
  | {readonly kind: 'none'}
  /** The network sits on this adapter, but tunnels start from another address until kube-ovn starts again. */
  | {readonly kind: 'address'; readonly from: string | undefined}
  /** The network sits on another adapter and stays there. */
  | {readonly kind: 'uplink'; readonly from: string | undefined};

export function moveOf({node, plugin}: ChoosableNode, {name, tunnelAddress}: AdapterCandidate): Move | undefined {
  const network = podNetwork(node, plugin.profile.network);
  if (!network) return undefined;
  const uplink = uplinkOf(node, network);
  if (uplink === undefined || !same(uplink, name)) return {kind: 'uplink', from: uplink};
  const encap = encapAddress(node);
  return encap === tunnelAddress ? {kind: 'none'} : {kind: 'address', from: encap};
}

function effect(seen: ChoosableNode, candidate: AdapterCandidate): string | undefined {
  const {node, plugin} = seen;
  const network = plugin.profile.network?.name;
  if (!node.hnsNetworks) return `Whether HNS network ${network} exists already could not be determined.`;
  const move = moveOf(seen, candidate);
  if (move?.kind === 'address') {
    return `Tunnels keep their old address until kube-ovn restarts, then they use the address of ${candidate.name}.`;
  }
  if (move?.kind !== 'uplink') return undefined;
  return `HNS network ${network} exists already, on ${move.from ?? 'an adapter that could not be determined'}: when kube-ovn restarts, tunnels get the address of ${candidate.name}, but still use the old adapter.`;
}
