import type {DetectionInput, Plugin, Profile, Recognition} from '../../model/plugin.js';
import {cniConfs} from '../../snapshot/cni-conf.js';
import {isType} from '../../snapshot/hns.js';
import {imageVersion} from '../../snapshot/image-version.js';
import {ofPlugin} from '../../snapshot/plugin-objects.js';
import {nodeAddressTunnel} from '../shared/node-address-tunnel.js';
import {nothingAcrossNodes} from '../shared/nothing-across-nodes.js';
import {ovnKubernetesChecks} from './checks.js';
import {ovnKubernetesFootprint} from './footprint.js';
import {gatewayMac, hybridConfig, hybridPeers, hybridPort, hybridSubnet, routerMacAnnotation} from './hybrid.js';
import {logicalPortChecks} from './logical-ports.js';
import {ovnKubernetesCleanup} from './plugin-cleanup.js';
import {tunnelPorts} from './tunnel-ports.js';

const networkName = 'OVNKubernetesHybridOverlayNetwork';
const networkNames = /^(Base)?(OVNKubernetesHybridOverlay|OpenShift)Network$/i;
const transparentAdapter = 'HNSTransparent';
const wmcoVersion = 'windowsmachineconfig.openshift.io/version';

/**
 * OVN-Kubernetes: the current hybrid overlay, also on OpenShift with WMCO, and OVN on Windows as it existed until 2020.
 */
export const ovnKubernetes: Plugin = {
  name: 'ovn-kubernetes',
  title: 'OVN-Kubernetes',
  ownNetworks: networkNames,
  confType: /^(win-overlay|ovn-k8s-cni-overlay)(\.exe)?$/,
  footprint: ovnKubernetesFootprint,
  checks: [...ovnKubernetesChecks, ...logicalPortChecks],
  cleanup: ovnKubernetesCleanup,
  preflight: async () => (await import('./preflight/index.js')).ovnKubernetesPreflight,
  acrossNodes: {...nothingAcrossNodes, tunnelPorts},
  tunnelSetting: nodeAddressTunnel([
    'Tunnels use the node address, which kubelet reports and --node-ip sets.',
    'On OpenShift, the Windows Machine Config Operator sets it to the address of the machine or the one in ConfigMap windows-instances.',
  ]),

  recognise(input: DetectionInput): Recognition | undefined {
    const {cluster, object, node} = input;
    const meant: string[] = [];
    const found: string[] = [];
    if (hybridSubnet(object) !== undefined) meant.push('annotation k8s.ovn.org/hybrid-overlay-node-subnet');
    if (object?.metadata.annotations[wmcoVersion] !== undefined) meant.push(`annotation ${wmcoVersion}`);
    if (hybridConfig(input) !== undefined) meant.push('Network cluster with hybridOverlayConfig');
    const agents = ofPlugin(
      (cluster?.all('DaemonSet') ?? []).filter(({metadata}) => metadata.name === 'ovnkube-node'),
    )[0];
    if (agents) meant.push(`DaemonSet ${agents.metadata.namespace}/ovnkube-node`);
    if (object?.metadata.annotations.ovn_host_subnet !== undefined) meant.push('annotation ovn_host_subnet');
    for (const {name} of node.hnsNetworks ?? []) if (networkNames.test(name)) found.push(`HNS network ${name}`);
    for (const {name} of node.services ?? [])
      if (/^(hybrid-overlay-node|ovn-kubernetes-node|ovn-k8s)$/i.test(name)) found.push(`service ${name}`);
    for (const conf of cniConfs(node))
      if (networkNames.test(conf.name ?? '')) found.push(`CNI configuration ${conf.path}`);
    if (isLegacy(input) && legacyNetwork(input)) found.push('HNS network external');
    if (meant.length + found.length === 0) return undefined;
    return {
      variant: isLegacy(input) ? 'legacy' : 'hybrid-overlay',
      version:
        imageVersion(agents?.spec.template.spec.containers[0]?.image) ?? object?.metadata.annotations[wmcoVersion],
      meant,
      found,
    };
  },

  profile(input: DetectionInput, {variant}: Recognition): Profile {
    return variant === 'legacy' ? legacyProfile(input) : hybridProfile(input);
  },
};

function hybridProfile(input: DetectionInput): Profile {
  const {object} = input;
  return {
    network: {
      name: networkName,
      alsoNamed: /^OpenShiftNetwork$/i,
      types: ['Overlay'],
      subnetFollows: 'restart of the agent',
    },
    agent: {
      name: 'hybrid-overlay-node',
      daemonSets: [],
      services: ['hybrid-overlay-node'],
      processes: ['hybrid-overlay-node'],
    },
    bridges: [],
    managementAdapter: undefined,
    tunnel: {protocol: 'vxlan', port: hybridPort(input) ?? 4789, overhead: 50},
    kubeProxy: 'needed',
    podSubnet: hybridSubnet(object),
    peers: hybridPeers(input),
    hostEndpoint: {name: 'VIPEndpoint', attached: true},
    tunnelMac: {annotation: routerMacAnnotation, value: gatewayMac(object)},
  };
}

function legacyProfile({object, node}: DetectionInput): Profile {
  const uplinkBridges = node.ovs?.bridges.map(({name}) => name).filter(isUplinkBridge) ?? [];
  return {
    network: {name: 'external', types: ['Transparent'], subnetFollows: 'restart of the agent'},
    agent: {
      name: 'ovn-kubernetes-node',
      daemonSets: [],
      // ovn-k8s is the name used by the older Python scripts.
      services: ['ovn-kubernetes-node', 'ovn-k8s'],
      processes: ['ovnkube', 'k8s_ovn'],
    },
    bridges: ['br-int', ...uplinkBridges],
    managementAdapter: node.netAdapters?.some(({name}) => name === transparentAdapter) ? transparentAdapter : undefined,
    tunnel: {protocol: 'geneve', port: 6081, overhead: 50},
    kubeProxy: 'either',
    ovn: {ssl: true, systemIdFile: undefined},
    podSubnet: object?.metadata.annotations.ovn_host_subnet,
  };
}

/** OVN on Windows: its own service, its annotation, or the bridge with the name of the management adapter. */
function isLegacy({object, node}: DetectionInput): boolean {
  if (hybridSubnet(object) !== undefined) return false;
  return (
    object?.metadata.annotations.ovn_host_subnet !== undefined ||
    (node.services?.some(({name}) => /^(ovn-kubernetes-node|ovn-k8s)$/i.test(name)) ?? false) ||
    (node.ovs?.bridges.some(({name}) => isUplinkBridge(name)) ?? false)
  );
}

function legacyNetwork({node}: DetectionInput) {
  return node.hnsNetworks?.find(network => network.name.toLowerCase() === 'external' && isType(network, 'Transparent'));
}

/** It has the name of the management adapter; br-ex with the scripts of 2017, which also rename that adapter. */
function isUplinkBridge(name: string): boolean {
  return /^(vEthernet \(|br-ex$)/.test(name);
}
