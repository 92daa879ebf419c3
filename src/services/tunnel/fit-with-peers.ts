import {names} from '../../lib/names.js';
import type {AdapterCandidate} from './adapter-candidates.js';
import type {ChoosableNode} from './choosable-node.js';
import {type TunnelPeer, tunnelEnd, unreachablePeers} from './tunnel-peers.js';

/** Whether an adapter fits the tunnels of the other nodes. */
export interface Fit {
  readonly refusal: string | undefined;
  readonly warnings: readonly string[];
}

export function fitOf(seen: ChoosableNode, candidate: AdapterCandidate, peers: readonly TunnelPeer[]): Fit {
  const reach = reachOf(seen, candidate, peers);
  const size = sizeOf(seen, candidate, peers);
  return {refusal: reach.refusal ?? size.refusal, warnings: [...reach.warnings, ...size.warnings]};
}

function reachOf(seen: ChoosableNode, candidate: AdapterCandidate, peers: readonly TunnelPeer[]): Fit {
  if (peers.length === 0) return warning('Routes were not checked: no tunnel address of another node is known.');
  const lost = unreachablePeers(seen, candidate, peers);
  if (lost.length === 0) return fits;
  const who = names(lost.map(({node, address}) => `${node} (${address})`));
  if (lost.length === peers.length) {
    return refusal(
      `${candidate.name} has no route to the tunnel address of any other node: ${who}; if all nodes move to another network, name them all in one command`,
    );
  }
  return warning(
    `${candidate.name} has no route to ${who}, so there will be no tunnels to ${lost.length === 1 ? 'it' : 'them'}.`,
  );
}

/** The adapter must accept packets as large as the other nodes send them. */
function sizeOf({node}: ChoosableNode, {name, mtu}: AdapterCandidate, peers: readonly TunnelPeer[]): Fit {
  if (mtu === undefined) return warning(`Windows does not report the MTU of ${name}.`);
  const known = peers.flatMap(peer => peer.mtu ?? []);
  const own = tunnelEnd(node)?.mtu;
  const ends = known.length > 0 || own === undefined ? known : [own];
  if (ends.length === 0) return fits;
  const most = Math.max(...ends);
  if (mtu < most) {
    return refusal(
      `its MTU is ${mtu}, but ${known.length > 0 ? 'other nodes send' : 'tunnels have'} packets of up to ${most} bytes`,
    );
  }
  const least = Math.min(...ends);
  if (mtu === least) return fits;
  return warning(
    `The MTU of ${name} is ${mtu}, but tunnels on other nodes support only ${least}: large packets would be lost.`,
  );
}

const fits: Fit = {refusal: undefined, warnings: []};
const refusal = (reason: string): Fit => ({refusal: reason, warnings: []});
const warning = (text: string): Fit => ({refusal: undefined, warnings: [text]});
