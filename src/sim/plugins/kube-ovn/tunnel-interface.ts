import {rows} from '../../node/state.js';
import {networkNamed} from '../../node/switch.js';
import type {Starting} from '../plugin.js';
import {hnsNetworkName, providerBridge, tunnelAnnotation, uplinkName} from './names.js';

type End = {adapter: string; address: string} | {why: string};

/**
 * The tunnel endpoint: the adapter that the annotation names, or the first that one of its parts matches as a regular
 * expression; without an annotation, the one with the node's address (kube-ovn pkg/daemon/config.go).
 */
export function tunnelEnd({node, state, annotations}: Starting): End {
  const wanted = annotations.get(node.name)?.[tunnelAnnotation];
  const names = rows(state, 'netAdapters').map(({Name}) => String(Name));
  const found = named(names, wanted);
  if (wanted && found === undefined) return {why: `failed to find interface ${wanted}`};
  // An adapter under the bridge has no address; the bridge has it.
  const isBridged = found === uplinkName(node) && names.includes(providerBridge);
  const adapter = isBridged ? providerBridge : found;
  const usable = rows(state, 'netIPAddresses').filter(
    ({AddressFamily, IPAddress, PrefixLength}) =>
      AddressFamily === 'IPv4' && PrefixLength !== 32 && !String(IPAddress).startsWith('169.254.'),
  );
  const end = usable.find(({InterfaceAlias, IPAddress}) =>
    adapter === undefined ? IPAddress === node.address : InterfaceAlias === adapter,
  );
  if (!end) return {why: `iface ${adapter ?? node.address} has no valid IP address`};
  return {adapter: String(end.InterfaceAlias), address: String(end.IPAddress)};
}

/**
 * The node with the adapter of its network: an existing network keeps its adapter regardless of the annotation; a new
 * one uses the adapter that the annotation names (kube-ovn config_windows.go).
 */
export function onItsAdapter(starting: Starting): Starting {
  const {node, state, annotations} = starting;
  const nics = rows(state, 'netAdapters').filter(({HardwareInterface}) => HardwareInterface === true);
  const names = nics.map(({Name}) => String(Name));
  const present = networkNamed(state, hnsNetworkName)?.NetworkAdapterName;
  const adapter = present ?? named(names, annotations.get(node.name)?.[tunnelAnnotation]) ?? uplinkName(node);
  return {...starting, node: {...node, adapter: String(adapter)}};
}

function named(names: readonly string[], wanted: string | undefined): string | undefined {
  return wanted ? (names.find(name => name === wanted) ?? matching(names, wanted)) : undefined;
}

function matching(names: readonly string[], wanted: string): string | undefined {
  try {
    const pattern = new RegExp(`(${wanted.split(',').join(')|(')})`);
    return names.find(name => pattern.test(name));
  } catch {
    return undefined;
  }
}
