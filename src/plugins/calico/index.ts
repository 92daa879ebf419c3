import {property, textProperty} from '../../lib/json-properties.js';
import type {DetectionInput, Plugin, Profile, Recognition} from '../../model/plugin.js';
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

/**
 * Calico, installed by the operator, by manifest or as services, or started by RKE2 (calico node/windows-packaging).
 */
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

  profile(input: DetectionInput, {variant}: Recognition): Profile {
    const {cluster, object, node} = input;
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
      podSubnet: usesHostLocal(input) ? podCidr(object) : blocks?.length === 1 ? blocks[0] : undefined,
      peers: calicoPeers(input, variant),
      ...(variant === 'bgp' && {routes: 'bgp' as const}),
      // Named after its network; there may be one network per block.
      hostEndpoint: {name: `${ownNetwork(input)?.name ?? 'Calico'}_ep`, attached: !overlay},
      ...(overlay &&
        usesAnnotations(cluster) && {tunnelMac: {annotation: tunnelMacAnnotation, value: tunnelMac(object)}}),
    };
  },
};

/** With host-local, the subnet is the node's pod CIDR, not a Calico block. */
function usesHostLocal({cluster, node}: DetectionInput): boolean {
  const conf = cniConfs(node).find(candidate => confType(candidate) === 'calico');
  const operator = property(property(specOf(installation(cluster)), 'cni'), 'ipam');
  return conf?.plugins[0]?.ipam === 'host-local' || textProperty(operator, 'type') === 'HostLocal';
}

/** The MTU configured for Linux nodes. */
function packetSize(cluster: ClusterModel) {
  const bytes =
    felixSetting(cluster, undefined, 'vxlanMTU') ??
    property(property(specOf(installation(cluster)), 'calicoNetwork'), 'mtu');
  return typeof bytes === 'number' && bytes > 0 ? {bytes, setBy: 'Installation or FelixConfiguration'} : undefined;
}
