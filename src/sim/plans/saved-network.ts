import {broadcast, networkOf} from '../addresses.js';
import {type JsonObject, listAt} from '../json.js';
import {addRows, editRows, removeRows} from '../node/edit.js';
import {HostNetwork} from '../node/host-network.js';
import {addressOwner, type NodeState, rows} from '../node/state.js';
import {regainTcpIp} from './consequences.js';
import type {SavedNetwork} from './folder.js';
import {type Host, StepError, same} from './step.js';

// Saves addresses, routes and DNS servers when a plan starts, and restores them.

export function networkState(state: NodeState): SavedNetwork {
  const copy = (section: string) => structuredClone(rows(state, section));
  return {
    netAdapters: copy('netAdapters'),
    netIPAddresses: copy('netIPAddresses'),
    netIPInterfaces: copy('netIPInterfaces'),
    netRoutes: copy('netRoutes'),
    dnsServers: copy('dnsServers'),
  };
}

export const adapterNamed = (state: NodeState, name: string): JsonObject | undefined =>
  rows(state, 'netAdapters').find(adapter => same(adapter.Name, name));

/** Addresses to restore: those that Windows does not assign itself. */
export function savedAddresses({netIPAddresses}: SavedNetwork, adapter: string): JsonObject[] {
  return netIPAddresses.filter(
    ({InterfaceAlias, PrefixOrigin, IPAddress}) =>
      same(InterfaceAlias, adapter) &&
      (PrefixOrigin === 'Manual' || PrefixOrigin === 'Dhcp') &&
      !String(IPAddress).startsWith('169.254.'),
  );
}

export function missingAddresses(state: NodeState, wanted: readonly JsonObject[], adapter: string): JsonObject[] {
  const present = rows(state, 'netIPAddresses').filter(({InterfaceAlias}) => same(InterfaceAlias, adapter));
  return wanted.filter(({IPAddress}) => !present.some(row => row.IPAddress === IPAddress));
}

type Family = 'IPv4' | 'IPv6';
const families: readonly Family[] = ['IPv4', 'IPv6'];
const familyOf = (text: unknown): Family => (String(text).includes(':') ? 'IPv6' : 'IPv4');

/** Restores the settings of one adapter on another, per address family. Changes only what differs. */
export function restoreAddresses(host: Host, network: SavedNetwork, from: string, to: string): void {
  const {state} = host;
  const adapter = adapterNamed(state, to);
  if (!adapter) return;
  bindTcpIp(state, adapter);
  for (const family of families) restoreFamily(host, network, from, adapter, family);
  restoreNameServers(state, network, from, adapter);
  const isLeased = rows(state, 'netIPAddresses').some(row => isOn(row, adapter) && isLease(row, 'IPv4'));
  if (hadLease(network, from, 'IPv4') && !isLeased) renewLease(host, adapter);
  restoreRoutes(state, network, from, adapter);
}

/** Addresses need TCP/IP, and a NIC still bound to a removed switch carries no traffic. */
function bindTcpIp(state: NodeState, adapter: JsonObject): void {
  const isUsed = rows(state, 'vmSwitches').some(
    row => row.NetAdapterInterfaceDescription === adapter.InterfaceDescription,
  );
  editRows(
    state,
    'adapterBindings',
    row =>
      same(row.Name, adapter.Name) && (row.ComponentID === 'ms_tcpip' || (row.ComponentID === 'vms_pp' && !isUsed)),
    row => ({Enabled: row.ComponentID === 'ms_tcpip'}),
  );
  regainTcpIp(state, adapter);
}

const isLease = (row: JsonObject, family: Family): boolean =>
  row.PrefixOrigin === 'Dhcp' && familyOf(row.IPAddress) === family;

const hadLease = (network: SavedNetwork, from: string, family: Family): boolean =>
  savedAddresses(network, from).some(row => isLease(row, family));

const interfaceOf = (network: SavedNetwork, from: string, family: Family): JsonObject | undefined =>
  network.netIPInterfaces.find(row => same(row.InterfaceAlias, from) && row.AddressFamily === family);

function leases(network: SavedNetwork, from: string, family: Family): boolean {
  const before = interfaceOf(network, from, family);
  return before ? before.Dhcp === 'Enabled' : hadLease(network, from, family);
}

