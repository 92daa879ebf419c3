import {names} from '../../lib/names.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import type {Peer} from '../../model/plugin.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {fail, info, unknown, type Verdict} from '../../model/verdict.js';
import {byNetwork, contains, networkPrefix, sameCidr, within} from '../../snapshot/addresses.js';
import {nodeAddresses} from '../../snapshot/cluster.js';
import type {Route} from '../../snapshot/sections.js';
import {podRanges} from '../cluster-network.js';

export const peerRouteChecks: readonly Check[] = [
  check({
    id: 'net/peer-routes',
    title: 'Routes to the pods of all other nodes exist',
    failure: 'Route to the pods of another node is missing',
    severity: 'error',
    repair: {level: 'soft', effect: 'blip', restarts: 'agent'},
    plugins: 'Flannel host-gw, win-bridge, wincni, Calico BGP',
    needs: ['nodeObject', 'netRoutes'],
    // flanneld adds its routes a minute or two after a boot.
    settles: true,
    consequenceOf: ['hns/network-present', 'hns/host-endpoint', 'cni/agent-pod', 'net/node-ip-owner', 'net/apipa'],
    appliesTo: ({plugin}) => plugin.profile.routes !== undefined,
    run(subject) {
      const {node, plugin} = subject;
      const peers = plugin.profile.peers;
      if (peers === undefined)
        return plugin.profile.routes === 'person'
          ? info('The cloud provides the routes to the pods of the other nodes (node condition RouteCreated).')
          : unknown('The subnets of the other nodes were not read.');
      const active = node.netRoutes.filter(({persistent}) => !persistent);
      return [lost(subject, peers, active), stale(subject, peers, active)].filter(verdict => verdict !== undefined);
    },
    explain: {
      meaning:
        'Without an overlay, each node needs a route to the pod subnet of every other node, through that node. A route is missing or wrong, so pods on this node cannot reach pods on the other node.',
      why: 'Flannel adds these routes after its own endpoint is attached; if flanneld hangs before that, it adds none. With win-bridge and wincni, a script or an administrator adds them; they are missing after a reboot or for a new node unless they are persistent. With BGP, the neighbour may be down.',
      see: [
        'Get-NetRoute -AddressFamily IPv4 | Select-Object DestinationPrefix, NextHop, InterfaceAlias',
        'kubectl get nodes -o custom-columns=NAME:.metadata.name,CIDR:.spec.podCIDR,IP:.status.addresses[0].address',
      ],
      fix: [
        'Flannel, Calico: restart the agent on this node.',
        "win-bridge, wincni: New-NetRoute -DestinationPrefix POD-CIDR -NextHop NODE-ADDRESS -InterfaceAlias 'vEthernet (NIC)'",
        'Remove a route to a node that no longer exists: Remove-NetRoute -DestinationPrefix POD-CIDR -NextHop ADDRESS',
      ],
      sources: [
        'https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md#host-gw',
        'https://github.com/flannel-io/flannel/issues/1391',
      ],
    },
  }),
];

function lost({node, plugin}: NodeSubject, peers: readonly Peer[], routes: readonly Route[]): Verdict | undefined {
  const maker = plugin.profile.routes;
  const onLink = routes.filter(isOnLink);
  const needed = maker === 'person' ? peers.filter(peer => isNear(peer, onLink)) : peers;
  const byPrefix = byNetwork(routes, ({prefix}) => prefix);
  const to = ({prefix}: Pick<Peer, 'prefix'>) => byPrefix.get(networkPrefix(prefix) ?? '') ?? [];
  const learned = maker === 'bgp';
  // A learned route may cover several blocks, so all routes are searched.
  const wrong = needed.filter(
    peer =>
      !to(peer).some(route => leadsTo(route, peer, learned)) &&
      !(learned && routes.some(route => leadsTo(route, peer, learned))),
  );
  if (wrong.length === 0) return undefined;
  return fail(
    `${node.name} has no route to the pods of ${names(wrong.map(peer => peer.node))} (${names(wrong.map(({prefix}) => prefix))}).`,
  )
    .because(
      ...wrong.map(({prefix, address}) => ({
        section: 'netRoutes',
        object: prefix,
        field: 'NextHop',
        seen: to({prefix}).map(({nextHop}) => nextHop),
        expected: address,
      })),
    )
    .fixedBy(cleanupRemedy(node));
}

/** Whether a peer is on a network of this node. A router leads to others and also routes to their pods. */
export function isNear({address}: Peer, routes: readonly Route[]): boolean {
  return routes.some(route => isOnLink(route) && contains(route.prefix, address));
}

const isOnLink = ({nextHop}: Route) => nextHop === '0.0.0.0';

/** A route learned by BGP may go through a router and cover several blocks; other routes go to the node itself. */
export function leadsTo({prefix, nextHop}: Route, peer: Peer, learned: boolean): boolean {
  if (learned) return within(peer.prefix, prefix) && !sameCidr(prefix, '0.0.0.0/0');
  return sameCidr(prefix, peer.prefix) && (peer.address === undefined || nextHop === peer.address);
}

/** Routes to pods through an address that no node has. */
function stale(
  {node, plugin, cluster}: NodeSubject,
  peers: readonly Peer[],
  routes: readonly Route[],
): Verdict | undefined {
  // With BGP, the next hop may be a router.
  if (plugin.profile.routes === 'bgp') return undefined;
  const ranges = podRanges(cluster);
  const ofPeers = new Set(peers.map(({address}) => address));
  const isKnown = (address: string) => (cluster && nodeAddresses(cluster).has(address)) || ofPeers.has(address);
  const gone = routes.filter(
    ({prefix, nextHop}) =>
      nextHop !== undefined &&
      nextHop !== '0.0.0.0' &&
      !isKnown(nextHop) &&
      ranges.some(range => within(prefix, range) && !sameCidr(prefix, range)),
  );
  if (gone.length === 0) return undefined;
  return fail(
    `${node.name} still has routes to pods through ${names(gone.map(({nextHop}) => nextHop ?? ''))}, which is no longer the address of a node: ${names(gone.map(({prefix}) => prefix))}.`,
  )
    .because(
      ...gone.map(({prefix, nextHop}) => ({
        section: 'netRoutes',
        object: prefix,
        field: 'NextHop',
        seen: nextHop,
        expected: 'the address of a node, or no route',
      })),
    )
    .fixedBy(cleanupRemedy(node));
}
