import {broadcast, networkOf} from '../addresses.js';
import type {JsonObject} from '../json.js';
import {dashed, type Random} from '../random.js';
import {type NodeState, rows} from './state.js';

export interface SimulatedAdapter {
  name: string;
  index: number;
  /** Lower case, with colons. */
  mac: string;
  mtu: number;
}

interface AdapterFields extends SimulatedAdapter {
  description: string;
  physical?: boolean;
  /** The vNIC of a pod is in another compartment: its addresses are not visible here. */
  elsewhere?: boolean;
  dhcp?: boolean;
  forwarding?: boolean;
}

const loopback = 'Loopback Pseudo-Interface 1';

/** Adapters, addresses and routes of a host, kept consistent as Windows does. */
export class HostNetwork {
  readonly #random: Random;
  readonly #adapters: JsonObject[];
  readonly #addresses: JsonObject[];
  readonly #interfaces: JsonObject[];
  readonly #routes: JsonObject[];
  readonly #dns: JsonObject[];
  readonly #bindings: JsonObject[];

  /** Starts with loopback only, or with the network of an existing host. */
  constructor(random: Random, host?: NodeState) {
    this.#random = random;
    const there = (section: string) => (host ? rows(host, section) : []);
    this.#adapters = there('netAdapters');
    this.#addresses = there('netIPAddresses');
    this.#interfaces = there('netIPInterfaces');
    this.#routes = there('netRoutes');
    this.#dns = there('dnsServers');
    this.#bindings = there('adapterBindings');
    if (host) return;
    const adapter = {name: loopback, index: 1};
    this.#addAddress(adapter, '127.0.0.1', 8, 'WellKnown');
    this.#addInterface(adapter, 'IPv4', 4294967295, false, false);
    this.#routes.push(route('127.0.0.0/8', '0.0.0.0', adapter, 256));
  }