function restoreFamily(host: Host, network: SavedNetwork, from: string, adapter: JsonObject, family: Family): void {
  const {state} = host;
  const wanted = savedAddresses(network, from).filter(({IPAddress}) => familyOf(IPAddress) === family);
  const before = interfaceOf(network, from, family);
  if (!before && wanted.length === 0) return;
  setDhcp(state, adapter, family, leases(network, from, family));
  for (const address of wanted.filter(({PrefixOrigin}) => PrefixOrigin === 'Manual')) {
    const isIt = (row: JsonObject) => row.IPAddress === address.IPAddress;
    const isHere = (row: JsonObject) => isIt(row) && isOn(row, adapter) && row.PrefixLength === address.PrefixLength;
    if (rows(state, 'netIPAddresses').some(isHere)) continue;
    // Windows accepts an address only once, so remove it elsewhere first.
    removeRows(state, 'netIPAddresses', isIt);
    addAddress(host, adapter, String(address.IPAddress), Number(address.PrefixLength), 'Manual');
    const {SkipAsSource, Persistent} = address;
    const marks = {...(SkipAsSource === true && {SkipAsSource}), ...(Persistent === false && {Persistent})};
    editRows(state, 'netIPAddresses', isIt, () => marks);
  }
  if (before?.AutomaticMetric !== undefined) {
    const {AutomaticMetric, InterfaceMetric} = before;
    editRows(
      state,
      'netIPInterfaces',
      row => isOn(row, adapter) && row.AddressFamily === family,
      () => ({AutomaticMetric, InterfaceMetric}),
    );
  }
}

const isManual = ({Origin, InterfaceAlias, AddressFamily}: JsonObject, network: SavedNetwork): boolean =>
  Origin !== undefined
    ? Origin === 'Manual'
    : !leases(network, String(InterfaceAlias), AddressFamily === 'IPv6' ? 'IPv6' : 'IPv4');

function restoreNameServers(state: NodeState, network: SavedNetwork, from: string, adapter: JsonObject): void {
  const manual = network.dnsServers.filter(row => same(row.InterfaceAlias, from) && isManual(row, network));
  removeRows(state, 'dnsServers', row => isOn(row, adapter) && row.Origin === 'Manual');
  for (const row of manual) {
    removeRows(state, 'dnsServers', other => isOn(other, adapter) && other.AddressFamily === row.AddressFamily);
    addRows(state, 'dnsServers', {...row, ...ofAdapter(adapter)});
  }
}

/** Restores routes to their original store. Windows adds on-link routes, and DHCP adds the default route. */
function restoreRoutes(state: NodeState, network: SavedNetwork, from: string, adapter: JsonObject): void {
  for (const route of network.netRoutes) {
    const {DestinationPrefix, NextHop, RouteMetric, Store} = route;
    if (!same(route.InterfaceAlias, from) || NextHop === '0.0.0.0' || NextHop === '::') continue;
    const isIt = (row: JsonObject) => row.DestinationPrefix === DestinationPrefix && row.NextHop === NextHop;
    const isPersistent = network.netRoutes.some(row => isIt(row) && row.Store === 'PersistentStore');
    const comesByItself =
      String(NextHop).startsWith('fe80:') || (DestinationPrefix === '0.0.0.0/0' && hadLease(network, from, 'IPv4'));
    if (comesByItself && !isPersistent) continue;
    removeRows(state, 'netRoutes', row => isOn(row, adapter) && isIt(row) && row.Store === Store);
    addRows(state, 'netRoutes', {DestinationPrefix, NextHop, ...ofAdapter(adapter), RouteMetric, Store});
  }
}

/**
 * After an undo: restores the settings of the node's adapter on the adapter that has the address now, otherwise on the
 * one with the same name, otherwise on the one with the same MAC address.
 */
export function restoreNode(host: Host, network: SavedNetwork, address: string): string {
  const {state} = host;
  const had = network.netIPAddresses.find(({IPAddress}) => IPAddress === address);
  if (!had) return `No adapter had address ${address} when the plan began.`;
  const from = String(had.InterfaceAlias);
  const mac = network.netAdapters.find(({Name}) => same(Name, from))?.MacAddress;
  const alike = rows(state, 'netAdapters').filter(({MacAddress}) => MacAddress === mac);
  const to =
    adapterNamed(state, String(addressOwner(state, address))) ??
    adapterNamed(state, from) ??
    alike.find(({Virtual}) => Virtual === true) ??
    alike[0];
  if (!to) throw new StepError('Failed', `No adapter exists for address ${address}.`);
  const missing = missingAddresses(state, savedAddresses(network, from), String(to.Name));
  restoreAddresses(host, network, from, String(to.Name));
  return missing.length === 0
    ? `Address ${address} exists.`
    : `${missing.length} addresses of ${from} were restored on ${to.Name}.`;
}

