import type {DetectionInput} from '../../model/plugin.js';
import {isIpv4, isLinkLocal} from '../../snapshot/addresses.js';
import {internalIp} from '../../snapshot/cluster.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {Address, Sections} from '../../snapshot/sections.js';

export const tunnelAnnotation = 'ovn.kubernetes.io/tunnel_interface';

/** The bridge that has the addresses of the uplink once the network is up. */
export const providerBridge = 'br-provider';

/** How the daemon resolves the annotation's value (kube-ovn pkg/daemon/config.go, findInterface). */
export interface Resolution {
  /** `pattern`: no adapter has exactly this name, so it is used as a regular expression. */
  readonly how: 'exact' | 'pattern' | 'invalid' | 'too complex';
  /** Matching adapters. The daemon uses the first that Windows lists. */
  readonly adapters: readonly string[];
}

export function resolve(value: string, node: NodeModel & Pick<Sections, 'netAdapters'>): Resolution {
  return hostAdapters(node).includes(value) ? {how: 'exact', adapters: [value]} : asIfRenamed(value, node);
}

/** How the daemon would resolve the value if no adapter had exactly this name. */
export function asIfRenamed(value: string, node: NodeModel & Pick<Sections, 'netAdapters'>): Resolution {
  const pattern = asPattern(value);
  if (typeof pattern === 'string') return {how: pattern, adapters: []};
  return {how: 'pattern', adapters: hostAdapters(node).filter(name => pattern.test(name.slice(0, longestName)))};
}

/** The adapters that the daemon can see: those of pods are in other compartments. */
function hostAdapters({netAdapters, hnsEndpoints}: NodeModel): string[] {
  const ofPods = new Set(hnsEndpoints?.map(({name}) => `vEthernet (${name})`));
  return (netAdapters ?? []).map(({name}) => name).filter(name => !ofPods.has(name));
}

const longestName = 256;

const mostGroups = 3;
const mostRepetitions = 2;
/** Syntax that Go parses differently from JavaScript: group flags and names, named classes, anchors and quotes. */
const goOnly = /\(\?(?!:)|\[\[:|\\[AzQEpPC]/;
const repeatedGroup = /\)[*+?{]/;

/**
 * The value as the daemon's regular expression: a list whose members match anywhere in a name.
 * The text is untrusted: patterns that could take very long to match are not tried.
 */
function asPattern(value: string): RegExp | 'invalid' | 'too complex' {
  const count = (sign: RegExp) => value.replaceAll('(?:', '(').match(sign)?.length ?? 0;
  if (value.length > longestName || goOnly.test(value) || repeatedGroup.test(value)) return 'too complex';
  if (count(/\(/g) > mostGroups || count(/[*+?{]/g) > mostRepetitions) return 'too complex';
  // Go does not support backreferences.
  if (/\\[1-9]/.test(value)) return 'invalid';
  try {
    return new RegExp(`(${value.split(',').join(')|(')})`);
  } catch {
    return 'invalid';
  }
}

/**
 * Addresses that tunnels may use; undefined: the annotation does not name exactly one adapter, or its addresses are
 * unknown.
 */
export function tunnelAddresses({object, node}: DetectionInput): readonly string[] | undefined {
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

/** Why the tunnel address is unknown, if the annotation is the reason. */
export function noTunnelAddress({object, node}: DetectionInput): string | undefined {
  const value = object?.metadata.annotations[tunnelAnnotation];
  return value && node.netAdapters && annotatedAdapter(value, node) === undefined
    ? `Annotation ${tunnelAnnotation} does not name exactly one adapter.`
    : undefined;
}

function annotatedAdapter(value: string, node: NodeModel): string | undefined {
  if (!node.netAdapters) return undefined;
  const {adapters} = resolve(value, {...node, netAdapters: node.netAdapters});
  return adapters.length === 1 ? adapters[0] : undefined;
}

/** The addresses that the daemon finds for an adapter: those of the uplink are on the bridge. */
export function addressesOf(node: NodeModel & Pick<Sections, 'netIPAddresses'>, adapter: string): Address[] {
  const holder = addressHolder(node, adapter);
  return node.netIPAddresses.filter(({adapter: its}) => its === holder);
}

export function addressHolder(node: NodeModel, adapter: string): string {
  // After a reboot, OVS may still have rows of a bridge whose adapter no longer exists.
  const hasBridge = node.netAdapters?.some(({name}) => name === providerBridge) ?? true;
  return hasBridge && isBridged(node, adapter) ? providerBridge : adapter;
}

/** The daemon ignores link-local and /32 addresses (initNicConfig), and rejects IPv6 on Windows. */
export function isUsable({ip, prefixLength}: Address): boolean {
  return isIpv4(ip) && !isLinkLocal(ip) && prefixLength !== 32;
}

/** Whether the adapter is the uplink, a port of the bridge: its addresses are on the bridge. */
function isBridged({hnsNetworks, ovs}: NodeModel, adapter: string): boolean {
  return (
    hnsNetworks?.some(({name, adapterName}) => name === 'kube-ovn' && adapterName === adapter) ||
    ovs?.bridges.some(({name, ports}) => name === providerBridge && ports.some(port => port.name === adapter)) ||
    false
  );
}
