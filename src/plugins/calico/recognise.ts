import {property, textProperty} from '../../lib/json-properties.js';
import type {DetectionInput, Recognition} from '../../model/plugin.js';
import type {Workload} from '../../snapshot/cluster.js';
import {cniConfs, confType} from '../../snapshot/cni-conf.js';
import {daemonSetName, windowsDaemonSets} from '../../snapshot/daemon-sets.js';
import {isType} from '../../snapshot/hns.js';
import {imageVersion} from '../../snapshot/image-version.js';
import {ofPlugin} from '../../snapshot/plugin-objects.js';
import {calicoFootprint} from './footprint.js';
import {installation, installedCni, specOf} from './resources.js';
import {hasTunnel} from './tunnel-facts.js';

export const services = ['caliconode', 'calicofelix'];
/** VXLAN mode has one network; BGP may have one per block, with names that begin with `Calico`. */
export const networkNames = /^calico/i;

export function recognise(input: DetectionInput): Recognition | undefined {
  if (onlyPolicy(input)) return undefined;
  const {cluster, object, node} = input;
  const meant = nodeSets(input).map(daemonSetName);
  if (installedCni(cluster) === 'Calico') meant.push('Installation default with cni.type Calico');
  if (hasTunnel(object)) meant.push('annotation projectcalico.org/IPv4VXLANTunnelAddr');
  else if (object?.metadata.annotations['projectcalico.org/IPv4Address'])
    meant.push('annotation projectcalico.org/IPv4Address');
  const found: string[] = [];
  for (const {name} of node.hnsNetworks ?? []) if (networkNames.test(name)) found.push(`HNS network ${name}`);
  for (const {name} of node.services ?? []) if (services.includes(name.toLowerCase())) found.push(`service ${name}`);
  if (node.processes?.some(({name}) => name === 'calico-node')) found.push('process calico-node');
  for (const conf of cniConfs(node)) if (confType(conf) === 'calico') found.push(`CNI configuration ${conf.path}`);
  if (meant.length + found.length === 0) return undefined;
  return {variant: variantOf(input), version: versionOf(input), meant, found};
}

/** Whether Calico only enforces policy on the network of another plugin, as on AKS and EKS. */
function onlyPolicy(input: DetectionInput): boolean {
  const cni = installedCni(input.cluster);
  if (cni !== undefined) return cni !== 'Calico';
  if (backend(input) === 'none') return true;
  const conf = confType(cniConfs(input.node)[0]);
  return conf !== undefined && /^(azure-vnet|vpc-bridge|vpc-shared-eni)$/.test(conf) && !ownNetwork(input);
}

export function ownNetwork({node}: DetectionInput) {
  return node.hnsNetworks?.find(({name}) => networkNames.test(name));
}

/** The DaemonSets that run calico-node: those for Windows, or the one for Linux if there are none. */
function nodeSets({cluster}: DetectionInput): readonly Workload[] {
  const {usual} = calicoFootprint.namespaces;
  const windows = windowsDaemonSets(cluster, /^calico-node/i, usual);
  if (windows.length > 0) return windows;
  return ofPlugin(
    (cluster?.all('DaemonSet') ?? []).filter(({metadata}) => metadata.name === 'calico-node'),
    usual,
  );
}

/** CALICO_NETWORKING_BACKEND: `vxlan`, `windows-bgp`, or `none` for policy only. */
function backend(input: DetectionInput): string | undefined {
  return nodeSets(input)
    .flatMap(({spec}) => spec.template.spec.containers)
    .flatMap(({env}) => env)
    .find(({name, value}) => name === 'CALICO_NETWORKING_BACKEND' && value)?.value;
}

function variantOf(input: DetectionInput): string | undefined {
  const {cluster, object, node} = input;
  const set = backend(input);
  if (set === 'vxlan') return 'vxlan';
  if (set === 'windows-bgp') return 'bgp';
  const network = ownNetwork(input);
  if (network) return isType(network, 'Overlay') ? 'vxlan' : 'bgp';
  if (hasTunnel(object)) return 'vxlan';
  const bgp = textProperty(property(specOf(installation(cluster)), 'calicoNetwork'), 'bgp');
  if (bgp !== undefined) return bgp === 'Enabled' ? 'bgp' : 'vxlan';
  if (set === 'bird' || node.services?.some(({name}) => name.toLowerCase() === 'calicoconfd')) return 'bgp';
  return undefined;
}

function versionOf(input: DetectionInput): string | undefined {
  const image = nodeSets(input).flatMap(({spec}) => spec.template.spec.containers)[0]?.image;
  const status = property(installation(input.cluster), 'status');
  return imageVersion(image) ?? textProperty(status, 'calicoVersion')?.replace(/^v(?=\d)/, '');
}
