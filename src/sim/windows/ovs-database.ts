import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';
import {WinError} from '../../lib/errors.js';
import type {NodeDump} from '../../snapshot/document.js';
import {isObject} from '../json.js';
import {type OvsTable, tablesOf} from '../node/ovs.js';
import {rows} from '../node/state.js';
import {unset} from './ovs-columns.mjs';

const schemas = ['/usr/share/openvswitch', '/usr/local/share/openvswitch'].map(folder =>
  join(folder, 'vswitch.ovsschema'),
);
const tableNames = ['Open_vSwitch', 'Bridge', 'Port', 'Interface'] as const;
/** The pipe of a database in `C:\openvswitch\var\run\openvswitch`. */
const pipe = 'C:openvswitchvarrunopenvswitchdb.sock';

type Tables = Partial<Record<(typeof tableNames)[number], OvsTable>>;

/** Whether OVS is installed on the host. If OVS is only in the agent's pod, there are no services and programs. */
export const hasOvsOnHost = (state: NodeDump): boolean =>
  rows(state, 'services').some(({Name}) => Name === 'ovsdb-server');

/** Whether the node's OVS runs in the pod of its agent. */
export const runsOvsInPod = (state: NodeDump): boolean =>
  isObject(state.sections.ovs) &&
  !hasOvsOnHost(state) &&
  rows(state, 'processes').some(({Name}) => Name === 'ovsdb-server.exe');

/**
 * A real ovsdb-server with the tables of a node's state, for nodes whose OVS the helper can read only through its pipe.
 * Changes by the helper are visible when the state is read.
 */
export class OvsDatabase {
  readonly #folder: string;
  readonly #socket: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#socket = join(folder, 'db.sock');
  }

  /** `machine` is the folder with the node's files and the sockets that represent its pipes. */
  static start(machine: string): OvsDatabase {
    const schema = schemas.find(path => existsSync(path));
    if (schema === undefined || spawnSync('ovsdb-server', ['--version']).status !== 0)
      throw new WinError('OVS of this simulated node runs in a pod, which requires ovsdb-server. It was not found.', {
        next: ['Install Open vSwitch (ovsdb-server, ovsdb-client and vswitch.ovsschema), or use --helper=simulated.'],
      });
    const database = new OvsDatabase(join(machine, 'ovs'));
    mkdirSync(database.#folder);
    const file = join(database.#folder, 'conf.db');
    execFileSync('ovsdb-tool', ['create', file, schema], {stdio: 'ignore'});
    const options = ['--detach', '--no-chdir', `--pidfile=${database.#pidFile}`];
    execFileSync('ovsdb-server', [file, `--remote=punix:${database.#socket}`, ...options, '--log-file=/dev/null'], {
      env: {...process.env, OVS_RUNDIR: database.#folder},
      stdio: 'ignore',
    });
    mkdirSync(join(machine, 'pipes'), {recursive: true});
    symlinkSync(database.#socket, join(machine, 'pipes', pipe));
    return database;
  }

  get #pidFile(): string {
    return join(this.#folder, 'pid');
  }

  /** Changes the tables to those of a state, if they differ. */
  write(state: NodeDump): void {
    const wanted = tablesOf(state.sections.ovs);
    const found = this.#tablesLike(wanted);
    if (isDeepStrictEqual(inOneForm(wanted), inOneForm(found))) return;
    this.#transact(tableNames.flatMap(table => changesOf(table, rowsOf(found[table]), rowsOf(wanted[table]))));
  }

  /** The state with the current tables. */
  read(state: NodeDump): NodeDump {
    const {ovs} = state.sections;
    if (!isObject(ovs)) return state;
    return {...state, sections: {...state.sections, ovs: {...ovs, Tables: this.#tablesLike(tablesOf(ovs))}}};
  }

  stop(): void {
    if (existsSync(this.#pidFile)) process.kill(Number(readFileSync(this.#pidFile, 'utf8')));
  }

  /** With the columns and row order of the state. */
  #tablesLike(known: Tables): Tables {
    const found = this.#transact(tableNames.map(table => ({op: 'select', table, where: []})));
    return Object.fromEntries(
      tableNames.map((table, index) => {
        const {headings = [], data = []} = known[table] ?? {};
        const order = data.map(cells => JSON.stringify(cells[headings.indexOf('_uuid')]));
        const place = (row: Row) => (order.indexOf(JSON.stringify(row._uuid)) + order.length + 1) % (order.length + 1);
        const list = [...(found[index]?.rows ?? [])].sort((one, other) => place(one) - place(other));
        return [table, {headings, data: list.map(row => headings.map(column => row[column] ?? unset(column)))}];
      }),
    );
  }

  #transact(operations: readonly object[]): {rows?: Row[]}[] {
    const request = JSON.stringify(['Open_vSwitch', ...operations]);
    const answer = execFileSync('ovsdb-client', ['transact', `unix:${this.#socket}`, request], {encoding: 'utf8'});
    const results = JSON.parse(answer) as {rows?: Row[]; error?: string; details?: string}[];
    const failed = results.find(({error}) => error !== undefined);
    if (failed) throw new Error(`ovsdb-server refused: ${failed.error}: ${failed.details}`);
    return results;
  }
}

type Row = Record<string, unknown>;

const rowsOf = ({headings, data}: OvsTable = {headings: [], data: []}): Row[] =>
  data.map(cells => Object.fromEntries(headings.map((heading, index) => [heading, cells[index]])));

const idOf = ({_uuid}: Row): string | undefined => (Array.isArray(_uuid) ? String(_uuid[1]) : undefined);

/** A row that stays is updated, because a transaction cannot delete and insert the same UUID. Names are immutable. */
function changesOf(table: string, before: readonly Row[], after: readonly Row[]): object[] {
  const where = (id: string | undefined) => [['_uuid', '==', ['uuid', id]]];
  const gone = before.map(idOf).filter(id => !after.some(row => idOf(row) === id));
  return [
    ...gone.map(id => ({op: 'delete', table, where: where(id)})),
    ...after.map(row => {
      const {_uuid, ...columns} = row;
      const uuid = idOf(row);
      if (!before.some(other => idOf(other) === uuid)) return {op: 'insert', table, uuid, row: columns};
      const {name: _name, ...mutable} = columns;
      return {op: 'update', table, where: where(uuid), row: mutable};
    }),
  ];
}

/** Sets and maps have no order. */
function inOneForm(tables: Tables): unknown {
  const cell = (value: unknown): unknown =>
    Array.isArray(value) && (value[0] === 'set' || value[0] === 'map') && Array.isArray(value[1])
      ? [value[0], value[1].map(member => JSON.stringify(member)).sort()]
      : value;
  return tableNames.map(name => (tables[name]?.data ?? []).map(cells => JSON.stringify(cells.map(cell))).sort());
}
