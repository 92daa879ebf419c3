import {randomUUID} from 'node:crypto';
import {isDeepStrictEqual} from 'node:util';
import type {JsonObject} from '../json.js';
import {isObject, listAt, textAt} from '../json.js';
import {type OvsTable, tablesOf} from '../node/ovs.js';
import type {NodeState} from '../node/state.js';
import {unset} from '../windows/ovs-columns.mjs';

// Rows of conf.db, changed as by ovs-vsctl.

type Row = Record<string, unknown>;
type Tables = ReturnType<typeof tablesOf>;
type Name = keyof Tables;

function rowsOf(table: OvsTable | undefined): Row[] {
  const {headings = [], data = []} = table ?? {};
  return data.map(cells => Object.fromEntries(headings.map((heading, index) => [heading, cells[index]])));
}

function setRowsOf(table: OvsTable | undefined, changed: readonly Row[]): void {
  if (table) table.data = changed.map(row => table.headings.map(heading => row[heading]));
}

const uuidOf = (row: Row): string => String(listAt(row, '_uuid')[1]);

function references(cell: unknown): string[] {
  const [kind, content] = Array.isArray(cell) ? cell : [];
  if (kind === 'uuid') return [String(content)];
  return Array.isArray(content) ? content.map(item => String(listAt({item}, 'item')[1])) : [];
}

const referTo = (uuids: readonly string[]): unknown =>
  uuids.length === 1 ? ['uuid', uuids[0]] : ['set', uuids.map(uuid => ['uuid', uuid])];

function insert(tables: Tables, name: Name, values: Row): string {
  const table = tables[name];
  if (!table) return '';
  const id = randomUUID();
  const empty = table.headings.map(heading => [heading, unset(heading)] as const);
  setRowsOf(table, [...rowsOf(table), {...Object.fromEntries(empty), _uuid: ['uuid', id], ...values}]);
  return id;
}

function addPort(tables: Tables, bridge: string, {name, settings, interfaces}: SavedPort): void {
  const links = interfaces.map(link => insert(tables, 'Interface', {name: link.name, ofport: -1, ...link.settings}));
  const port = insert(tables, 'Port', {name, interfaces: referTo(links), ...settings});
  const bridges = rowsOf(tables.Bridge).map(row =>
    row.name === bridge ? {...row, ports: referTo([...references(row.ports), port])} : row,
  );
  setRowsOf(tables.Bridge, bridges);
}

function updateRoot(tables: Tables): void {
  const bridges = referTo(rowsOf(tables.Bridge).map(uuidOf));
  setRowsOf(
    tables.Open_vSwitch,
    rowsOf(tables.Open_vSwitch).map(row => ({...row, bridges})),
  );
}

function without(tables: Tables, name: Name, uuids: readonly string[]): void {
  const kept = rowsOf(tables[name]).filter(row => !uuids.includes(uuidOf(row)));
  setRowsOf(tables[name], kept);
}

export function deleteBridge(state: NodeState, name: string): void {
  const tables = tablesOf(state.sections.ovs);
  const bridge = rowsOf(tables.Bridge).find(row => row.name === name);
  if (!bridge) return;
  const ports = references(bridge.ports);
  const links = rowsOf(tables.Port)
    .filter(row => ports.includes(uuidOf(row)))
    .flatMap(row => references(row.interfaces));
  without(tables, 'Interface', links);
  without(tables, 'Port', ports);
  without(tables, 'Bridge', [uuidOf(bridge)]);
  updateRoot(tables);
}

/** Removes a port from its bridge. */
export function removePort(state: NodeState, name: string): void {
  const tables = tablesOf(state.sections.ovs);
  const gone = rowsOf(tables.Port).filter(row => row.name === name);
  if (gone.length === 0) return;
  const ports = gone.map(uuidOf);
  const links = gone.flatMap(row => references(row.interfaces));
  without(tables, 'Interface', links);
  without(tables, 'Port', ports);
  setRowsOf(
    tables.Bridge,
    rowsOf(tables.Bridge).map(row => ({
      ...row,
      ports: referTo(references(row.ports).filter(port => !ports.includes(port))),
    })),
  );
}

/** The columns of a row that are not default, as OVS writes them. */
type Settings = Record<string, unknown>;

interface SavedPort {
  name: string;
  settings: Settings;
  interfaces: {name: string; settings: Settings}[];
}

/** The configurable columns of a bridge, its ports and interfaces. ovs-vswitchd computes the others. */
export interface SavedBridge {
  name: string;
  settings: Settings;
  ports: SavedPort[];
}

const configurable = {
  Bridge:
    'datapath_type fail_mode protocols flood_vlans mcast_snooping_enable rstp_enable stp_enable external_ids other_config',
  Port: 'tag trunks vlan_mode cvlans mac protected fake_bridge bond_mode bond_updelay bond_downdelay bond_fake_iface lacp external_ids other_config',
  Interface:
    'type options mac mtu_request ofport_request ingress_policing_rate ingress_policing_burst bfd lldp external_ids other_config',
} as const;

export function readBridge(state: NodeState, name: string): SavedBridge | undefined {
  const tables = tablesOf(state.sections.ovs);
  const bridge = rowsOf(tables.Bridge).find(row => row.name === name);
  if (!bridge) return undefined;
  const among = (table: Name, cell: unknown) =>
    rowsOf(tables[table]).filter(row => references(cell).includes(uuidOf(row)));
  return {
    name,
    settings: settingsOf(bridge, 'Bridge'),
    ports: among('Port', bridge.ports).map(port => ({
      name: textAt(port, 'name'),
      settings: settingsOf(port, 'Port'),
      interfaces: among('Interface', port.interfaces).map(link => ({
        name: textAt(link, 'name'),
        settings: settingsOf(link, 'Interface'),
      })),
    })),
  };
}

function settingsOf(row: Row, table: keyof typeof configurable): Settings {
  const isSet = (column: string) => row[column] !== undefined && !isDeepStrictEqual(row[column], unset(column));
  return Object.fromEntries(
    configurable[table]
      .split(' ')
      .filter(isSet)
      .map(column => [column, row[column]]),
  );
}

/** Recreates a bridge. An existing one was already recreated by an undo or by the agent. */
export function createBridge(state: NodeState, bridge: SavedBridge): void {
  const tables = tablesOf(state.sections.ovs);
  if (rowsOf(tables.Bridge).some(row => row.name === bridge.name)) return;
  insert(tables, 'Bridge', {name: bridge.name, ...bridge.settings});
  for (const port of bridge.ports) addPort(tables, bridge.name, port);
  updateRoot(tables);
}

export const isSavedBridge = (value: unknown): value is SavedBridge & JsonObject =>
  isObject(value) && typeof value.name === 'string' && Array.isArray(value.ports);

export const bridges = (state: NodeState): {name: string; ports: string[]}[] =>
  rowsOf(tablesOf(state.sections.ovs).Bridge).map(({name}) => ({
    name: String(name),
    ports: readBridge(state, String(name))?.ports.map(port => port.name) ?? [],
  }));
