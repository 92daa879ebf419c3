import type {DetectionInput, Peer, PodNetwork, Profile} from '../../model/plugin.js';
import {internalIp, isWindows, oncePerCluster, podCidr} from '../../snapshot/cluster.js';

/** A node without an agent: an operator or a script creates its network and the routes to other nodes. */
export function routedProfile(input: DetectionInput, network: PodNetwork): Profile {
  return {
    network,
    agent: undefined,
    bridges: [],
    managementAdapter: undefined,
    tunnel: undefined,
    kubeProxy: 'needed',
    podSubnet: podCidr(input.object),
    peers: routedPeers(input),
    routes: 'person',
    outboundNat: {excepted: [], routesToNode: false},
  };
}

/**
 * The other nodes if an administrator has to create the routes to their pods. Undefined if the cloud creates them: its
 * route controller reports that on the Node object, and the node itself needs no routes.
 */
function routedPeers({cluster, object}: DetectionInput): Peer[] | undefined {
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