/** Requests a lease; the DHCP server may not answer. */
export function renewLease(host: Host, adapter: JsonObject): void {
  const {state} = host;
  const lease = host.leaseFor(String(adapter.Name), String(adapter.MacAddress));
  if (!lease) return;
  dropLeases(state, adapter, 'IPv4');
  removeRows(
    state,
    'netRoutes',
    row => isOn(row, adapter) && row.DestinationPrefix === '0.0.0.0/0' && row.Store === 'ActiveStore',
  );
  addAddress(host, adapter, lease.address, lease.prefix, 'Dhcp');
  addRows(state, 'netRoutes', {
    DestinationPrefix: '0.0.0.0/0',
    NextHop: lease.gateway,
    ...ofAdapter(adapter),
    RouteMetric: 0,
    Store: 'ActiveStore',
  });
  const isManual = rows(state, 'dnsServers').some(row => isOn(row, adapter) && row.Origin === 'Manual');
  if (!isManual) setNameServers(state, adapter, lease.servers);
}

interface Way {
  destination: string;
  nextHop: string;
  metric?: number | undefined;
}

export type Store = 'ActiveStore' | 'PersistentStore';

export function hasRoute(state: NodeState, adapter: JsonObject, way: Way, store: Store): boolean {
  return rows(state, 'netRoutes').some(row => isOn(row, adapter) && isWay(row, way) && row.Store === store);
}

const isWay = (row: JsonObject, {destination, nextHop}: Way): boolean =>
  row.DestinationPrefix === destination && row.NextHop === nextHop;

export function addRoute(
  state: NodeState,
  adapter: JsonObject,
  {destination, nextHop, metric = 256}: Way,
  stores: readonly Store[],
): void {
  for (const Store of stores) {
    addRows(state, 'netRoutes', {
      DestinationPrefix: destination,
      NextHop: nextHop,
      ...ofAdapter(adapter),
      RouteMetric: metric,
      Store,
    });
  }
}

export function removeRoute(state: NodeState, index: unknown, way: Way, stores: readonly Store[]): void {
  removeRows(
    state,
    'netRoutes',
    row => row.InterfaceIndex === index && isWay(row, way) && stores.some(store => store === row.Store),
  );
}

function addAddress({state, random}: Host, row: JsonObject, ip: string, prefix: number, origin: 'Dhcp' | 'Manual') {
  const network = new HostNetwork(random, state);
  const adapter = network.named(String(row.Name));
  if (!adapter) return;
  network.address(adapter, ip, prefix, origin);
  Object.assign(state.sections, network.sections());
}

function setDhcp(state: NodeState, adapter: JsonObject, family: Family, enabled: boolean): void {
  editRows(
    state,
    'netIPInterfaces',
    row => isOn(row, adapter) && row.AddressFamily === family,
    () => ({Dhcp: enabled ? 'Enabled' : 'Disabled'}),
  );
  if (!enabled) dropLeases(state, adapter, family);
}

/** Windows removes the routes of an address with it. */
function dropLeases(state: NodeState, adapter: JsonObject, family: Family): void {
  const leased = rows(state, 'netIPAddresses').filter(row => isOn(row, adapter) && isLease(row, family));
  const routes = new Set(leased.flatMap(row => onLink(String(row.IPAddress), Number(row.PrefixLength))));
  removeRows(state, 'netIPAddresses', row => leased.includes(row));
  removeRows(
    state,
    'netRoutes',
    row => isOn(row, adapter) && row.NextHop === '0.0.0.0' && routes.has(String(row.DestinationPrefix)),
  );
}

const onLink = (address: string, prefix: number): string[] =>
  familyOf(address) === 'IPv6' ? [] : [networkOf(address, prefix), `${address}/32`, `${broadcast(address, prefix)}/32`];

function setNameServers(state: NodeState, adapter: JsonObject, servers: unknown): void {
  removeRows(state, 'dnsServers', row => isOn(row, adapter));
  addRows(state, 'dnsServers', {...ofAdapter(adapter), ServerAddresses: listAt({servers}, 'servers')});
}

const isOn = (row: JsonObject, adapter: JsonObject): boolean => row.InterfaceIndex === adapter.InterfaceIndex;

const ofAdapter = ({Name, InterfaceIndex}: JsonObject): JsonObject => ({InterfaceAlias: Name, InterfaceIndex});
