import type {DetectionInput, Plugin, Profile, Recognition} from '../../model/plugin.js';
import {oncePerCluster} from '../../snapshot/cluster.js';
import {cniConfs, confType} from '../../snapshot/cni-conf.js';
import {daemonSetName, windowsDaemonSets} from '../../snapshot/daemon-sets.js';
import {imageVersion} from '../../snapshot/image-version.js';
import {nodeAddressTunnel} from '../shared/node-address-tunnel.js';
import {nothingAcrossNodes} from '../shared/nothing-across-nodes.js';
import {azureFootprint} from './footprint.js';
import {azureCleanup} from './plugin-cleanup.js';
import {resetChecks} from './reset-checks.js';
import {stateChecks} from './state-checks.js';

const configuredNodes = oncePerCluster(
  cluster => new Set(cluster.custom('acn.azure.com', 'NodeNetworkConfig').map(({metadata}) => metadata.name)),
);

/** Azure CNI, on AKS and elsewhere: without an agent if addresses come from the VNet, with azure-cns for overlays. */
export const azure: Plugin = {
  name: 'azure',
  title: 'Azure CNI',
  ownNetworks: /^azure$/i,
  confType: /^azure-vnet$/,
  footprint: azureFootprint,
  checks: [...stateChecks, ...resetChecks],
  cleanup: azureCleanup,
  preflight: async () => (await import('./preflight/index.js')).azurePreflight,
  acrossNodes: nothingAcrossNodes,
  tunnelSetting: nodeAddressTunnel(),

  recognise({cluster, object, node}: DetectionInput): Recognition | undefined {
    const sets = windowsDaemonSets(cluster, /^azure-cns/i);
    const meant = sets.map(daemonSetName);
    const found: string[] = [];
    if (cluster && configuredNodes(cluster).has(node.name)) meant.push(`NodeNetworkConfig ${node.name}`);
    // AKS clusters may use another CNI: the label alone is weak evidence.
    const label = Object.keys(object?.metadata.labels ?? {}).find(key => key.startsWith('kubernetes.azure.com/'));
    if (label) meant.push('labels kubernetes.azure.com/*');
    if (node.hnsNetworks?.some(({name}) => name.toLowerCase() === 'azure')) found.push('HNS network azure');
    if (node.processes?.some(({name}) => name === 'azure-cns')) found.push('process azure-cns');
    for (const conf of cniConfs(node))
      if (confType(conf) === 'azure-vnet') found.push(`CNI configuration ${conf.path}`);
    if (meant.length + found.length === 0) return undefined;
    const image = sets.flatMap(({spec}) => spec.template.spec.containers)[0]?.image;
    return {version: imageVersion(image), meant, found};
  },

  profile({cluster, node}: DetectionInput): Profile {
    const sets = windowsDaemonSets(cluster, /^azure-cns/i);
    const runsHere = sets.length > 0 || node.processes?.some(({name}) => name === 'azure-cns');
    const pods = cluster?.podsOn(node.name).filter(({spec, status}) => !spec.hostNetwork && isLive(status?.phase));
    return {
      network: {
        name: 'azure',
        types: ['L2Bridge', 'L2Tunnel'],
        ...(pods?.length === 0 && {
          absentBecause: 'Azure CNI creates it with the first pod, and all pods on this node use the host network',
        }),
      },
      agent: runsHere
        ? {
            name: 'azure-cns',
            daemonSets: sets.map(({metadata}) => ({namespace: metadata.namespace ?? '', name: metadata.name})),
            services: [],
            processes: ['azure-cns'],
          }
        : undefined,
      bridges: [],
      managementAdapter: undefined,
      tunnel: undefined,
      kubeProxy: 'needed',
      podSubnet: undefined,
    };
  },
};

function isLive(phase: string | undefined): boolean {
  return phase !== 'Succeeded' && phase !== 'Failed';
}
