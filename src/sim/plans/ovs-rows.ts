import {randomUUID} from 'node:crypto';
import type {JsonObject} from '../json.js';
import {isObject, listAt, textAt} from '../json.js';
import {emptySet, type OvsTable, tablesOf} from '../node/ovs.js';
import type {NodeState} from '../node/state.js';

// Rows of conf.db, as ovs-vsctl changes them.

type Row = Record<string, unknown>;
type Tables = ReturnType<typeof tablesOf>;
type Name = keyof Tables;

const mapColumns = new Set(['external_ids', 'other_config', 'options', 'status', 'statistics']);

function rowsOf(table: OvsTable | undefined): Row[] {
  const {headings = [], data = []} = table ?? {};
  return data.map(cells => Object.fromEntries(headings.map((heading, index) => [heading, cells[index]])));
}

function setRowsOf(table: OvsTable | undefined, changed: readonly Row[]): void {
  if (table) table.data = changed.map(row => table.headings.map(heading => row[heading]));
}

const uuidOf = (row: Row): string => String(listAt(row, '_uuid')[1]);

/** A reference, or a set of them. */
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
  const empty = table.headings.map(heading => [heading, mapColumns.has(heading) ? ['map', []] : emptySet] as const);
  setRowsOf(table, [...rowsOf(table), {...Object.fromEntries(empty), _uuid: ['uuid', id], ...values}]);
  return id;
}

function addPort(tables: Tables, bridge: string, name: string, type: string): void {
  const link = insert(tables, 'Interface', {name, type, ofport: -1});
  const port = insert(tables, 'Port', {name, interfaces: ['uuid', link]});
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

/** Takes a port out of the bridge that has it. */
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

export interface Setting {
  column: string;
  key: string;
  value: unknown;
}

interface SavedPort {
  name: string;
  settings: Setting[];
  interfaces: {name: string; settings: Setting[]}[];
}

/** What can be configured of a bridge, its ports and interfaces. The rest ovs-vswitchd finds out. */
export interface SavedBridge {
  name: string;
  settings: Setting[];
  ports: SavedPort[];
}

export function readBridge(state: NodeState, name: string): SavedBridge | undefined {
  const tables = tablesOf(state.sections.ovs);
  const bridge = rowsOf(tables.Bridge).find(row => row.name === name);
  if (!bridge) return undefined;
  const among = (table: Name, cell: unknown) =>
    rowsOf(tables[table]).filter(row => references(cell).includes(uuidOf(row)));
  return {
    name,
    settings: settingsOf(bridge, ['datapath_type', 'fail_mode', 'external_ids', 'other_config']),
    ports: among('Port', bridge.ports).map(port => ({
      name: textAt(port, 'name'),
      settings: settingsOf(port, ['tag', 'external_ids', 'other_config']),
      interfaces: among('Interface', port.interfaces).map(link => ({
        name: textAt(link, 'name'),
        settings: settingsOf(link, [
          'type',
          'options',
          'external_ids',
          'other_config',
          'ofport_request',
          'mtu_request',
        ]),
      })),
    })),
  };
}

/** Columns that are set, as column, key (of a map) and value. */
function settingsOf(row: Row, columns: readonly string[]): Setting[] {
  return columns.flatMap(column => {
    const cell = row[column];
    if (!Array.isArray(cell)) return cell === undefined || cell === '' ? [] : [{column, key: '', value: cell}];
    if (cell[0] !== 'map') return [];
    return listAt({pairs: cell[1]}, 'pairs').map(pair => {
      const [key, value] = Array.isArray(pair) ? pair : [];
      return {column, key: String(key), value};
    });
  });
}

/** Makes a bridge as it was. */
export function createBridge(state: NodeState, bridge: SavedBridge): void {
  const tables = tablesOf(state.sections.ovs);
  if (!rowsOf(tables.Bridge).some(row => row.name === bridge.name)) {
    insert(tables, 'Bridge', {name: bridge.name, datapath_type: ''});
    addPort(tables, bridge.name, bridge.name, 'internal');
    updateRoot(tables);
  }
  configure(tables, 'Bridge', bridge);
  for (const port of bridge.ports) {
    if (!rowsOf(tables.Port).some(row => row.name === port.name)) addPort(tables, bridge.name, port.name, '');
    configure(tables, 'Port', port);
    for (const link of port.interfaces) configure(tables, 'Interface', link);
  }
}

function configure(tables: Tables, table: Name, {name, settings}: {name: string; settings: readonly Setting[]}): void {
  const changed = rowsOf(tables[table]).map(row => (row.name === name ? settings.reduce(withSetting, row) : row));
  setRowsOf(tables[table], changed);
}

function withSetting(row: Row, {column, key, value}: Setting): Row {
  if (key === '') return {...row, [column]: value};
  const [, pairs] = Array.isArray(row[column]) ? (row[column] as unknown[]) : [];
  const others = (Array.isArray(pairs) ? pairs : []).filter(pair => listAt({pair}, 'pair')[0] !== key);
  return {...row, [column]: ['map', [...others, [key, value]]]};
}

export const isSavedBridge = (value: unknown): value is SavedBridge & JsonObject =>
  isObject(value) && typeof value.name === 'string' && Array.isArray(value.ports);

/** The names of a bridge's ports; undefined where there is no such bridge. */
export const bridges = (state: NodeState): {name: string; ports: string[]}[] =>
  rowsOf(tablesOf(state.sections.ovs).Bridge).map(({name}) => ({
    name: String(name),
    ports: readBridge(state, String(name))?.ports.map(port => port.name) ?? [],
  }));
