import {names} from '../../lib/names.js';
import {type Check, check} from '../../model/check.js';
import type {Peer} from '../../model/plugin.js';
import {cleanup} from '../../model/remedies.js';
import {type Evidence, fail, skipped, unknown} from '../../model/verdict.js';
import {sameCidr} from '../../snapshot/addresses.js';
import type {Network, RemoteRoute} from '../../snapshot/hns.js';
import {podNetwork} from '../networks.js';

const noNetwork = ['hns/network-present', 'hns/responds', 'hns/service'];

export const remoteChecks: readonly Check[] = [
  check({
    id: 'tunnel/vtep-mac',
    title: 'Peers send to the MAC address of the tunnel',
    failure: 'Peers send to a wrong MAC address',
    severity: 'error',
    repair: {level: 'soft', effect: 'none', restarts: 'agent'},
    plugins: 'Flannel, Calico, hybrid overlay',
    needs: ['nodeObject', 'hnsNetworks'],
    settles: true,
    consequenceOf: [...noNetwork, 'cni/agent-pod'],
    appliesTo: ({plugin}) => plugin.profile.tunnelMac !== undefined,
    run({node, plugin}) {
      const told = plugin.profile.tunnelMac;
      const network = podNetwork(node, plugin.profile.network);
      if (!told || !network) return skipped(`HNS network ${plugin.profile.network?.name} does not exist.`);
      if (network.drMac === undefined) return unknown(`HNS network ${network.name} does not tell its DrMacAddress.`);
      if (told.value === network.drMac) return undefined;
      return fail(
        told.value === undefined
          ? `Node ${node.name} has not published the MAC of its tunnel (${network.drMac}), so they leave it out of the overlay.`
          : `Other nodes send to MAC ${told.value}, but the tunnel of ${node.name} has ${network.drMac}, so it drops what they send.`,
      )
        .because(
          {
            section: 'cluster',
            object: `Node ${node.name}`,
            field: told.annotation,
            seen: told.value ?? null,
            expected: network.drMac,
          },
          {section: 'hnsNetworks', object: network.name, field: 'DrMacAddress', seen: network.drMac},
        )
        .fixedBy(cleanup(node));
    },
    explain: {
      meaning:
        'Packets through the overlay are addressed to a MAC of the node, which HNS makes up with the network. The node tells it to the others in an annotation. The two differ, or the annotation is missing: packets from other nodes are dropped on arrival.',
      why: 'A network that is recreated, as after a reboot, gets a new MAC, and the agent has to write it into the annotation again. When the agent stops half-way or cannot reach the API server, the old value stays.',
      see: [
        'Get-HnsNetwork | Select-Object Name, DrMacAddress',
        'kubectl get node NODE -o yaml (annotations flannel.alpha.coreos.com/backend-data, projectcalico.org/VXLANTunnelMACAddr, k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac)',
      ],
      fix: ['Restart the agent on this node; it rewrites the annotation.', 'Check its log if the value stays wrong.'],
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
      const faults = peers.map(peer => ({peer, evidence: faultOf(peer, network)})).filter(({evidence}) => evidence);
      const wrong = faults.map(({peer}) => peer);
      const addresses = cluster.all('Node').flatMap(({status}) => status?.addresses.map(({address}) => address) ?? []);
      const stale = network.remoteRoutes.filter(
        ({prefix, provider}) =>
          provider !== undefined &&
          ![...addresses, ...peers.map(({address}) => address)].includes(provider) &&
          !peers.some(peer => sameCidr(peer.prefix, prefix)),
      );
      return [
        ...(wrong.length > 0
          ? [
              fail(
                `HNS network ${network.name} has no right way to the pods of ${names(wrong.map(peer => peer.node))}: what is sent there is lost.`,
              )
                .because(...faults.flatMap(({evidence}) => evidence ?? []))
                .fixedBy(cleanup(node)),
            ]
          : []),
        ...(stale.length > 0
          ? [
              fail(
                `HNS network ${network.name} still sends ${names(stale.map(({prefix}) => prefix))} to ${names(stale.map(({provider}) => provider ?? ''))}, which no node has any more.`,
              )
                .as('warning')
                .because(...stale.map(route => routeEvidence(network, route, 'no route')))
                .fixedBy(cleanup(node)),
            ]
          : []),
      ];
    },
    explain: {
      meaning:
        'For every other node the overlay network holds one remote subnet route: which subnet, at which address, with which MAC and VNI. One is missing or wrong, so pods here cannot reach the pods there.',
      why: 'The agent adds and removes these routes as nodes come and go. It misses one when it was down or hung at the time, when HNS refused the call, or when the other node changed its address or its MAC and this agent did not hear of it.',
      see: [
        '(Get-HnsNetwork | Where-Object Name -eq NETWORK).Policies | Where-Object Type -eq RemoteSubnetRoute',
        'kubectl get nodes -o custom-columns=NAME:.metadata.name,CIDR:.spec.podCIDR,IP:.status.addresses[0].address',
      ],
      fix: [
        'Restart the agent on this node; it reads all nodes and sets every route again.',
        'If one node stays missing, check its annotations: a node that has not published its MAC is left out.',
      ],
      sources: [
        'https://github.com/flannel-io/flannel/issues/1394',
        'https://github.com/projectcalico/calico/blob/master/felix/dataplane/windows/vxlan_mgr.go',
      ],
    },
  }),
];

/** Why the route to a peer is not right; undefined where it is. */
function faultOf(peer: Peer, network: Network): Evidence | undefined {
  const expected = {provider: peer.address, mac: peer.mac, vni: peer.vni};
  const routes = network.remoteRoutes.filter(({prefix}) => sameCidr(prefix, peer.prefix));
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
