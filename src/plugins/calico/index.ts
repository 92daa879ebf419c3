import {property, textProperty} from '../../lib/json-properties.js';
import type {Plugin, Profile, Recognition, Sight} from '../../model/plugin.js';
import {type ClusterModel, podCidr} from '../../snapshot/cluster.js';
import {cniConfs, confType} from '../../snapshot/cni-conf.js';
import {windowsDaemonSets} from '../../snapshot/daemon-sets.js';
import {nothingAcrossNodes} from '../shared/nothing-across-nodes.js';
import {calicoChecks} from './checks.js';
import {calicoFootprint} from './footprint.js';
import {calicoCleanup} from './plugin-cleanup.js';
import {networkNames, ownNetwork, recognise, services} from './recognise.js';
import {blocksOf, felixSetting, installation, specOf} from './resources.js';
import {calicoPeers, tunnelMac, tunnelMacAnnotation, usesAnnotations} from './tunnel-facts.js';
import {tunnelPorts} from './tunnel-ports.js';
import {calicoTunnelSetting} from './tunnel-setting.js';
import {seenVnis, vniRemedy} from './vnis.js';

/** Calico: by the operator, by manifest, as services, or started by RKE2 (calico node/windows-packaging). */
export const calico: Plugin = {
  name: 'calico',
  title: 'Calico',
  ownNetworks: networkNames,
  confType: /^calico$/,
  footprint: calicoFootprint,
  checks: calicoChecks,
  cleanup: calicoCleanup,
  preflight: async () => (await import('./preflight/index.js')).calicoPreflight,
  acrossNodes: {
    ...nothingAcrossNodes,
    tunnelPorts,
    packetSize,
    vnis: {seen: seenVnis, remedy: () => vniRemedy},
  },
  tunnelSetting: calicoTunnelSetting,

  recognise,

  profile(sight: Sight, {variant}: Recognition): Profile {
    const {cluster, object, node} = sight;
    const overlay = variant === 'vxlan';
    const blocks = blocksOf(cluster, node.name);
    return {
      network: {
        name: 'Calico',
        alsoNamed: networkNames,
        types: [overlay ? 'Overlay' : 'L2Bridge'],
        subnetFollows: 'restart of the agent',
      },
      agent: {
        name: 'calico-node',
        daemonSets: windowsDaemonSets(cluster, /^calico-node/i, calicoFootprint.namespaces.usual).map(({metadata}) => ({
          namespace: metadata.namespace ?? '',
          name: metadata.name,
        })),
        services,
        processes: ['calico-node'],
      },
      bridges: [],
      managementAdapter: undefined,
      tunnel: overlay ? {protocol: 'vxlan', port: 4789, overhead: 50} : undefined,
      kubeProxy: 'needed',
      podSubnet: usesHostLocal(sight) ? podCidr(object) : blocks?.length === 1 ? blocks[0] : undefined,
      peers: calicoPeers(sight, variant),
      ...(variant === 'bgp' && {routes: 'bgp' as const}),
      // Named after its network, of which there may be one a block.
      hostEndpoint: {name: `${ownNetwork(sight)?.name ?? 'Calico'}_ep`, attached: !overlay},
      ...(overlay &&
        usesAnnotations(cluster) && {tunnelMac: {annotation: tunnelMacAnnotation, value: tunnelMac(object)}}),
    };
  },
};

/** With host-local the node's pod CIDR is its subnet, not a block of Calico's. */
function usesHostLocal({cluster, node}: Sight): boolean {
  const conf = cniConfs(node).find(candidate => confType(candidate) === 'calico');
  const operator = property(property(specOf(installation(cluster)), 'cni'), 'ipam');
  return conf?.plugins[0]?.ipam === 'host-local' || textProperty(operator, 'type') === 'HostLocal';
}

/** What is set for Linux nodes. */
function packetSize(cluster: ClusterModel) {
  const bytes =
    felixSetting(cluster, undefined, 'vxlanMTU') ??
    property(property(specOf(installation(cluster)), 'calicoNetwork'), 'mtu');
  return typeof bytes === 'number' && bytes > 0 ? {bytes, setBy: 'Installation or FelixConfiguration'} : undefined;
}
