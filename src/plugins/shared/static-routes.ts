import type {Peer, PodNetwork, Profile, Sight} from '../../model/plugin.js';
import {internalIp, isWindows, oncePerCluster, podCidr} from '../../snapshot/cluster.js';

/** A node without an agent: a person or a script has made its network, and the routes to the others. */
export function routedProfile(sight: Sight, network: PodNetwork): Profile {
  return {
    network,
    agent: undefined,
    bridges: [],
    managementAdapter: undefined,
    tunnel: undefined,
    kubeProxy: 'needed',
    podSubnet: podCidr(sight.object),
    peers: routedPeers(sight),
    routes: 'person',
    outboundNat: {excepted: [], routesToNode: false},
  };
}

/**
 * The other nodes where nobody but an administrator, or the cloud, makes the routes to their pods.
 * Undefined where the cloud does: its route controller says so on the Node, and the node itself then needs none.
 */
function routedPeers({cluster, object}: Sight): Peer[] | undefined {
  if (!cluster || !object) return undefined;
  const unavailable = object.status?.conditions.find(({type}) => type === 'NetworkUnavailable');
  if (object.spec?.providerID && unavailable?.reason === 'RouteCreated') return undefined;
  return nodesWithPods(cluster).filter(({node}) => node !== object.metadata.name);
}

const nodesWithPods = oncePerCluster(cluster =>
  cluster.all('Node').flatMap((node): Peer[] => {
    const prefix = podCidr(node);
    if (prefix === undefined) return [];
    return [
      {
        node: node.metadata.name,
        windows: isWindows(node),
        prefix,
        address: internalIp(node),
        mac: undefined,
        vni: undefined,
      },
    ];
  }),
);
