import type {NodeDump} from '../../src/snapshot/document.js';
import {type Row, rows} from './state.js';

// Networks that a plan must restore: each changes the Antrea node, whose address is a lease on br-int.

const adapter = 'br-int';
const isOn = (row: Row) => row.InterfaceAlias === adapter;

function edit(node: NodeDump, section: string, picks: (row: Row) => boolean, columns: Row): void {
  node.sections[section] = rows(node, section).map(row => (isOn(row) && picks(row) ? {...row, ...columns} : row));
}

function add(node: NodeDump, section: string, columns: Row): void {
  const {InterfaceIndex} = rows(node, 'netIPAddresses').find(isOn) ?? {};
  node.sections[section] = [...rows(node, section), {InterfaceAlias: adapter, InterfaceIndex, ...columns}];
}

const isV4 = ({AddressFamily}: Row) => AddressFamily === 'IPv4';
const isDefault = ({DestinationPrefix}: Row) => DestinationPrefix === '0.0.0.0/0';
const address = (IPAddress: string, PrefixLength: number, more: Row = {}): Row => ({
  IPAddress,
  PrefixLength,
  AddressFamily: IPAddress.includes(':') ? 'IPv6' : 'IPv4',
  PrefixOrigin: 'Manual',
  AddressState: 'Preferred',
  ...more,
});

function makeStatic(node: NodeDump): void {
  edit(node, 'netIPAddresses', isV4, {PrefixOrigin: 'Manual'});
  edit(node, 'netIPInterfaces', isV4, {Dhcp: 'Disabled'});
  edit(node, 'netRoutes', isDefault, {RouteMetric: 256});
  edit(node, 'dnsServers', () => true, {Origin: 'Manual'});
}

export const networks: Record<string, (node: NodeDump) => void> = {
  'a leased address': () => {},
  'a static IPv4 address beside DHCPv6': node => {
    makeStatic(node);
    edit(node, 'netIPInterfaces', row => !isV4(row), {Dhcp: 'Enabled'});
    add(node, 'netRoutes', {
      DestinationPrefix: '0.0.0.0/0',
      NextHop: '10.21.40.1',
      RouteMetric: 256,
      Store: 'PersistentStore',
    });
  },
  'a lease and a second address manually, which is no source': node => {
    add(node, 'netIPAddresses', address('10.21.40.200', 24, {SkipAsSource: true, Persistent: false}));
  },
  'a lease and a second address manually in both stores': node => {
    add(node, 'netIPAddresses', address('10.21.40.201', 24));
  },
  'active and persistent routes': node => {
    const route = (DestinationPrefix: string, Store: string, RouteMetric: number): void =>
      add(node, 'netRoutes', {DestinationPrefix, NextHop: '10.21.40.2', RouteMetric, Store});
    route('172.30.0.0/16', 'ActiveStore', 7);
    route('172.31.0.0/16', 'ActiveStore', 300);
    route('172.31.0.0/16', 'PersistentStore', 300);
    route('172.29.0.0/16', 'PersistentStore', 20);
    route('172.28.0.0/16', 'ActiveStore', 5);
    route('172.28.0.0/16', 'PersistentStore', 500);
  },
  'a metric manually': node => {
    edit(node, 'netIPInterfaces', isV4, {InterfaceMetric: 42, AutomaticMetric: 'Disabled'});
  },
  'DNS servers manually on a leased adapter': node => {
    edit(node, 'dnsServers', () => true, {ServerAddresses: ['10.9.9.9', '10.9.9.8'], Origin: 'Manual'});
    add(node, 'dnsServers', {AddressFamily: 'IPv6', ServerAddresses: ['fd00::53'], Origin: 'Manual'});
  },
};

/** Everything of an adapter, without indexes, what Windows adds with an address, and link-local addresses. */
export function networkOf(node: NodeDump, name: string): Record<string, unknown> {
  const list = (section: string, picks: (row: Row) => boolean, fields: (row: Row) => Row) =>
    rows(node, section)
      .filter(row => row.InterfaceAlias === name && picks(row))
      .map(row => JSON.stringify(fields(row)))
      .toSorted();
  const leases = new Set(
    rows(node, 'netIPInterfaces')
      .filter(row => row.InterfaceAlias === name && row.Dhcp === 'Enabled')
      .map(({AddressFamily}) => AddressFamily),
  );
  return {
    addresses: list(
      'netIPAddresses',
      ({IPAddress}) => !String(IPAddress).startsWith('fe80'),
      ({IPAddress, PrefixLength, PrefixOrigin, AddressFamily, SkipAsSource, Persistent}) => ({
        IPAddress,
        PrefixLength,
        PrefixOrigin,
        AddressFamily,
        SkipAsSource: SkipAsSource === true,
        Persistent: PrefixOrigin === 'Manual' && Persistent !== false,
      }),
    ),
    interfaces: list(
      'netIPInterfaces',
      () => true,
      ({AddressFamily, Dhcp, InterfaceMetric, AutomaticMetric = 'Enabled'}) => ({
        AddressFamily,
        Dhcp,
        AutomaticMetric,
        InterfaceMetric: AutomaticMetric === 'Enabled' ? null : InterfaceMetric,
      }),
    ),
    routes: list(
      'netRoutes',
      ({NextHop}) => NextHop !== '0.0.0.0',
      ({DestinationPrefix, NextHop, RouteMetric, Store}) => ({DestinationPrefix, NextHop, RouteMetric, Store}),
    ),
    servers: list(
      'dnsServers',
      () => true,
      ({AddressFamily = 'IPv4', ServerAddresses, Origin}) => ({
        AddressFamily,
        ServerAddresses,
        manual: Origin === undefined ? !leases.has(AddressFamily) : Origin === 'Manual',
      }),
    ),
  };
}
