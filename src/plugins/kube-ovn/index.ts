import type {DetectionInput, Plugin, Profile, Recognition} from '../../model/plugin.js';
import {fileAt} from '../../snapshot/cni-conf.js';
import {same} from '../../snapshot/hns.js';
import {imageVersion} from '../../snapshot/image-version.js';
import {nothingAcrossNodes} from '../shared/nothing-across-nodes.js';
import {kubeOvnChecks} from './checks.js';
import {controller, nodeAnnotation} from './cluster-facts.js';
import {kubeOvnFootprint} from './footprint.js';
import {kubeOvnCleanup} from './plugin-cleanup.js';
import {noTunnelAddress, providerBridge, tunnelAddresses} from './tunnel-interface.js';

const networkName = 'kube-ovn';

/**
 * Kube-OVN up to 1.14: on Windows all components run as services, without a DaemonSet (kube-ovn
 * dist/windows/install.ps1).
 */
export const kubeOvn: Plugin = {
  name: 'kube-ovn',
  title: 'Kube-OVN',
  ownNetworks: /^kube-ovn$/i,
  confType: /^kube-ovn$/,
  footprint: kubeOvnFootprint,
  checks: kubeOvnChecks,
  cleanup: kubeOvnCleanup,
  preflight: async () => (await import('./preflight/index.js')).kubeOvnPreflight,
  acrossNodes: nothingAcrossNodes,
  tunnelSetting: {by: 'annotation'},

  recognise({cluster, object, node}: DetectionInput): Recognition | undefined {
    const meant: string[] = [];
    const deployment = controller(cluster);
    if (deployment) meant.push(`Deployment ${deployment.metadata.namespace}/kube-ovn-controller`);
    const found: string[] = [];
    if (node.hnsNetworks?.some(({name}) => same(name, networkName))) found.push(`HNS network ${networkName}`);
    if (node.services?.some(({name}) => same(name, 'kube-ovn'))) found.push('service kube-ovn');
    if (node.processes?.some(({name}) => name === 'kube-ovn-daemon')) found.push('process kube-ovn-daemon');
    if (node.files?.some(({path, exists}) => exists && /kube-ovn\.conflist$/i.test(path)))
      found.push('CNI configuration 01-kube-ovn.conflist');
    if (node.netNats?.some(({name}) => name === 'kube-ovn')) found.push('NetNat kube-ovn');
    const bridge = node.ovs?.bridges.find(({externalIds}) => externalIds.vendor === 'kube-ovn');
    if (bridge) found.push(`OVS bridge ${bridge.name} of kube-ovn`);
    // The controller sets this annotation on every node, even on Windows nodes that run another plugin.
    const isRead = node.hnsNetworks !== undefined || node.services !== undefined;
    if (nodeAnnotation(object, 'allocated') === 'true' && (found.length > 0 || !isRead))
      meant.push('annotation ovn.kubernetes.io/allocated');
    if (meant.length + found.length === 0) return undefined;
    const image = deployment?.spec.template.spec.containers.find(({name}) => name === 'kube-ovn-controller')?.image;
    return {version: imageVersion(image), meant, found};
  },

  profile(input: DetectionInput): Profile {
    const {object} = input;
    return {
      network: {name: networkName, types: ['Transparent']},
      agent: {name: 'kube-ovn', daemonSets: [], services: ['kube-ovn'], processes: ['kube-ovn-daemon']},
      bridges: ['br-int', providerBridge],
      managementAdapter: providerBridge,
      tunnel: tunnel(input),
      kubeProxy: 'unwanted',
      servicesUnsupported: 'Kube-OVN does not support kube-proxy on Windows and has no replacement for it',
      onlyRuntime: 'docker',
      podSubnet: undefined,
      // dist/windows/start-ovn-controller.ps1
      ovn: {ssl: false, systemIdFile: 'C:\\ovn\\etc\\system-id.conf'},
      oldestKubernetes: '1.17',
      needsOverlayUpdates: true,
      transport: tunnelAddresses(input),
      noTransport: noTunnelAddress(input),
      ovs: {
        inPod: false,
        gateway: {port: 'ovn0', address: nodeAnnotation(object, 'ip_address')},
        nats: [{name: 'kube-ovn', prefix: nodeAnnotation(object, 'cidr')}],
      },
    };
  },
};

/** Ports and MTU overhead of each type (kube-ovn pkg/daemon/config.go, pkg/util/const.go). */
const tunnels = {
  geneve: {protocol: 'geneve', port: 6081, overhead: 100},
  vxlan: {protocol: 'vxlan', port: 4789, overhead: 50},
  stt: {protocol: 'stt', port: 7471, overhead: 72},
} as const;

function tunnel({cluster, node}: DetectionInput): NonNullable<Profile['tunnel']> {
  const conf = fileAt(node, 'C:\\kube-ovn\\etc\\kube-ovn.conf')?.content;
  const args = controller(cluster)?.spec.template.spec.containers.flatMap(container => container.args);
  const type =
    node.ovs?.externalIds['ovn-encap-type'] ??
    /^[ \t]*TUNNEL_TYPE[ \t]*=[ \t]*(\w+)/m.exec(conf ?? '')?.[1] ??
    args?.map(arg => /^--network-type=(\w+)$/.exec(arg)?.[1]).find(value => value !== undefined);
  return tunnels[type?.toLowerCase() as keyof typeof tunnels] ?? tunnels.geneve;
}
