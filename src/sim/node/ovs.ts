import {isObject, type JsonObject} from '../json.js';
import type {Random} from '../random.js';
import {unset} from '../windows/ovs-columns.mjs';

type Cell = unknown;

export interface OvsTable {
  headings: string[];
  data: Cell[][];
}

/** Cells as printed by `ovs-vsctl --format=json`. */
export const emptySet: Cell = ['set', []];
export const map = (entries: Record<string, string>): Cell => [
  'map',
  Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)),
];
/** A set with one member is printed as that member. */
export const set = (members: readonly Cell[]): Cell => (members.length === 1 ? members[0] : ['set', members]);
const uuid = (value: string): Cell => ['uuid', value];

const columns = {
  Open_vSwitch:
    '_uuid bridges cur_cfg datapath_types datapaths db_version dpdk_initialized dpdk_version external_ids iface_types manager_options next_cfg other_config ovs_version ssl statistics system_type system_version',
  Bridge:
    '_uuid auto_attach controller datapath_id datapath_type datapath_version external_ids fail_mode flood_vlans flow_tables ipfix mcast_snooping_enable mirrors name netflow other_config ports protocols rstp_enable rstp_status sflow status stp_enable',
  Port: '_uuid bond_active_slave bond_downdelay bond_fake_iface bond_mode bond_updelay cvlans external_ids fake_bridge interfaces lacp mac name other_config protected qos rstp_statistics rstp_status statistics status tag trunks vlan_mode',
  Interface:
    '_uuid admin_state bfd bfd_status cfm_fault cfm_fault_status cfm_flap_count cfm_health cfm_mpid cfm_remote_mpids cfm_remote_opstate duplex error external_ids ifindex ingress_policing_burst ingress_policing_rate lacp_current link_resets link_speed link_state lldp mac mac_in_use mtu mtu_request name ofport ofport_request options other_config statistics status type',
} as const;

type TableName = keyof typeof columns;

export interface PortRow {
  name: string;
  type: 'internal' | 'geneve' | '';
  mac: string;
  ofport: number;
  /** Missing for tunnels, which are not adapters. */
  ifindex?: number;
  mtu?: number;
  requested?: number;
  speed?: number;
  ids?: Record<string, string>;
  interfaceIds?: Record<string, string>;
  options?: Record<string, string>;
}

export interface BridgeRow {
  name: string;
  ports: readonly PortRow[];
  columns: Record<string, Cell>;
}

const interfaceTypes = 'bareudp erspan geneve gre internal ip6erspan ip6gre lisp patch stt system tap vxlan'.split(' ');

/** The tables of conf.db with all columns. */
export function ovsTables(
  version: string,
  externalIds: Record<string, string>,
  bridges: readonly BridgeRow[],
  random: Random,
): Record<TableName, OvsTable> {
  const tables = Object.fromEntries(
    Object.entries(columns).map(([name, list]) => [name, {headings: list.split(' '), data: []}]),
  ) as unknown as Record<TableName, OvsTable>;
  const insert = (table: TableName, values: Record<string, Cell>) => insertRow(tables[table], values, random);
  const bridgeIds = bridges.map(bridge => {
    const ports = bridge.ports.map(port => {
      const interfaces = insert('Interface', interfaceRow(port, random));
      return insert('Port', portRow(port, interfaces));
    });
    return insert('Bridge', {
      name: bridge.name,
      datapath_type: 'system',
      datapath_version: '<unknown>',
      ports: set(ports),
      ...bridge.columns,
    });
  });
  const configuration = random.int(20, 90);
  insert('Open_vSwitch', {
    bridges: set(bridgeIds),
    cur_cfg: configuration,
    next_cfg: configuration,
    datapath_types: set(['netdev', 'system']),
    db_version: '8.3.0',
    external_ids: map(externalIds),
    iface_types: set(interfaceTypes),
    ovs_version: version,
    system_type: 'windows',
    system_version: 'unknown',
  });
  return tables;
}

function insertRow(table: OvsTable, values: Record<string, Cell>, random: Random): Cell {
  const id = random.uuid();
  const row = {_uuid: uuid(id), ...values} as Record<string, Cell>;
  table.data.push(table.headings.map(column => row[column] ?? unset(column)));
  return uuid(id);
}

const portRow = ({name, ids}: PortRow, interfaces: Cell): Record<string, Cell> => ({
  name,
  interfaces,
  ...(ids && {external_ids: map(ids)}),
});

/** Adds a port to a bridge in existing tables. */
export function addPort(
  tables: Partial<Record<TableName, OvsTable>>,
  bridge: string,
  port: PortRow,
  random: Random,
): void {
  const {Bridge, Port, Interface} = tables;
  if (!Bridge || !Port || !Interface) return;
  const added = insertRow(Port, portRow(port, insertRow(Interface, interfaceRow(port, random), random)), random);
  changeRows(Bridge, ({name, ports}) => (name === bridge ? {ports: set([...members(ports), added])} : {}));
}

function members(cell: Cell): Cell[] {
  const [kind, content] = Array.isArray(cell) ? cell : [];
  if (kind === 'uuid') return [cell];
  return kind === 'set' && Array.isArray(content) ? content : [];
}

export const portNames = (section: unknown): string[] =>
  (tablesOf(section).Port?.data ?? []).map(cells =>
    String(cells[tablesOf(section).Port?.headings.indexOf('name') ?? 0]),
  );

function interfaceRow(port: PortRow, random: Random): Record<string, Cell> {
  const counters = ['rx', 'tx'].flatMap(way => [
    [`${way}_bytes`, random.int(50_000_000, 900_000_000)],
    [`${way}_dropped`, 0],
    [`${way}_errors`, 0],
    [`${way}_packets`, random.int(300_000, 9_900_000)],
  ]);
  return {
    name: port.name,
    type: port.type,
    admin_state: 'up',
    link_state: 'up',
    mac_in_use: port.mac,
    ofport: port.ofport,
    statistics: ['map', counters],
    ...(port.ifindex !== undefined && {ifindex: port.ifindex}),
    ...(port.mtu !== undefined && {mtu: port.mtu}),
    ...(port.requested !== undefined && {ofport_request: port.requested}),
    ...(port.speed !== undefined && {link_speed: port.speed}),
    ...(port.interfaceIds && {external_ids: map(port.interfaceIds)}),
    ...(port.options && {options: map(port.options)}),
  };
}

/** The mutable tables of the `ovs` section; empty if OVS cannot be read. */
export function tablesOf(section: unknown): Partial<Record<TableName, OvsTable>> {
  return isObject(section) && isObject(section.Tables) ? (section.Tables as Record<TableName, OvsTable>) : {};
}

/** Updates rows of a table: `change` gets a row as an object and returns the columns to set. */
export function changeRows(table: OvsTable | undefined, change: (row: JsonObject) => Record<string, Cell>): void {
  if (!table) return;
  table.data = table.data.map(cells => {
    const row = Object.fromEntries(table.headings.map((heading, index) => [heading, cells[index]]));
    const set = change(row);
    return table.headings.map((heading, index) => (heading in set ? set[heading] : cells[index]));
  });
}
