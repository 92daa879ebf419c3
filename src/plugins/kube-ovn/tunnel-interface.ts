import type {Sight} from '../../model/plugin.js';
import {isIpv4, isLinkLocal} from '../../snapshot/addresses.js';
import {internalIp} from '../../snapshot/cluster.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {Address, Sections} from '../../snapshot/sections.js';

export const tunnelAnnotation = 'ovn.kubernetes.io/tunnel_interface';

/** The network's own bridge: where its uplink's addresses are once the network is up. */
export const providerBridge = 'br-provider';

/** What the daemon makes of the annotation's value (kube-ovn pkg/daemon/config.go, findInterface). */
export interface Resolution {
  /** `pattern`: no adapter has exactly this name, so it is taken as a regular expression. */
  readonly how: 'exact' | 'pattern' | 'invalid' | 'too complex';
  /** Adapters that fit. Of several the daemon takes the first that Windows lists. */
  readonly adapters: readonly string[];
}

export function resolve(value: string, node: NodeModel & Pick<Sections, 'netAdapters'>): Resolution {
  return hostAdapters(node).includes(value) ? {how: 'exact', adapters: [value]} : asIfRenamed(value, node);
}

/** What the daemon would make of the value if no adapter had exactly this name. */
export function asIfRenamed(value: string, node: NodeModel & Pick<Sections, 'netAdapters'>): Resolution {
  const pattern = asPattern(value);
  if (typeof pattern === 'string') return {how: pattern, adapters: []};
  return {how: 'pattern', adapters: hostAdapters(node).filter(name => pattern.test(name.slice(0, longestName)))};
}

/** The adapters that the daemon can see: those of pods are in compartments of their own. */
function hostAdapters({netAdapters, hnsEndpoints}: NodeModel): string[] {
  const ofPods = new Set(hnsEndpoints?.map(({name}) => `vEthernet (${name})`));
  return (netAdapters ?? []).map(({name}) => name).filter(name => !ofPods.has(name));
}

const longestName = 256;

const mostGroups = 3;
const mostRepetitions = 2;
/** What Go reads in another way than JavaScript: flags and names of groups, classes by name, anchors and quotes of its own. */
const goOnly = /\(\?(?!:)|\[\[:|\\[AzQEpPC]/;
const repeatedGroup = /\)[*+?{]/;

/**
 * The value as the daemon's regular expression: a list whose members match anywhere in a name.
 * It is someone else's text: what could take forever to match is not tried.
 */
function asPattern(value: string): RegExp | 'invalid' | 'too complex' {
  const count = (sign: RegExp) => value.replaceAll('(?:', '(').match(sign)?.length ?? 0;
  if (value.length > longestName || goOnly.test(value) || repeatedGroup.test(value)) return 'too complex';
  if (count(/\(/g) > mostGroups || count(/[*+?{]/g) > mostRepetitions) return 'too complex';
  // Go has no references to groups.
  if (/\\[1-9]/.test(value)) return 'invalid';
  try {
    return new RegExp(`(${value.split(',').join(')|(')})`);
  } catch {
    return 'invalid';
  }
}

/** Addresses that tunnels may start from; undefined: the annotation does not name one adapter, or its addresses are not known. */
export function tunnelAddresses({object, node}: Sight): readonly string[] | undefined {
  const value = object?.metadata.annotations[tunnelAnnotation];
  if (!value) {
    const own = internalIp(object);
    return own === undefined ? undefined : [own];
  }
  const adapter = annotatedAdapter(value, node);
  if (adapter === undefined || !node.netIPAddresses) return undefined;
  const own = {...node, netIPAddresses: node.netIPAddresses};
  return addressesOf(own, adapter)
    .filter(isUsable)
    .map(({ip}) => ip);
}

/** Why tunnels have no address that could be named, where the annotation itself is the reason. */
export function noTunnelAddress({object, node}: Sight): string | undefined {
  const value = object?.metadata.annotations[tunnelAnnotation];
  return value && node.netAdapters && annotatedAdapter(value, node) === undefined
    ? `Annotation ${tunnelAnnotation} names no single adapter.`
    : undefined;
}

function annotatedAdapter(value: string, node: NodeModel): string | undefined {
  if (!node.netAdapters) return undefined;
  const {adapters} = resolve(value, {...node, netAdapters: node.netAdapters});
  return adapters.length === 1 ? adapters[0] : undefined;
}

/** The addresses that the daemon finds for an adapter: those of the uplink are on its bridge. */
export function addressesOf(node: NodeModel & Pick<Sections, 'netIPAddresses'>, adapter: string): Address[] {
  const holder = addressHolder(node, adapter);
  return node.netIPAddresses.filter(({adapter: its}) => its === holder);
}

export function addressHolder(node: NodeModel, adapter: string): string {
  // After a reboot the rows of OVS may be all that is left of the bridge.
  const hasBridge = node.netAdapters?.some(({name}) => name === providerBridge) ?? true;
  return hasBridge && isBridged(node, adapter) ? providerBridge : adapter;
}

/** The daemon leaves out link-local and /32 addresses (initNicConfig), and on Windows refuses IPv6. */
export function isUsable({ip, prefixLength}: Address): boolean {
  return isIpv4(ip) && !isLinkLocal(ip) && prefixLength !== 32;
}

/** Whether the adapter is the uplink: a port of the bridge, whose addresses moved there. */
function isBridged({hnsNetworks, ovs}: NodeModel, adapter: string): boolean {
  return (
    hnsNetworks?.some(({name, adapterName}) => name === 'kube-ovn' && adapterName === adapter) ||
    ovs?.bridges.some(({name, ports}) => name === providerBridge && ports.some(port => port.name === adapter)) ||
    false
  );
}
