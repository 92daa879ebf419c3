import type {DetectionInput, Peer, Plugin, Profile, Recognition} from '../../model/plugin.js';
import {type ClusterModel, isWindows, oncePerCluster, podCidr} from '../../snapshot/cluster.js';
import {activeConf, cniConfs, confType, fileAt} from '../../snapshot/cni-conf.js';
import {daemonSetName, selects, windowsDaemonSets} from '../../snapshot/daemon-sets.js';
import {isType, type Network} from '../../snapshot/hns.js';
import {imageVersion} from '../../snapshot/image-version.js';
import {ofPlugin} from '../../snapshot/plugin-objects.js';
import {nothingAcrossNodes} from '../shared/nothing-across-nodes.js';
import {apiServerOverride} from './api-server-override.js';
import {flannelChecks} from './checks.js';
import {externalNetworkChecks} from './external-network.js';
import {flannelFootprint} from './footprint.js';
import {leaseOf, usesNodeSubnet} from './lease.js';
import {clusterNetConfs, nodeNetConf} from './net-conf.js';
import {flannelCleanup} from './plugin-cleanup.js';
import {tunnelPorts} from './tunnel-ports.js';
import {flannelTunnelSetting} from './tunnel-setting.js';
import {seenVnis, vniRemedy} from './vnis.js';

const overlayNames = /^(flannel\.\d+|vxlan\d+)$/i;
const lowestVni = 4096;

/**
 * Flannel, as a DaemonSet, as a service installed by a script, or started by RKE2 (flannel pkg/backend/{vxlan,hostgw}).
 */
export const flannel: Plugin = {
  name: 'flannel',
  title: 'Flannel',
  ownNetworks: /^(flannel\.\d+|vxlan0|cbr0)$/i,
  confType: /^flannel$/,
  footprint: flannelFootprint,
  checks: [...flannelChecks, ...externalNetworkChecks],
  cleanup: flannelCleanup,
  preflight: async () => (await import('./preflight/index.js')).flannelPreflight,
  acrossNodes: {
    ...nothingAcrossNodes,
    tunnelPorts,
    apiServerOverride,
    vnis: {seen: seenVnis, remedy: vniRemedy},
  },
  tunnelSetting: flannelTunnelSetting,

  recognise(input: DetectionInput): Recognition | undefined {
    const {cluster, object, node} = input;
    const sets = ofPlugin((cluster?.all('DaemonSet') ?? []).filter(({metadata}) => /flannel/i.test(metadata.name)));
    const meant = sets.filter(set => selects(set, object)).map(daemonSetName);
    const lease = leaseOf(object);
    if (lease) meant.push(`annotation flannel.alpha.coreos.com/backend-type=${lease.type}`);
    const found: string[] = [];
    const network = flannelNetwork(input);
    if (network) found.push(`HNS network ${network.name}`);
    if (hasService(node)) found.push('service flanneld');
    if (node.processes?.some(({name}) => name === 'flanneld')) found.push('process flanneld');
    for (const conf of cniConfs(node)) if (confType(conf) === 'flannel') found.push(`CNI configuration ${conf.path}`);
    if (meant.length + found.length === 0) return undefined;
    return {variant: variantOf(input), version: versionOf(input), meant, found};
  },

  profile(input: DetectionInput, {variant}: Recognition): Profile {
    const {cluster, object, node} = input;
    const sets = windowsDaemonSets(cluster, /flannel/i);
    const overlay = variant !== 'host-gw';
    const subnetFile = fileAt(node, 'C:\\run\\flannel\\subnet.env')?.content;
    const ownSubnet = /^FLANNEL_SUBNET=(\S+)/m.exec(subnetFile ?? '')?.[1];
    return {
      network: overlay
        ? {name: overlayName(input), alsoNamed: overlayNames, types: ['Overlay'], subnetFollows: 'restart of the agent'}
        : {name: bridgeName(input), types: ['L2Bridge'], subnetFollows: 'restart of the agent'},
      agent: {
        name: 'flanneld',
        daemonSets: sets.map(({metadata}) => ({namespace: metadata.namespace ?? '', name: metadata.name})),
        services: ['flanneld'],
        processes: ['flanneld'],
      },
      // Flannel in a HostProcess pod does not use it.
      ...(overlay && hasService(node) && {switchKeeper: 'External' as const}),
      bridges: [],
      managementAdapter: undefined,
      tunnel: overlay ? {protocol: 'vxlan', port: 4789, overhead: 50} : undefined,
      kubeProxy: 'needed',
      podSubnet: object && usesNodeSubnet(object) ? podCidr(object) : (ownSubnet ?? podCidr(object)),
      peers: peers(input, overlay),
      ...(!overlay && {routes: 'agent' as const}),
      outboundNat: {excepted: masqueraded(subnetFile), routesToNode: false},
      ...(overlay
        ? usesAnnotations(cluster) && {
            tunnelMac: {annotation: 'flannel.alpha.coreos.com/backend-data', value: leaseOf(object)?.mac},
          }
        : {hostEndpoint: {name: `${bridgeName(input)}_ep`, attached: true}}),
    };
  },
};

