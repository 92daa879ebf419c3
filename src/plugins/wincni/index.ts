import type {DetectionInput, Plugin, Profile, Recognition} from '../../model/plugin.js';
import {cniConfs, confType, fileNamed} from '../../snapshot/cni-conf.js';
import {bridgeConfTypes} from '../shared/bridge-conf-types.js';
import {nodeAddressTunnel} from '../shared/node-address-tunnel.js';
import {nothingAcrossNodes} from '../shared/nothing-across-nodes.js';
import {routedProfile} from '../shared/static-routes.js';
import {wincniFootprint} from './footprint.js';
import {wincniCleanup} from './plugin-cleanup.js';

const ownType = bridgeConfTypes.wincni;

/** wincni.exe from microsoft/SDN: network `l2bridge`, host endpoint `cbr0`, routes created by a script. */
export const wincni: Plugin = {
  name: 'wincni',
  title: 'wincni',
  ownNetworks: undefined,
  confType: ownType,
  footprint: wincniFootprint,
  checks: [],
  cleanup: wincniCleanup,
  preflight: async () => (await import('../shared/bridge-preflight/index.js')).bridgePreflight('wincni'),
  acrossNodes: nothingAcrossNodes,
  tunnelSetting: nodeAddressTunnel(),

  recognise({node}: DetectionInput): Recognition | undefined {
    const confs = cniConfs(node);
    const found = confs.filter(isWincni).map(({path}) => `CNI configuration ${path}`);
    // The program file counts only if no configuration was read: it may be unused.
    const program = confs.length === 0 ? fileNamed(node, 'wincni.exe') : undefined;
    if (program) found.push(`program ${program.path}`);
    if (found.length > 0 && node.hnsNetworks?.some(({name}) => name.toLowerCase() === networkName(node)))
      found.push(`HNS network ${networkName(node)}`);
    return found.length > 0 ? {meant: [], found} : undefined;
  },

  profile(input: DetectionInput): Profile {
    return {
      ...routedProfile(input, {name: networkName(input.node), types: ['L2Bridge', 'L2Tunnel']}),
      outboundNat: {excepted: [], routesToNode: true},
    };
  },
};

function networkName(node: DetectionInput['node']): string {
  return cniConfs(node).find(isWincni)?.name?.toLowerCase() ?? 'l2bridge';
}

function isWincni(conf: Parameters<typeof confType>[0]): boolean {
  return ownType.test(confType(conf) ?? '');
}
