import type {NodeDump} from '../../src/snapshot/document.js';

export type Row = Record<string, unknown>;

export function rows({sections}: Pick<NodeDump, 'sections'>, section: string): Row[] {
  const value = sections[section];
  return Array.isArray(value) ? value : [];
}

const pick = (row: Row, ...keys: string[]): string => keys.map(key => JSON.stringify(row[key] ?? null)).join(' ');

interface Table {
  headings: string[];
  data: unknown[][];
}

/** Bridges with their ports and the settings of their interfaces, without row IDs. */
function ovsEssence(ovs: unknown): unknown {
  const {Tables} = ovs as {Tables: Record<string, Table>};
  const table = (name: string): Row[] => {
    const {headings = [], data = []} = Tables[name] ?? {};
    return data.map(cells => Object.fromEntries(headings.map((heading, index) => [heading, cells[index]])));
  };
  const uuids = (value: unknown): string[] => {
    const [kind, content] = value as [string, unknown];
    return kind === 'uuid' ? [String(content)] : (content as [string, string][]).map(([, uuid]) => uuid);
  };
  const named = (from: string, value: unknown) =>
    table(from).filter(row => uuids(value).includes(uuids(row._uuid)[0] ?? ''));
  const settings = (row: Row, ...columns: string[]) =>
    Object.fromEntries(columns.map(column => [column, sortedMap(row[column])]));
  return Object.fromEntries(
    table('Bridge').map(bridge => [
      bridge.name,
      {
        ...settings(bridge, 'datapath_type', 'fail_mode', 'external_ids', 'other_config'),
        ports: named('Port', bridge.ports)
          .map(port => ({
            name: port.name,
            ...settings(port, 'external_ids'),
            interfaces: named('Interface', port.interfaces).map(each => ({
              name: each.name,
              ...settings(each, 'type', 'options', 'external_ids'),
            })),
          }))
          .toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
      },
    ]),
  );
}

function sortedMap(value: unknown): unknown {
  const [kind, pairs] = Array.isArray(value) ? value : [];
  return kind === 'map' ? ['map', [...pairs].sort()] : value;
}

/** The parts of a node that a plan changes, without what differs after recreation: IDs, indexes, times. */
export function essence(state: NodeDump): Record<string, unknown> {
  const {firewall, ovs} = state.sections;
  const list = (section: string, ...keys: string[]) =>
    rows(state, section)
      .map(row => pick(row, ...keys))
      .sort();
  const subnets = ({Subnets}: Row) =>
    ((Subnets ?? []) as Row[]).map(row => pick(row, 'AddressPrefix', 'GatewayAddress')).join();
  return {
    networks: rows(state, 'hnsNetworks')
      .map(row => `${pick(row, 'Name', 'Type', 'NetworkAdapterName')} ${subnets(row)}`)
      .sort(),
    endpoints: list('hnsEndpoints', 'Name', 'IPAddress', 'MacAddress'),
    policyLists: list('hnsPolicyLists', 'Policies'),
    adapters: list('netAdapters', 'Name', 'MacAddress', 'Status'),
    addresses: rows(state, 'netIPAddresses')
      .filter(({IPAddress}) => !String(IPAddress).startsWith('fe80'))
      .map(row => pick(row, 'InterfaceAlias', 'IPAddress', 'PrefixLength', 'PrefixOrigin'))
      .sort(),
    routes: rows(state, 'netRoutes')
      .filter(({NextHop, Store}) => NextHop !== '0.0.0.0' && Store === 'ActiveStore')
      .map(row => pick(row, 'InterfaceAlias', 'DestinationPrefix', 'NextHop'))
      .sort(),
    dns: list('dnsServers', 'InterfaceAlias', 'ServerAddresses'),
    bindings: list('adapterBindings', 'Name', 'ComponentID', 'Enabled'),
    switches: list('vmSwitches', 'Name', 'SwitchType', 'AllowManagementOS'),
    extensions: rows(state, 'vmSwitchExtensions')
      .filter(({Enabled}) => Enabled)
      .map(row => pick(row, 'SwitchName', 'Id'))
      .sort(),
    ovs: ovs === undefined ? undefined : ovsEssence(ovs),
    services: list('services', 'Name', 'State'),
    files: rows(state, 'files')
      .filter(({Exists}) => Exists)
      .map(({Path}) => Path),
    registry: list('registry', 'Path', 'Name', 'Value'),
    rules: ((firewall as {Rules?: Row[]} | undefined)?.Rules ?? [])
      .map(row => pick(row, 'DisplayName', 'Protocol', 'LocalPort'))
      .sort(),
    tasks: list('scheduledTasks', 'TaskName'),
  };
}

/**
 * The same without what is lost with a switch and only the agent recreates: endpoints and adapters of pods, and the
 * adapter of the OVS gateway port.
 */
export function withoutAgentParts(state: Record<string, unknown>, before: NodeDump): Record<string, unknown> {
  const {endpoints, ...rest} = state;
  const names = ['antrea-gw0', ...rows(before, 'hnsEndpoints').map(({Name}) => `vEthernet (${Name})`)];
  const keep = (value: unknown) =>
    (value as string[]).filter(row => !names.some(name => row.startsWith(JSON.stringify(name))));
  return {
    ...rest,
    adapters: keep(state.adapters),
    addresses: keep(state.addresses),
    routes: keep(state.routes),
    dns: keep(state.dns),
  };
}

/**
 * The result of undoing an OVS network: the configuration of the bridge adapter is on the plain NIC, and the agent
 * recreates its network when it starts.
 */
export function onPlainNic(state: Record<string, unknown>): Record<string, unknown> {
  const list = (name: string) => state[name] as string[];
  const moved = (name: string) =>
    list(name)
      .map(row => row.replace(/^"br-int"/, '"Ethernet0"'))
      .toSorted();
  const without = (name: string, start: string) => list(name).filter(row => !row.startsWith(JSON.stringify(start)));
  return {
    ...state,
    networks: without('networks', 'antrea-hnsnetwork'),
    switches: without('switches', 'antrea-hnsnetwork'),
    extensions: without('extensions', 'antrea-hnsnetwork'),
    adapters: without('adapters', 'br-int'),
    addresses: moved('addresses'),
    routes: moved('routes'),
    dns: moved('dns'),
    bindings: list('bindings')
      .map(row => row.replace('"Ethernet0" "vms_pp" true', '"Ethernet0" "vms_pp" false'))
      .map(row => row.replace('"Ethernet0" "ms_tcpip" false', '"Ethernet0" "ms_tcpip" true')),
  };
}

/** The result of undoing the removal of a bridge: rows are restored but not flows, so packets bypass OVS. */
export const withoutOvsExtension = (state: Record<string, unknown>): Record<string, unknown> => ({
  ...state,
  extensions: (state.extensions as string[]).filter(row => !row.includes('583CC151')),
});
