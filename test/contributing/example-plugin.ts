import type {DetectionInput, Plugin, Profile, Recognition} from '../../src/model/plugin.js';
import {refusal} from '../../src/model/plugin-cleanup.js';
import {noFootprint} from '../../src/plugins/shared/footprint-parts.js';
import {nodeAddressTunnel} from '../../src/plugins/shared/node-address-tunnel.js';
import {nothingAcrossNodes} from '../../src/plugins/shared/nothing-across-nodes.js';
import {cniConfs, confType} from '../../src/snapshot/cni-conf.js';

const ownType = /^example-cni$/;
const untouched = refusal('kubectl win does not know how Example recreates its network.');

export const example: Plugin = {
  name: 'example',
  title: 'Example',
  ownNetworks: /^example-net$/i,
  confType: ownType,
  footprint: noFootprint,
  checks: [],
  cleanup: {builder: () => 'person', leaveAlone: () => untouched, draft: () => untouched},
  preflight: undefined,
  acrossNodes: nothingAcrossNodes,
  tunnelSetting: nodeAddressTunnel(),

  recognise({cluster, node}: DetectionInput): Recognition | undefined {
    const meant = cluster?.find('DaemonSet', 'example-agent', 'kube-system') ? ['DaemonSet example-agent'] : [];
    const found = cniConfs(node)
      .filter(conf => ownType.test(confType(conf) ?? ''))
      .map(({path}) => `CNI configuration ${path}`);
    return meant.length + found.length > 0 ? {meant, found} : undefined;
  },

  profile(): Profile {
    return {
      network: {name: 'example-net', types: ['L2Bridge']},
      agent: {name: 'exampled', daemonSets: [], services: ['exampled'], processes: ['exampled']},
      bridges: [],
      managementAdapter: undefined,
      tunnel: undefined,
      kubeProxy: 'needed',
      podSubnet: undefined,
    };
  },
};
