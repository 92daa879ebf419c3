import {
  anything,
  described,
  jsonSchemaOf,
  list,
  number,
  object,
  optional,
  type Read,
  type Reader,
  shaped,
  text,
  wholeList,
} from './values.js';

export interface OvsInterface {
  name: string;
  type: string;
  /** The error that ovs-vswitchd reports for it. */
  error: string | undefined;
  /** -1 or absent: not created. 65534: the bridge's local port. */
  ofport: number | undefined;
  options: Record<string, string>;
  externalIds: Record<string, string>;
}

export interface OvsPort {
  name: string;
  externalIds: Record<string, string>;
  interfaces: OvsInterface[];
}

export interface OvsBridge {
  name: string;
  datapathId: string | undefined;
  externalIds: Record<string, string>;
  ports: OvsPort[];
}

export interface Ovs {
  version: string | undefined;
  dbPath: string | undefined;
  runDir: string | undefined;
  /** external_ids of the one Open_vSwitch row: system-id, ovn-remote, ovn-encap-ip, … */
  externalIds: Record<string, string>;
  bridges: OvsBridge[];
}

/** A table as printed by `ovs-vsctl --format=json list TABLE`; sets, maps and UUIDs as in RFC 7047 (5.1). */
const tableAsPrinted = object({headings: wholeList(text), data: wholeList(wholeList(anything))});
const table: Reader<Read<typeof tableAsPrinted>> = described(
  value => tableAsPrinted(value ?? {headings: [], data: []}),
  () => ({anyOf: [jsonSchemaOf(tableAsPrinted), {type: 'null'}]}),
);

type Row = Record<string, unknown>;

export const ovs = shaped(
  object({
    Version: optional(text),
    DbPath: optional(text),
    RunDir: optional(text),
    Tables: object({Open_vSwitch: table, Bridge: table, Port: table, Interface: table}),
  }),
  ({Version, DbPath, RunDir, Tables}): Ovs => {
    const interfaces = byUuid(rows(Tables.Interface));
    const ports = byUuid(rows(Tables.Port));
    const rootRow = rows(Tables.Open_vSwitch)[0] ?? {};
    return {
      version: Version,
      dbPath: DbPath,
      runDir: RunDir,
      externalIds: map(rootRow.external_ids),
      bridges: rows(Tables.Bridge).map(bridge => ({
        name: scalar(bridge.name) ?? '',
        datapathId: scalar(bridge.datapath_id),
        externalIds: map(bridge.external_ids),
        ports: pick(ports, bridge.ports).map(port => ({
          name: scalar(port.name) ?? '',
          externalIds: map(port.external_ids),
          interfaces: pick(interfaces, port.interfaces).map(toInterface),
        })),
      })),
    };
  },
);

/** The number of flows of a bridge, or the reason why they could not be counted. */
export const ovsFlows = shaped(
  object({
    Bridge: text,
    Flows: optional(number),
    Tables: list(object({Table: number, Flows: number})),
    Error: optional(text),
  }),
  value => ({
    bridge: value.Bridge,
    /** Undefined if `error` is set. */
    flows: value.Error === undefined ? value.Flows : undefined,
    /** Only tables with flows. */
    tables: value.Tables.map(({Table, Flows}) => ({table: Table, flows: Flows})),
    error: value.Error,
  }),
);

function toInterface(row: Row): OvsInterface {
  const error = scalar(row.error);
  const ofport = scalar(row.ofport);
  return {
    name: scalar(row.name) ?? '',
    type: scalar(row.type) ?? '',
    error: error === '' ? undefined : error,
    ofport: ofport === undefined ? undefined : Number(ofport),
    options: map(row.options),
    externalIds: map(row.external_ids),
  };
}

function rows({headings, data}: Read<typeof table>): Row[] {
  return data.map(cells => {
    const row: Row = Object.create(null);
    for (const [i, heading] of headings.entries()) row[heading] = cells[i];
    return row;
  });
}

function byUuid(all: Row[]): Map<string, Row> {
  return new Map(all.map(row => [uuids(row._uuid)[0] ?? '', row]));
}

function pick(all: Map<string, Row>, references: unknown): Row[] {
  return uuids(references)
    .map(uuid => all.get(uuid))
    .filter(row => row !== undefined);
}

/** `["uuid", x]` or `["set", [["uuid", x], …]]`. */
function uuids(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  if (value[0] === 'uuid' && typeof value[1] === 'string') return [value[1]];
  if (value[0] === 'set' && Array.isArray(value[1])) return value[1].flatMap(uuids);
  return [];
}

/** One value: undefined for an empty set, the first value of a larger set. */
function scalar(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value[0] === 'set' && Array.isArray(value[1])) return scalar(value[1][0]);
  return undefined;
}

function map(value: unknown): Record<string, string> {
  if (!Array.isArray(value) || value[0] !== 'map' || !Array.isArray(value[1])) return {};
  return Object.fromEntries(
    value[1].flatMap(pair => (Array.isArray(pair) && pair.length === 2 ? [[String(pair[0]), String(pair[1])]] : [])),
  );
}

/** A server of OVN's southbound database. */
export interface SouthboundServer {
  readonly host: string;
  readonly port: string;
}

/** The port of a database of OVS that names none. */
const usualPort = '6640';

/** The servers in `ovn-remote`: `tcp:[10.0.0.1]:6642,ssl:10.0.0.2:6642`. */
export function southboundServers(remote: string): SouthboundServer[] {
  return remote.split(',').flatMap(entry => {
    const [, bracketed, bare, port = usualPort] =
      /^(?:tcp|ssl):(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/i.exec(entry.trim()) ?? [];
    const host = bracketed ?? bare;
    return host === undefined ? [] : [{host, port}];
  });
}
