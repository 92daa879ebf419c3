import type {DetectionInput, Plugin, Profile, Recognition} from '../../model/plugin.js';
import {podCidr} from '../../snapshot/cluster.js';
import {type CniConf, cniConfs, confType} from '../../snapshot/cni-conf.js';
import {isType} from '../../snapshot/hns.js';
import {noFootprint} from '../shared/footprint-parts.js';
import {nodeAddressTunnel} from '../shared/node-address-tunnel.js';
import {nothingAcrossNodes} from '../shared/nothing-across-nodes.js';
import {winOverlayCleanup} from './plugin-cleanup.js';

/** win-overlay on its own, and Microsoft's sdnoverlay. If Flannel or OVN-Kubernetes uses it, that is the plugin. */
export const winOverlay: Plugin = {
  name: 'win-overlay',
  title: 'win-overlay',
  ownNetworks: undefined,
  confType: /^(win-overlay|sdnoverlay)$/,
  footprint: {...noFootprint, linuxPartners: 'any'},
  checks: [],
  cleanup: winOverlayCleanup,
  preflight: async () => (await import('./preflight/index.js')).winOverlayPreflight,
  acrossNodes: nothingAcrossNodes,
  tunnelSetting: nodeAddressTunnel(),

  recognise({node}: DetectionInput): Recognition | undefined {
    const confs = cniConfs(node).filter(isOverlay);
    const found = confs.map(({path}) => `CNI configuration ${path}`);
    const network = node.hnsNetworks?.find(
      candidate =>
        isType(candidate, 'Overlay') && confs.some(({name}) => name?.toLowerCase() === candidate.name.toLowerCase()),
    );
    if (network) found.push(`HNS network ${network.name}`);
    return found.length > 0 ? {meant: [], found} : undefined;
  },

  profile({node, object}: DetectionInput): Profile {
    return {
      network: {name: cniConfs(node).find(isOverlay)?.name ?? 'vxlan0', types: ['Overlay']},
      agent: undefined,
      bridges: [],
      managementAdapter: undefined,
      tunnel: {protocol: 'vxlan', port: 4789, overhead: 50},
      kubeProxy: 'needed',
      podSubnet: podCidr(object),
      outboundNat: {excepted: [], routesToNode: false},
    };
  },
};

function isOverlay(conf: CniConf): boolean {
  return (
    /^(win-overlay|sdnoverlay)$/.test(confType(conf) ?? '') &&
    !/^(OVNKubernetesHybridOverlay|OpenShift)Network$/i.test(conf.name ?? '')
  );
}
