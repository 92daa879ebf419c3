import {type JsonObject, textAt} from '../json.js';
import {type NodeState, rows} from '../node/state.js';

/** The output and exit code of a statement. */
export interface Ended {
  readonly out?: string;
  readonly error?: string;
  readonly exitCode: number;
  readonly ms?: number;
  /** Whether the shell exits with this code. */
  readonly leaves?: boolean;
}

export interface ShellNode {
  readonly host: string;
  readonly state: NodeState;
  readonly size: {columns: number; rows: number} | undefined;
}

/** Cmdlets that print a section of the node; the first argument is a name to find. */
const tables: Readonly<Record<string, {section: string; columns: readonly string[]}>> = {
  'get-netadapter': {section: 'netAdapters', columns: ['Name', 'InterfaceDescription', 'Status', 'MacAddress']},
  'get-netipaddress': {section: 'netIPAddresses', columns: ['InterfaceAlias', 'IPAddress', 'PrefixLength']},
  'get-netroute': {section: 'netRoutes', columns: ['DestinationPrefix', 'NextHop', 'InterfaceAlias', 'RouteMetric']},
  'get-hnsnetwork': {section: 'hnsNetworks', columns: ['Name', 'Type', 'ID']},
  'get-hnsendpoint': {section: 'hnsEndpoints', columns: ['Name', 'IPAddress', 'VirtualNetworkName']},
  'get-service': {section: 'services', columns: ['State', 'Name', 'DisplayName']},
  'get-process': {section: 'processes', columns: ['Name', 'ProcessId']},
};

/** The results of a script's statements, up to one that exits the shell. The last one determines the exit code. */
export function runScript(script: string, node: ShellNode): Ended[] {
  const all: Ended[] = [];
  for (const statement of script.split(/[\r\n;]+/).map(text => text.trim())) {
    if (statement !== '') all.push(runStatement(statement, node));
    if (all.at(-1)?.leaves) break;
  }
  return all;
}

function runStatement(statement: string, node: ShellNode): Ended {
  const [word = '', ...args] = wordsOf(statement);
  const name = word.toLowerCase().replace(/\.exe$/, '');
  if (name === 'exit') return {exitCode: Number(args[0] ?? 0), leaves: true};
  if (name === 'hostname') return printed(node.host);
  if (name === 'whoami') return printed('nt authority\\system');
  if (name === 'echo' || name === 'write-output') return printed(args.join('\r\n'));
  if (name === '$host.ui.rawui.windowsize') return windowSize(node);
  if (name === 'cmd') return commandPrompt(args, node);
  if (name === 'start-sleep') return {exitCode: 0, ms: Number(args.at(-1)) * 1000};
  if (name === 'get-date') return printed(new Date().toUTCString());
  const table = tables[name];
  if (table) return printTable(node, table, args[0] === '-Name' ? args[1] : args[0]);
  const known = ['cmd', 'echo', 'exit', 'get-date', 'hostname', 'start-sleep', 'whoami', ...Object.keys(tables)].join(
    ', ',
  );
  return {
    error: `${word} : The term '${word}' is not recognized as the name of a cmdlet, function, script file, or operable program.\r\nThis node is simulated: its shell has only ${known}.\r\n`,
    exitCode: 1,
  };
}

const printed = (text: string): Ended => ({out: `${text}\r\n`, exitCode: 0});

/** Without a terminal, the default size of Windows. */
function windowSize({size = {columns: 120, rows: 30}}: ShellNode): Ended {
  return printed(
    `\r\nWidth Height\r\n----- ------\r\n${String(size.columns).padStart(5)} ${String(size.rows).padStart(6)}\r\n`,
  );
}

function commandPrompt([flag = '', ...words]: readonly string[], node: ShellNode): Ended {
  const [word, ...args] = words.join(' ').trim().split(/\s+/);
  if (!/^\/[ck]$/i.test(flag) || word === undefined) return {exitCode: 0};
  if (word === 'exit') return {exitCode: Number(args.at(-1) ?? 0)};
  if (word === 'ver') return printed(`\r\nMicrosoft Windows [Version ${textAt(node.state.sections.os, 'Version')}]`);
  return runStatement([word, ...args].join(' '), node);
}

function printTable(
  {state}: ShellNode,
  {section, columns}: {section: string; columns: readonly string[]},
  wanted: string | undefined,
): Ended {
  const error = state.errors[section];
  if (error) return {error: `${error.message || error.kind}\r\n`, exitCode: 1};
  const isWanted = (row: JsonObject) => wanted === undefined || String(row.Name).toLowerCase() === wanted.toLowerCase();
  const found = rows(state, section).filter(isWanted);
  if (found.length === 0 && wanted !== undefined) return {error: `Cannot find '${wanted}'.\r\n`, exitCode: 1};
  const cells = [columns, columns.map(column => '-'.repeat(column.length))].concat(
    found.map(row => columns.map(column => String(row[column] ?? ''))),
  );
  const widths = columns.map((_, i) => Math.max(...cells.map(row => row[i]?.length ?? 0)));
  const lines = cells.map(row =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join(' ')
      .trimEnd(),
  );
  return printed(`\r\n${lines.join('\r\n')}\r\n`);
}

/** The words of a statement, without PowerShell's call operator and quotes. */
const wordsOf = (statement: string): string[] =>
  [...statement.replace(/^&\s*/, '').matchAll(/'((?:[^']|'')*)'|"([^"]*)"|\S+/g)].map(([whole, single, double]) =>
    single === undefined ? (double ?? whole) : single.replaceAll("''", "'"),
  );
