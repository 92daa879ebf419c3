import {isObject, type JsonObject, listAt} from '../json.js';
import {addRows, editRows, removeRows} from '../node/edit.js';
import {type NodeState, rows} from '../node/state.js';
import {loseAdapters, loseSwitch, removeEndpoint, removeNetwork, uplinkOf} from '../node/switch.js';
import {same} from './step.js';

// What Windows does automatically when networks, switches and adapters are removed.

/** Types that use a physical adapter. */
const isExternal = ({Type}: JsonObject): boolean => /^(transparent|l2bridge|l2tunnel|overlay)$/i.test(String(Type));

/** Removes a network with its endpoints. The last network on a switch removes the switch and its vNICs. */
export function dropNetwork(state: NodeState, network: JsonObject): void {
  if (!isExternal(network)) {
    for (const endpoint of rows(state, 'hnsEndpoints').filter(row => row.VirtualNetwork === network.ID)) {
      removeEndpoint(state, endpoint);
    }
    removeRows(state, 'hnsNetworks', row => row.ID === network.ID);
    dropSwitch(state, String(network.Name));
    return;
  }
  const uplink = uplinkOf(state, network);
  removeNetwork(state, network);
  if (uplink) regainTcpIp(state, uplink);
}

export function dropSwitch(state: NodeState, name: string): void {
  const found = rows(state, 'vmSwitches').find(row => same(row.Name, name));
  const uplink = rows(state, 'netAdapters').find(
    adapter =>
      found?.SwitchType === 'External' &&
      adapter.HardwareInterface === true &&
      adapter.InterfaceDescription === found.NetAdapterInterfaceDescription,
  );
  removeRows(state, 'vmSwitches', row => same(row.Name, name));
  removeRows(state, 'vmSwitchExtensions', row => same(row.SwitchName, name));
  if (!uplink) {
    loseAdapters(state, adapter => same(adapter.Name, `vEthernet (${name})`));
    return;
  }
  loseSwitch(state, uplink);
  regainTcpIp(state, uplink);
}

/** An adapter without a switch gets TCP/IP back. It has no lease until DHCP is renewed. */
export function regainTcpIp(state: NodeState, {Name, InterfaceIndex, MtuSize}: JsonObject): void {
  const isBound = rows(state, 'adapterBindings').some(
    row => row.Name === Name && row.ComponentID === 'vms_pp' && row.Enabled === true,
  );
  if (isBound || rows(state, 'netIPInterfaces').some(({InterfaceAlias}) => InterfaceAlias === Name)) return;
  for (const AddressFamily of ['IPv4', 'IPv6']) {
    addRows(state, 'netIPInterfaces', {
      InterfaceAlias: Name,
      InterfaceIndex,
      AddressFamily,
      NlMtu: MtuSize,
      Forwarding: 'Disabled',
      Dhcp: 'Enabled',
      ConnectionState: 'Connected',
    });
  }
}

/** The host's vNIC on a switch: it has the MAC address of the uplink, or the name of the switch. */
export function hostPort(state: NodeState, switchName: string): string | undefined {
  const found = rows(state, 'vmSwitches').find(row => same(row.Name, switchName));
  if (found?.AllowManagementOS !== true) return undefined;
  const adapters = rows(state, 'netAdapters');
  const uplink = adapters.find(
    ({HardwareInterface, InterfaceDescription}) =>
      HardwareInterface === true && InterfaceDescription === found.NetAdapterInterfaceDescription,
  );
  const nic = adapters.find(({Virtual, MacAddress}) => Virtual === true && uplink && MacAddress === uplink.MacAddress);
  return String(nic?.Name ?? found.Name);
}

/** Renames the vNIC with this MAC address. Returns whether it exists. */
export function restoreNicName(state: NodeState, name: string, mac: unknown): boolean {
  const adapters = rows(state, 'netAdapters');
  if (adapters.some(({Name}) => same(Name, name))) return true;
  const found = adapters.find(({Virtual, MacAddress}) => Virtual === true && MacAddress === mac);
  if (!found) return false;
  rename(state, String(found.Name), name);
  return true;
}

function rename(state: NodeState, from: string, to: string): void {
  editRows(
    state,
    'netAdapters',
    row => same(row.Name, from),
    () => ({Name: to}),
  );
  for (const section of ['netIPAddresses', 'netIPInterfaces', 'netRoutes', 'dnsServers']) {
    editRows(
      state,
      section,
      row => same(row.InterfaceAlias, from),
      () => ({InterfaceAlias: to}),
    );
  }
}

/** A switch has one forwarding extension: enabling one disables the others. HNS reports the same. */
export function setExtension(state: NodeState, extension: JsonObject, enabled: boolean): void {
  const {SwitchId, SwitchName, Id, ExtensionType} = extension;
  const isRival = (row: JsonObject) => enabled && ExtensionType === 'Forwarding' && row.ExtensionType === 'Forwarding';
  editRows(
    state,
    'vmSwitchExtensions',
    row => row.SwitchId === SwitchId && (row.Id === Id || isRival(row)),
    row => ({Enabled: row.Id === Id && enabled}),
  );
  const after = new Map(
    rows(state, 'vmSwitchExtensions')
      .filter(row => row.SwitchId === SwitchId)
      .map(row => [row.Id, row.Enabled]),
  );
  editRows(
    state,
    'hnsNetworks',
    network => same(network.Name, SwitchName),
    network => ({
      Extensions: listAt(network, 'Extensions')
        .filter(isObject)
        .map(row => (after.has(row.Id) ? {...row, IsEnabled: after.get(row.Id)} : row)),
    }),
  );
}
