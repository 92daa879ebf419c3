import {broadcast, networkOf} from '../addresses.js';
import {type JsonObject, listAt} from '../json.js';
import {addRows, editRows, removeRows} from '../node/edit.js';
import {HostNetwork} from '../node/host-network.js';
import {type NodeState, rows} from '../node/state.js';
import type {SavedNetwork} from './folder.js';
import {type Host, StepError, same} from './step.js';

// Addresses, routes and name servers as they were when a plan began, and the way back to them.

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

/** Addresses worth keeping: those that Windows would not make up by itself. */
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

/** Puts what an adapter had on another one: leases are asked for anew, the rest is written. */
export function restoreAddresses(host: Host, network: SavedNetwork, from: string, to: string): void {
  const {state} = host;
  const adapter = adapterNamed(state, to);
  if (!adapter) return;
  const wanted = savedAddresses(network, from);
  const leased = wanted.some(({PrefixOrigin}) => PrefixOrigin === 'Dhcp');
  setDhcp(state, adapter, leased);
  if (leased) renewLease(host, adapter);
  for (const {IPAddress, PrefixLength, PrefixOrigin} of missingAddresses(state, wanted, to)) {
    if (PrefixOrigin === 'Manual') addAddress(host, adapter, String(IPAddress), Number(PrefixLength), 'Manual');
  }
  for (const route of network.netRoutes) {
    // On-link routes come with the address, and the way out comes with a lease.
    if (!same(route.InterfaceAlias, from) || route.Store !== 'ActiveStore') continue;
    if (route.NextHop === '0.0.0.0' || route.NextHop === '::') continue;
    if (leased && route.DestinationPrefix === '0.0.0.0/0') continue;
    const way = {destination: String(route.DestinationPrefix), nextHop: String(route.NextHop)};
    if (!hasRoute(state, adapter, way)) addRoute(state, adapter, {...way, metric: Number(route.RouteMetric)});
  }
  for (const {InterfaceAlias, ServerAddresses} of network.dnsServers) {
    if (!leased && same(InterfaceAlias, from)) setNameServers(state, adapter, ServerAddresses);
  }
}

/**
 * After an undo: what the adapter of the node's address had and no adapter has now goes back to that adapter, or to the
 * one with its MAC address.
 */
export function restoreNode(host: Host, network: SavedNetwork, address: string): string {
  const {state} = host;
  const had = network.netIPAddresses.find(({IPAddress}) => IPAddress === address);
  if (!had) return `Address ${address} was not there when the plan began.`;
  const from = String(had.InterfaceAlias);
  const present = new Set(rows(state, 'netIPAddresses').map(({IPAddress}) => IPAddress));
  const missing = savedAddresses(network, from).filter(({IPAddress}) => !present.has(IPAddress));
  if (missing.length === 0) return `Address ${address} is there.`;
  const mac = network.netAdapters.find(({Name}) => same(Name, from))?.MacAddress;
  const alike = rows(state, 'netAdapters').filter(({MacAddress}) => MacAddress === mac);
  const to = adapterNamed(state, from) ?? alike.find(({Virtual}) => Virtual === true) ?? alike[0];
  if (!to) throw new StepError('Failed', `No adapter is left that could have address ${address}.`);
  restoreAddresses(host, network, from, String(to.Name));
  return `${missing.length} addresses of ${from} were put back on ${to.Name}.`;
}

/** Asks the DHCP server, which may not answer. */
export function renewLease(host: Host, adapter: JsonObject): void {
  const {state} = host;
  const lease = host.leaseFor(String(adapter.Name), String(adapter.MacAddress));
  if (!lease) return;
  dropLeases(state, adapter);
  removeRows(state, 'netRoutes', row => isOn(row, adapter) && row.DestinationPrefix === '0.0.0.0/0');
  addAddress(host, adapter, lease.address, lease.prefix, 'Dhcp');
  addRows(state, 'netRoutes', {
    DestinationPrefix: '0.0.0.0/0',
    NextHop: lease.gateway,
    ...ofAdapter(adapter),
    RouteMetric: 0,
    Store: 'ActiveStore',
  });
  setNameServers(state, adapter, lease.servers);
}

interface Way {
  destination: string;
  nextHop: string;
  metric?: number | undefined;
}

export function hasRoute(state: NodeState, adapter: JsonObject, {destination, nextHop}: Way): boolean {
  return rows(state, 'netRoutes').some(
    row =>
      isOn(row, adapter) &&
      row.DestinationPrefix === destination &&
      row.NextHop === nextHop &&
      row.Store === 'ActiveStore',
  );
}

/** New-NetRoute writes both stores. */
export function addRoute(state: NodeState, adapter: JsonObject, {destination, nextHop, metric = 256}: Way): void {
  for (const Store of ['ActiveStore', 'PersistentStore']) {
    addRows(state, 'netRoutes', {
      DestinationPrefix: destination,
      NextHop: nextHop,
      ...ofAdapter(adapter),
      RouteMetric: metric,
      Store,
    });
  }
}

export function removeRoute(state: NodeState, index: unknown, {destination, nextHop}: Way): void {
  removeRows(
    state,
    'netRoutes',
    row => row.InterfaceIndex === index && row.DestinationPrefix === destination && row.NextHop === nextHop,
  );
}

function addAddress({state, random}: Host, row: JsonObject, ip: string, prefix: number, origin: 'Dhcp' | 'Manual') {
  const network = new HostNetwork(random, state);
  const adapter = network.named(String(row.Name));
  if (!adapter) return;
  network.address(adapter, ip, prefix, origin);
  Object.assign(state.sections, network.sections());
}

function setDhcp(state: NodeState, adapter: JsonObject, enabled: boolean): void {
  editRows(
    state,
    'netIPInterfaces',
    row => isOn(row, adapter) && row.AddressFamily === 'IPv4',
    () => ({Dhcp: enabled ? 'Enabled' : 'Disabled'}),
  );
  if (!enabled) dropLeases(state, adapter);
}

/** The routes that Windows adds for an address go with it. */
function dropLeases(state: NodeState, adapter: JsonObject): void {
  const leased = rows(state, 'netIPAddresses').filter(row => isOn(row, adapter) && row.PrefixOrigin === 'Dhcp');
  const routes = new Set(leased.flatMap(row => onLink(String(row.IPAddress), Number(row.PrefixLength))));
  removeRows(state, 'netIPAddresses', row => leased.includes(row));
  removeRows(
    state,
    'netRoutes',
    row => isOn(row, adapter) && row.NextHop === '0.0.0.0' && routes.has(String(row.DestinationPrefix)),
  );
}

const onLink = (address: string, prefix: number): string[] => [
  networkOf(address, prefix),
  `${address}/32`,
  `${broadcast(address, prefix)}/32`,
];

function setNameServers(state: NodeState, adapter: JsonObject, servers: unknown): void {
  removeRows(state, 'dnsServers', row => isOn(row, adapter));
  addRows(state, 'dnsServers', {...ofAdapter(adapter), ServerAddresses: listAt({servers}, 'servers')});
}

const isOn = (row: JsonObject, adapter: JsonObject): boolean => row.InterfaceIndex === adapter.InterfaceIndex;

const ofAdapter = ({Name, InterfaceIndex}: JsonObject): JsonObject => ({InterfaceAlias: Name, InterfaceIndex});
