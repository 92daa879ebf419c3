import {names} from '../../lib/names.js';
import {type Check, check} from '../../model/check.js';
import type {Peer} from '../../model/plugin.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {type Evidence, fail, skipped, unknown} from '../../model/verdict.js';
import {byNetwork, networkPrefix} from '../../snapshot/addresses.js';
import {nodeAddresses} from '../../snapshot/cluster.js';
import type {Network, RemoteRoute} from '../../snapshot/hns.js';
import {podNetwork} from '../pod-network.js';

const noNetwork = ['hns/network-present', 'hns/responds', 'hns/service'];

export const remoteChecks: readonly Check[] = [
  check({
    id: 'tunnel/vtep-mac',
    title: 'Published MAC address matches the tunnel',
    failure: 'Published MAC address does not match the tunnel',
    severity: 'error',
    repair: {level: 'soft', effect: 'none', restarts: 'agent'},
    plugins: 'Flannel, Calico, hybrid overlay',
    needs: ['nodeObject', 'hnsNetworks'],
    settles: true,
    consequenceOf: [...noNetwork, 'cni/agent-pod'],
    appliesTo: ({plugin}) => plugin.profile.tunnelMac !== undefined,
    run({node, plugin}) {
      const published = plugin.profile.tunnelMac;
      const network = podNetwork(node, plugin.profile.network);
      if (!published || !network) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      if (network.drMac === undefined) return unknown(`HNS network ${network.name} has no DrMacAddress.`);
      if (published.value === network.drMac) return undefined;
      return fail(
        published.value === undefined
          ? `Node ${node.name} has not published the MAC address of its tunnel (${network.drMac}), so the other nodes ignore it.`
          : `Other nodes send to MAC address ${published.value}, but the tunnel of ${node.name} has ${network.drMac}, so it drops their packets.`,
      )
        .because(
          {
            section: 'cluster',
            object: `Node ${node.name}`,
            field: published.annotation,
            seen: published.value ?? null,
            expected: network.drMac,
          },
          {section: 'hnsNetworks', object: network.name, field: 'DrMacAddress', seen: network.drMac},
        )
        .fixedBy(cleanupRemedy(node));
    },
    explain: {
      meaning:
        'Overlay packets are addressed to a MAC address of the node, which HNS generates with the network. An annotation publishes it to the other nodes. The two differ, or the annotation is missing: packets from other nodes are dropped.',
      why: 'A recreated network, for example after a reboot, gets a new MAC address, and the agent must update the annotation. If the agent stops before that or cannot reach the API server, the old value remains.',
      see: [
        'Get-HnsNetwork | Select-Object Name, DrMacAddress',
        'kubectl get node NODE -o yaml (annotations flannel.alpha.coreos.com/backend-data, projectcalico.org/VXLANTunnelMACAddr, k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac)',
      ],
      fix: ['Restart the agent on this node; it updates the annotation.', 'Check its log if the value stays wrong.'],
      sources: [
        'https://github.com/flannel-io/flannel/issues/1280',
        'https://github.com/projectcalico/calico/issues/9086',
        'https://github.com/ovn-kubernetes/ovn-kubernetes/blob/master/go-controller/hybrid-overlay/pkg/controller/ho_node_windows.go',
      ],
    },
  }),

  check({
    id: 'tunnel/remote-routes',
    title: 'Overlay has routes to all other nodes',
    failure: 'Overlay has no route to another node',
    severity: 'error',
    repair: {level: 'soft', effect: 'none', restarts: 'agent'},
    plugins: 'Flannel, Calico, hybrid overlay',
    needs: ['nodeObject', 'hnsNetworks'],
    settles: true,
    consequenceOf: [...noNetwork, 'cni/agent-pod', 'tunnel/vni'],
    appliesTo: ({plugin}) => plugin.profile.tunnel?.protocol === 'vxlan' && plugin.profile.tunnelMac !== undefined,
    run({node, plugin, cluster}) {
      const network = podNetwork(node, plugin.profile.network);
      if (!network)
        return skipped(`HNS network ${plugin.profile.network?.name} does not exist, so there are no routes.`);
      const peers = plugin.profile.peers;
      if (peers === undefined) return unknown('The subnets of the other nodes were not read.');
      const byPrefix = byNetwork(network.remoteRoutes, ({prefix}) => prefix);
      const faults = peers
        .map(peer => ({peer, evidence: faultOf(peer, network, byPrefix.get(networkPrefix(peer.prefix) ?? '') ?? [])}))
        .filter(({evidence}) => evidence);
      const wrong = faults.map(({peer}) => peer);
      const addresses = nodeAddresses(cluster);
      const ofPeers = new Set(peers.map(({address}) => address));
      const prefixes = byNetwork(peers, ({prefix}) => prefix);
      const stale = network.remoteRoutes.filter(
        ({prefix, provider}) =>
          provider !== undefined &&
          !addresses.has(provider) &&
          !ofPeers.has(provider) &&
          !prefixes.has(networkPrefix(prefix) ?? ''),
      );
      return [
        ...(wrong.length > 0
          ? [
              fail(
                `HNS network ${network.name} has no correct route to the pods of ${names(wrong.map(peer => peer.node))}: packets to them are lost.`,
              )
                .because(...faults.flatMap(({evidence}) => evidence ?? []))
                .fixedBy(cleanupRemedy(node)),
            ]
          : []),
        ...(stale.length > 0
          ? [
              fail(
                `HNS network ${network.name} still sends ${names(stale.map(({prefix}) => prefix))} to ${names(stale.map(({provider}) => provider ?? ''))}, which is no longer the address of a node.`,
              )
                .as('warning')
                .because(...stale.map(route => routeEvidence(network, route, 'no route')))
                .fixedBy(cleanupRemedy(node)),
            ]
          : []),
      ];
    },
    explain: {
      meaning:
        'The overlay network has one remote subnet route for every other node, with its subnet, address, MAC address and VNI. A route is missing or wrong, so pods on this node cannot reach pods on the other node.',
      why: 'The agent adds and removes these routes when nodes join and leave. It misses one if it was down or hung, if HNS rejected the call, or if the address or the MAC address of the other node changed and the agent missed the change.',
      see: [
        '(Get-HnsNetwork | Where-Object Name -eq NETWORK).Policies | Where-Object Type -eq RemoteSubnetRoute',
        'kubectl get nodes -o custom-columns=NAME:.metadata.name,CIDR:.spec.podCIDR,IP:.status.addresses[0].address',
      ],
      fix: [
        'Restart the agent on this node; it reads all nodes and sets every route.',
        'If the route to a node is still missing, check the annotations of that node: agents skip nodes without a MAC address.',
      ],
      sources: [
        'https://github.com/flannel-io/flannel/issues/1394',
        'https://github.com/projectcalico/calico/blob/master/felix/dataplane/windows/vxlan_mgr.go',
      ],
    },
  }),
];

/** What is wrong with the route to a peer; undefined: it is correct. */
function faultOf(peer: Peer, network: Network, routes: readonly RemoteRoute[]): Evidence | undefined {
  const expected = {provider: peer.address, mac: peer.mac, vni: peer.vni};
  if (routes.some(route => isRight(route, peer))) return undefined;
  const [route] = routes;
  if (route) return routeEvidence(network, route, expected);
  return {
    section: 'hnsNetworks',
    object: network.name,
    field: `RemoteSubnetRoute ${peer.prefix} (${peer.node})`,
    seen: null,
    expected,
  };
}

function isRight(route: RemoteRoute, peer: Peer): boolean {
  return (
    (peer.address === undefined || route.provider === peer.address) &&
    (peer.mac === undefined || route.mac === peer.mac) &&
    (peer.vni === undefined || route.vni === undefined || route.vni === peer.vni)
  );
}

function routeEvidence(network: Network, {prefix, provider, mac, vni}: RemoteRoute, expected: unknown): Evidence {
  return {
    section: 'hnsNetworks',
    object: network.name,
    field: `RemoteSubnetRoute ${prefix}`,
    seen: {provider, mac, vni},
    expected,
  };
}
