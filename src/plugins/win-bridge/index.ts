import type {DetectionInput, Plugin, Profile, Recognition} from '../../model/plugin.js';
import {cniConfs, confType} from '../../snapshot/cni-conf.js';
import {isType} from '../../snapshot/hns.js';
import {bridgeConfTypes} from '../shared/bridge-conf-types.js';
import {nodeAddressTunnel} from '../shared/node-address-tunnel.js';
import {nothingAcrossNodes} from '../shared/nothing-across-nodes.js';
import {routedProfile} from '../shared/static-routes.js';
import {winBridgeFootprint} from './footprint.js';
import {winBridgeCleanup} from './plugin-cleanup.js';

const ownType = bridgeConfTypes['win-bridge'];

const types = ['L2Bridge', 'L2Tunnel'];

/** win-bridge on its own, and Microsoft's sdnbridge. If Flannel delegates to win-bridge, the plugin is Flannel. */
export const winBridge: Plugin = {
  name: 'win-bridge',
  title: 'win-bridge',
  ownNetworks: undefined,
  confType: ownType,
  footprint: winBridgeFootprint,
  checks: [],
  cleanup: winBridgeCleanup,
  preflight: async () => (await import('../shared/bridge-preflight/index.js')).bridgePreflight('win-bridge'),
  acrossNodes: nothingAcrossNodes,
  tunnelSetting: nodeAddressTunnel(),

  recognise({node}: DetectionInput): Recognition | undefined {
    const confs = cniConfs(node);
    const found = confs.filter(isBridge).map(({path}) => `CNI configuration ${path}`);
    const network = node.hnsNetworks?.find(
      candidate => isType(candidate, ...types) && named(confs).includes(candidate.name.toLowerCase()),
    );
    if (network) found.push(`HNS network ${network.name}`);
    return found.length > 0 ? {meant: [], found} : undefined;
  },

  profile(input: DetectionInput): Profile {
    return routedProfile(input, {name: cniConfs(input.node).find(isBridge)?.name ?? 'l2bridge', types});
  },
};

function isBridge(conf: Parameters<typeof confType>[0]): boolean {
  return ownType.test(confType(conf) ?? '');
}

/** If no configuration was read, the usual name of the network identifies it. */
function named(confs: ReturnType<typeof cniConfs>): string[] {
  if (confs.length === 0) return ['l2bridge'];
  return confs.filter(isBridge).flatMap(({name}) => (name ? [name.toLowerCase()] : []));
}