function hasService({services}: DetectionInput['node']): boolean {
  return services?.some(({name}) => name.toLowerCase() === 'flanneld') ?? false;
}

/** With --ip-masq, the CNI program excludes the cluster CIDR automatically (meta/flannel flannel_windows.go). */
function masqueraded(subnetFile = ''): string[] {
  const range = /^FLANNEL_NETWORK=(\S+)/m.exec(subnetFile)?.[1];
  return range !== undefined && /^FLANNEL_IPMASQ=true/m.test(subnetFile) ? [range] : [];
}

function variantOf({cluster, object, node}: DetectionInput): string | undefined {
  const network = flannelNetwork({cluster, object, node});
  const delegate = activeConf(node)?.plugins[0]?.delegate?.toLowerCase();
  const type =
    leaseOf(object)?.type ??
    nodeNetConf(node)?.type ??
    clusterNetConfs(cluster).sort(windowsFirst)[0]?.type ??
    (network && (isType(network, 'Overlay') ? 'vxlan' : 'host-gw'));
  if (type !== undefined) return type;
  if (delegate === undefined) return undefined;
  return /overlay/.test(delegate) ? 'vxlan' : 'host-gw';
}

function versionOf({cluster}: DetectionInput): string | undefined {
  const sets = [...windowsDaemonSets(cluster, /flannel/i), ...(cluster?.all('DaemonSet') ?? [])];
  const image = ofPlugin(sets)
    .flatMap(({spec}) => spec.template.spec.containers)
    .find(container => /flannel/i.test(container.image ?? ''))?.image;
  return imageVersion(image)?.replace(/-hostprocess$/, '');
}

/**
 * Manually created networks may also be named cbr0 or vxlan0: they count as Flannel's unless the CNI configuration is
 * of another type.
 */
function flannelNetwork({node}: DetectionInput): Network | undefined {
  const type = confType(activeConf(node));
  const mine = (name: string) =>
    /^flannel\./i.test(name) ||
    type === undefined ||
    type === 'flannel' ||
    (/^cbr0$/i.test(name) && (node.hnsEndpoints?.some(endpoint => endpoint.name === 'cbr0_ep') ?? false));
  return node.hnsNetworks?.find(
    network =>
      mine(network.name) &&
      ((overlayNames.test(network.name) && isType(network, 'Overlay')) ||
        (network.name.toLowerCase() === 'cbr0' && isType(network, 'L2Bridge'))),
  );
}

/** By default, flanneld names the network after its VNI, and it rejects a VNI below 4096 (vxlan_windows.go). */
function overlayName({cluster, object, node}: DetectionInput): string {
  const conf = nodeNetConf(node) ?? clusterNetConfs(cluster).sort(windowsFirst)[0];
  if (conf?.name) return conf.name;
  return `flannel.${Math.max(lowestVni, conf?.vni ?? leaseOf(object)?.vni ?? lowestVni)}`;
}

function bridgeName({cluster, node}: DetectionInput): string {
  return (nodeNetConf(node) ?? clusterNetConfs(cluster).sort(windowsFirst)[0])?.name ?? 'cbr0';
}

/** False if flanneld stores its leases in etcd: then there are no annotations. */
function usesAnnotations(cluster: DetectionInput['cluster']): boolean {
  return cluster ? hasLeases(cluster) : true;
}

const hasLeases = oncePerCluster(cluster => cluster.all('Node').some(node => leaseOf(node) !== undefined));

function windowsFirst(one: {forWindows: boolean}, other: {forWindows: boolean}): number {
  return Number(other.forWindows) - Number(one.forWindows);
}

/** The other nodes according to their leases: flanneld creates one route to each. */
function peers({cluster, object}: DetectionInput, overlay: boolean): Peer[] | undefined {
  if (!cluster || !object || !usesAnnotations(cluster)) return undefined;
  const all = overlay ? overOverlay(cluster) : overHosts(cluster);
  return all.filter(({node}) => node !== object.metadata.name);
}

const overOverlay = oncePerCluster(cluster => leased(cluster, true));
const overHosts = oncePerCluster(cluster => leased(cluster, false));

function leased(cluster: ClusterModel, overlay: boolean): Peer[] {
  return cluster.all('Node').flatMap((node): Peer[] => {
    const lease = leaseOf(node);
    if (lease?.type !== (overlay ? 'vxlan' : 'host-gw') || lease.subnet === undefined) return [];
    // flanneld also ignores peers without a MAC address or with a VNI that Windows does not support.
    if (overlay && (lease.mac === undefined || (lease.vni ?? 0) < lowestVni)) return [];
    return [
      {
        node: node.metadata.name,
        windows: isWindows(node),
        prefix: lease.subnet,
        address: lease.address,
        mac: overlay ? lease.mac : undefined,
        vni: overlay ? lease.vni : undefined,
      },
    ];
  });
}
