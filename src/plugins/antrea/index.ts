import coerce from 'semver/functions/coerce.js';
import gte from 'semver/functions/gte.js';
import type {DetectionInput, Plugin, Profile, Recognition} from '../../model/plugin.js';
import {nthAddress} from '../../snapshot/addresses.js';
import {internalIps, oncePerCluster, podCidr, type Workload} from '../../snapshot/cluster.js';
import {daemonSetName, selects} from '../../snapshot/daemon-sets.js';
import {same} from '../../snapshot/hns.js';
import {imageVersion} from '../../snapshot/image-version.js';
import {nothingAcrossNodes} from '../shared/nothing-across-nodes.js';
import {apiServerOverride} from './api-server-override.js';
import {antreaChecks} from './checks.js';
import {antreaFootprint} from './footprint.js';
import {antreaCleanup} from './plugin-cleanup.js';
import {agentConf, agentPods, ofAntrea, setting, sharedSetting} from './settings.js';
import {tunnelPorts} from './tunnel-ports.js';
import {antreaTunnelSetting} from './tunnel-setting.js';

const networkName = 'antrea-hnsnetwork';

const agentInfos = oncePerCluster(
  cluster => new Map(cluster.custom('crd.antrea.io', 'AntreaAgentInfo').map(info => [info.metadata.name, info])),
);

/** Antrea: agent in a pod or as a service, OVS as Windows services or in the pod (antrea docs/windows.md). */
export const antrea: Plugin = {
  name: 'antrea',
  title: 'Antrea',
  ownNetworks: /^antrea-hnsnetwork$/i,
  confType: /^antrea$/,
  footprint: antreaFootprint,
  checks: antreaChecks,
  cleanup: antreaCleanup,
  preflight: async () => (await import('./preflight/index.js')).antreaPreflight,
  acrossNodes: {...nothingAcrossNodes, tunnelPorts, apiServerOverride},
  tunnelSetting: antreaTunnelSetting,

  recognise(input: DetectionInput): Recognition | undefined {
    const {cluster, object, node} = input;
    const meant: string[] = [];
    const agents = agentSet(input);
    if (agents && selects(agents, object)) meant.push(daemonSetName(agents));
    const controller = ofAntrea(cluster?.all('Deployment'), 'antrea-controller');
    if (controller) meant.push(`Deployment ${controller.metadata.namespace}/antrea-controller`);
    if (object?.metadata.annotations['node.antrea.io/mac-address']) meant.push('annotation node.antrea.io/mac-address');
    const found = traces(input);
    if (meant.length + found.length === 0) return undefined;
    const image = (agents ?? controller)?.spec.template.spec.containers.find(({image: its}) =>
      its?.includes('antrea'),
    )?.image;
    const info = cluster && agentInfos(cluster).get(node.name);
    const reported = typeof info?.version === 'string' ? info.version.replace(/^v(?=\d)/, '') : undefined;
    const tag = imageVersion(image);
    return {
      variant: sharedSetting(input, 'trafficEncapMode') ?? 'encap',
      version: coerce(tag) ? tag : (reported ?? tag),
      meant,
      found,
    };
  },

  profile(input: DetectionInput, {variant, version}: Recognition): Profile {
    const conf = agentConf(input);
    const bridge = setting(conf, 'ovsBridge') ?? 'br-int';
    const podSubnet = podCidr(input.object);
    const proxyAll = setting(conf, 'proxyAll');
    const agents = agentSet(input);
    const gateway = setting(conf, 'hostGateway') ?? 'antrea-gw0';
    return {
      network: {name: networkName, types: ['Transparent'], subnetFollows: 'removal of the network'},
      agent: {
        name: 'antrea-agent',
        daemonSets: [{namespace: agents?.metadata.namespace ?? 'kube-system', name: 'antrea-agent-windows'}],
        services: ['antrea-agent'],
        processes: ['antrea-agent'],
      },
      bridges: [bridge],
      managementAdapter: bridge,
      tunnel: variant?.toLowerCase() === 'noencap' ? undefined : tunnel(input, conf),
      kubeProxy: kubeProxy(proxyAll, version),
      podSubnet,
      forwarders: [gateway, bridge],
      transport: transport(input, conf),
      ovs: {
        inPod: runsOvs(agentPods(input)[0]?.spec) ?? runsOvs(agents?.spec.template.spec) ?? false,
        gateway: {port: gateway, address: nthAddress(podSubnet, 1)},
        nats: [
          ...(setting(conf, 'noSNAT') === 'true' ? [] : [{name: 'antrea-nat', prefix: podSubnet}]),
          // Older releases used another address or none.
          ...(proxyAll === 'true' && isSince113(version)
            ? [{name: 'antrea-nat-nodeport', prefix: '169.254.0.252/32'}]
            : []),
        ],
      },
    };
  },
};

