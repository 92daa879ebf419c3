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

/** Warnings to show before an adapter is written to the annotation. */
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

/** kube-ovn uses a name without an exact match as a regular expression, and many names contain `Ethernet`. */
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
  return `${name} also has ${names(others.map(({ip}) => ip))}: kube-ovn uses the address that Windows lists first (now ${tunnelAddress}).`;
}

/** How a choice affects an existing network; undefined: there is none. */
export type Move =
  /** The network is on this adapter, and tunnels use its address. */
  | {readonly kind: 'none'}
  /** The network is on this adapter, but tunnels use another address until kube-ovn restarts. */
  | {readonly kind: 'address'; readonly from: string | undefined}
  /** The network is on another adapter and stays there. */
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
  if (!node.hnsNetworks) return `Could not determine whether HNS network ${network} already exists.`;
  const move = moveOf(seen, candidate);
  if (move?.kind === 'address') {
    return `Tunnels keep their old address until kube-ovn restarts, then they use the address of ${candidate.name}.`;
  }
  if (move?.kind !== 'uplink') return undefined;
  return `HNS network ${network} already exists on ${move.from ?? 'an undetermined adapter'}: when kube-ovn restarts, tunnels get the address of ${candidate.name}, but still use the old adapter.`;
}
