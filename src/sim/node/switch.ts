import {isObject, type JsonObject} from '../json.js';
import type {Random} from '../random.js';
import {addRows, editRows, removeRows} from './edit.js';
import {HostNetwork} from './host-network.js';
import {type NodeState, rows} from './state.js';

const byInterface = ['netIPAddresses', 'netIPInterfaces', 'netRoutes', 'dnsServers'];

export const networkNamed = (state: NodeState, name: string): JsonObject | undefined =>
  rows(state, 'hnsNetworks').find(network => network.Name === name);

/** The physical adapter under a network: by name, otherwise the one bound to a switch, otherwise the first. */
export function uplinkOf(state: NodeState, network: JsonObject): JsonObject | undefined {
  const bound = new Set(
    rows(state, 'adapterBindings')
      .filter(binding => binding.ComponentID === 'vms_pp' && binding.Enabled === true)
      .map(binding => binding.Name),
  );
  const physical = rows(state, 'netAdapters').filter(adapter => adapter.HardwareInterface === true);
  return (
    physical.find(adapter => adapter.Name === network.NetworkAdapterName) ??
    physical.find(adapter => bound.has(adapter.Name)) ??
    physical[0]
  );
}

/** Adds a network. The first one on an adapter creates a switch, whose vNIC takes over the adapter's addresses. */
export function addNetwork(state: NodeState, network: JsonObject, random: Random, nicName?: string): void {
  const uplink = uplinkOf(state, network);
  addRows(state, 'hnsNetworks', network);
  if (!uplink || isBound(state, uplink)) return;
  const name = nicName ?? `vEthernet (${uplink.Name})`;
  addSwitch(state, network, uplink, random);
  const host = new HostNetwork(random, state);
  host.adapter({
    name,
    description: 'Hyper-V Virtual Ethernet Adapter',
    index: host.nextIndex(),
    mac: String(uplink.MacAddress).replaceAll('-', ':').toLowerCase(),
    mtu: Number(uplink.MtuSize),
    // The uplink's TCP/IP settings move here.
    elsewhere: true,
  });
  Object.assign(state.sections, host.sections());
  const nic = rows(state, 'netAdapters').find(adapter => adapter.Name === name);
  if (nic) moveAddresses(state, uplink, nic);
  bind(state, uplink, true);
}

function addSwitch(state: NodeState, network: JsonObject, uplink: JsonObject, random: Random): void {
  if (state.errors.vmSwitches) return;
  const id = random.for('switch').uuid();
  const extensions = Array.isArray(network.Extensions) ? network.Extensions.filter(isObject) : [];
  addRows(state, 'vmSwitches', {
    Name: network.Name,
    Id: id,
    SwitchType: 'External',
    NetAdapterInterfaceDescription: uplink.InterfaceDescription,
    AllowManagementOS: true,
  });
  addRows(
    state,
    'vmSwitchExtensions',
    ...extensions.map(extension => ({
      SwitchName: network.Name,
      SwitchId: id,
      Id: extension.Id,
      Name: extension.Name,
      ExtensionType: kindOf(String(extension.Name)),
      Enabled: extension.IsEnabled,
      Running: true,
    })),
  );
}

const kindOf = (extension: string) =>
  /filtering/i.test(extension) ? 'Filter' : /capture/i.test(extension) ? 'Capture' : 'Forwarding';

/** Removes a network with its endpoints and their adapters. The last network on a switch removes the switch. */
export function removeNetwork(state: NodeState, network: JsonObject): void {
  const endpoints = rows(state, 'hnsEndpoints').filter(endpoint => endpoint.VirtualNetwork === network.ID);
  for (const endpoint of endpoints) removeEndpoint(state, endpoint);
  removeRows(state, 'hnsNetworks', row => row.ID === network.ID);
  const isShared = rows(state, 'hnsNetworks').some(other => other.LayeredOn === network.LayeredOn);
  const uplink = uplinkOf(state, network);
  if (!isShared && uplink) loseSwitch(state, uplink);
}

/** HNS does not count remote endpoints. */
export function countEndpoints(state: NodeState): void {
  const local = rows(state, 'hnsEndpoints').filter(endpoint => endpoint.IsRemoteEndpoint !== true);
  editRows(
    state,
    'hnsNetworks',
    () => true,
    ({ID, MaxConcurrentEndpoints, TotalEndpoints}) => {
      const count = local.filter(endpoint => endpoint.VirtualNetwork === ID).length;
      return {
        CurrentEndpointCount: count,
        MaxConcurrentEndpoints: Math.max(count, Number(MaxConcurrentEndpoints)),
        TotalEndpoints: Math.max(count, Number(TotalEndpoints)),
      };
    },
  );
}

/** Only attached endpoints have a vNIC: a remote endpoint or a source VIP can have the same name as the uplink. */
export function removeEndpoint(state: NodeState, {ID, Name, State, IsRemoteEndpoint}: JsonObject): void {
  removeRows(state, 'hnsEndpoints', row => row.ID === ID);
  const isAttached = (State === 2 || State === 3) && IsRemoteEndpoint !== true;
  if (isAttached) loseAdapters(state, adapter => adapter.Name === `vEthernet (${Name})`);
}

/** Removes the switch with its vNICs. The address of the management vNIC returns to the uplink. */
export function loseSwitch(state: NodeState, uplink: JsonObject): void {
  const management = rows(state, 'netAdapters').find(
    adapter => adapter.Virtual === true && adapter.MacAddress === uplink.MacAddress,
  );
  if (management) moveAddresses(state, management, uplink);
  const nat = (adapter: JsonObject) => adapter.Name === 'vEthernet (nat)';
  loseAdapters(state, adapter => adapter.Virtual === true && !nat(adapter));
  const gone = new Set(
    rows(state, 'vmSwitches')
      .filter(row => row.NetAdapterInterfaceDescription === uplink.InterfaceDescription)
      .map(row => row.Name),
  );
  removeRows(state, 'vmSwitches', row => gone.has(row.Name));
  removeRows(state, 'vmSwitchExtensions', row => gone.has(row.SwitchName));
  bind(state, uplink, false);
}

const isBound = (state: NodeState, {Name}: JsonObject) =>
  rows(state, 'adapterBindings').some(row => row.Name === Name && row.ComponentID === 'vms_pp' && row.Enabled === true);

/** An adapter under a switch has no TCP/IP. */
function bind(state: NodeState, {Name}: JsonObject, toSwitch: boolean): void {
  editRows(
    state,
    'adapterBindings',
    binding => binding.Name === Name,
    binding => ({Enabled: (binding.ComponentID === 'vms_pp') === toSwitch}),
  );
}

function moveAddresses(state: NodeState, from: JsonObject, to: JsonObject): void {
  for (const section of byInterface) {
    editRows(
      state,
      section,
      row => row.InterfaceAlias === from.Name,
      row => {
        const address = String(row.IPAddress ?? '').replace(/%\d+$/, `%${to.InterfaceIndex}`);
        return {
          InterfaceAlias: to.Name,
          InterfaceIndex: to.InterfaceIndex,
          ...(address && {IPAddress: address}),
          ...('Forwarding' in row && {Forwarding: 'Disabled'}),
        };
      },
    );
  }
}

export function loseAdapters(state: NodeState, picks: (adapter: JsonObject) => boolean): void {
  const gone = new Set(
    rows(state, 'netAdapters')
      .filter(picks)
      .map(adapter => adapter.Name),
  );
  removeRows(state, 'netAdapters', adapter => gone.has(adapter.Name));
  for (const section of byInterface) removeRows(state, section, row => gone.has(row.InterfaceAlias));
}