function agentSet({cluster}: DetectionInput): Workload | undefined {
  return ofAntrea(cluster?.all('DaemonSet'), 'antrea-agent-windows');
}

/** Traces of the agent on a node. */
function traces({node}: DetectionInput): string[] {
  const found: string[] = [];
  if (node.hnsNetworks?.some(({name}) => same(name, networkName))) found.push(`HNS network ${networkName}`);
  if (node.services?.some(({name}) => same(name, 'antrea-agent'))) found.push('service antrea-agent');
  if (node.processes?.some(({name}) => name === 'antrea-agent')) found.push('process antrea-agent');
  if (node.files?.some(({path, exists}) => exists && /antrea\.conflist$/i.test(path)))
    found.push('CNI configuration 10-antrea.conflist');
  if (node.netNats?.some(({name}) => name === 'antrea-nat')) found.push('NetNat antrea-nat');
  const bridge = node.ovs?.bridges.find(({ports}) => ports.some(({externalIds}) => 'antrea-type' in externalIds));
  if (bridge) found.push(`Antrea ports on OVS bridge ${bridge.name}`);
  return found;
}

/** antrea-windows-with-ovs.yml runs OVS in a container of the agent pod; undefined if there is no pod to check. */
function runsOvs(pod: {containers: readonly {name: string}[]} | undefined): boolean | undefined {
  return pod?.containers.some(({name}) => name === 'antrea-ovs');
}

function tunnel(input: DetectionInput, conf: string | undefined): NonNullable<Profile['tunnel']> {
  const type = sharedSetting(input, 'tunnelType');
  const protocol = type === 'vxlan' || type === 'stt' ? type : 'geneve';
  const usual = {geneve: 6081, vxlan: 4789, stt: 7471}[protocol];
  // What antrea subtracts from the MTU; nothing for STT (pkg/agent/config/node_config.go).
  return {protocol, port: Number(setting(conf, 'tunnelPort')) || usual, overhead: protocol === 'stt' ? 0 : 50};
}

/** Since 1.13, the agent replaces kube-proxy unless configured otherwise. */
function kubeProxy(proxyAll: string | undefined, version: string | undefined): Profile['kubeProxy'] {
  if (proxyAll !== undefined) return proxyAll === 'true' ? 'unwanted' : 'either';
  return isSince113(version) ? 'unwanted' : 'either';
}

function isSince113(version: string | undefined): boolean {
  const release = coerce(version);
  return release !== null && gte(release, '1.13.0');
}

/**
 * The agent publishes the address in an annotation if it is configured with a NIC other than that of the node address.
 */
function transport({object}: DetectionInput, conf: string | undefined): readonly string[] | undefined {
  const annotated = object?.metadata.annotations['node.antrea.io/transport-addresses'];
  if (annotated) return annotated.split(',').map(address => address.trim());
  const own = internalIps(object);
  const elsewhere = setting(conf, 'transportInterface') ?? setting(conf, 'transportInterfaceCIDRs');
  return elsewhere || own.length === 0 ? undefined : own;
}