  adapter(fields: AdapterFields): SimulatedAdapter {
    const {name, index, mac, mtu, description, physical = false, elsewhere = false} = fields;
    this.#adapters.push({
      Name: name,
      InterfaceDescription: description,
      InterfaceIndex: index,
      InterfaceGuid: `{${this.#random.guid()}}`,
      Status: 'Up',
      MacAddress: dashed(mac),
      MtuSize: mtu,
      Virtual: !physical,
      HardwareInterface: physical,
      Hidden: false,
      LinkSpeed: '10 Gbps',
      ComponentID: physical ? 'pci\\ven_15ad&dev_07b0' : 'vms_mp',
    });
    // An adapter under a virtual switch has no TCP/IP; `physical` adds it if there is no switch.
    if (!elsewhere && !physical) this.#addTcpIp(fields);
    return {name, index, mac, mtu};
  }

  named(name: string): SimulatedAdapter | undefined {
    const row = this.#adapters.find(adapter => adapter.Name === name);
    if (!row) return undefined;
    const mac = String(row.MacAddress).replaceAll('-', ':').toLowerCase();
    return {name, index: Number(row.InterfaceIndex), mac, mtu: Number(row.MtuSize)};
  }

  /** An unused interface index. */
  nextIndex(): number {
    return 1 + Math.max(1, ...this.#adapters.map(adapter => Number(adapter.InterfaceIndex)));
  }

  /** A physical adapter. Under a switch, its address is on a vNIC. */
  physical(fields: Omit<AdapterFields, 'physical'>, underSwitch: boolean): SimulatedAdapter {
    const adapter = this.adapter({...fields, physical: true});
    if (!underSwitch) this.#addTcpIp(fields);
    this.#bindings.push(
      {Name: adapter.name, ComponentID: 'vms_pp', Enabled: underSwitch},
      {Name: adapter.name, ComponentID: 'ms_tcpip', Enabled: !underSwitch},
    );
    return adapter;
  }

  /** An address. For IPv4, also adds the routes that Windows creates. */
  address(adapter: SimulatedAdapter, address: string, prefix: number, origin: 'Dhcp' | 'Manual'): void {
    const linkLocal = this.#addresses.findIndex(row => row.InterfaceAlias === adapter.name);
    const isV6 = address.includes(':');
    const row = addressRow(adapter, address, prefix, origin, isV6 ? 'IPv6' : 'IPv4');
    this.#addresses.splice(linkLocal < 0 ? this.#addresses.length : linkLocal, 0, row);
    if (isV6) return;
    for (const destination of [networkOf(address, prefix), `${address}/32`, `${broadcast(address, prefix)}/32`]) {
      this.#routes.push(route(destination, '0.0.0.0', adapter, 256));
    }
  }

  /** A route, unless it already exists. */
  route(destination: string, nextHop: string, adapter: SimulatedAdapter, metric = 256, store = 'ActiveStore'): void {
    const isIt = (row: JsonObject) =>
      row.DestinationPrefix === destination &&
      row.NextHop === nextHop &&
      row.InterfaceAlias === adapter.name &&
      row.Store === store;
    if (!this.#routes.some(isIt)) this.#routes.push(route(destination, nextHop, adapter, metric, store));
  }

  /** Enables forwarding on an adapter. */
  forward({name}: SimulatedAdapter): void {
    for (const [index, row] of this.#interfaces.entries()) {
      if (row.InterfaceAlias === name && row.AddressFamily === 'IPv4') {
        this.#interfaces[index] = {...row, Forwarding: 'Enabled'};
      }
    }
  }

  /** The default route. A static one is also in the persistent store. */
  defaultRoute(adapter: SimulatedAdapter, gateway: string, isStatic: boolean): void {
    this.route('0.0.0.0/0', gateway, adapter, isStatic ? 256 : 0);
    if (isStatic) this.route('0.0.0.0/0', gateway, adapter, 256, 'PersistentStore');
  }

  dns(adapter: SimulatedAdapter, servers: readonly string[]): void {
    this.#dns.push({InterfaceAlias: adapter.name, InterfaceIndex: adapter.index, ServerAddresses: servers});
  }

  sections(): JsonObject {
    return {
      netAdapters: this.#adapters,
      netIPAddresses: this.#addresses,
      netIPInterfaces: this.#interfaces,
      netRoutes: this.#routes,
      dnsServers: this.#dns,
      adapterBindings: this.#bindings,
    };
  }

  #addTcpIp({name, index, mtu, dhcp = false, forwarding = false}: Omit<AdapterFields, 'description'>): void {
    const parts = Array.from({length: 4}, () => this.#random.hex(4)).join(':');
    this.#addAddress({name, index}, `fe80::${parts}%${index}`, 64, 'WellKnown', 'IPv6');
    this.#addInterface({name, index}, 'IPv4', mtu, forwarding, dhcp);
    this.#addInterface({name, index}, 'IPv6', mtu, false, true);
  }

  #addAddress(adapter: Named, address: string, prefix: number, origin: string, family = 'IPv4'): void {
    this.#addresses.push(addressRow(adapter, address, prefix, origin, family));
  }

  #addInterface({name, index}: Named, family: string, mtu: number, forwarding: boolean, dhcp: boolean): void {
    this.#interfaces.push({
      InterfaceAlias: name,
      InterfaceIndex: index,
      AddressFamily: family,
      NlMtu: mtu,
      Forwarding: forwarding ? 'Enabled' : 'Disabled',
      Dhcp: dhcp ? 'Enabled' : 'Disabled',
      ConnectionState: 'Connected',
    });
  }
}

type Named = Pick<SimulatedAdapter, 'name' | 'index'>;

const addressRow = ({name, index}: Named, address: string, prefix: number, origin: string, family = 'IPv4') => ({
  InterfaceAlias: name,
  InterfaceIndex: index,
  IPAddress: address,
  PrefixLength: prefix,
  AddressFamily: family,
  PrefixOrigin: origin,
  AddressState: 'Preferred',
});

const route = (destination: string, nextHop: string, {name, index}: Named, metric: number, store = 'ActiveStore') => ({
  DestinationPrefix: destination,
  NextHop: nextHop,
  InterfaceAlias: name,
  InterfaceIndex: index,
  RouteMetric: metric,
  Store: store,
});
