// Stand-in for ovs-vsctl.exe: the commands that the helper uses, on the tables of the state file.
import {randomUUID} from 'node:crypto';
import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {withLock} from './lock.mjs';
import {unset} from './ovs-columns.mjs';

const path = process.env.KUBECTL_WIN_STATE ?? '';

function rowsOf(tables, name) {
  const {headings, data} = tables[name];
  return data.map(cells => Object.fromEntries(headings.map((heading, index) => [heading, cells[index]])));
}

function setRows(tables, name, rows) {
  tables[name].data = rows.map(row => tables[name].headings.map(heading => row[heading]));
}

const references = value => (value?.[0] === 'uuid' ? [value[1]] : (value?.[1] ?? []).map(([, uuid]) => uuid));
const referTo = uuids => (uuids.length === 1 ? ['uuid', uuids[0]] : ['set', uuids.map(uuid => ['uuid', uuid])]);

function newRow(tables, name, values) {
  const empty = tables[name].headings.map(heading => [heading, unset(heading)]);
  return {...Object.fromEntries(empty), _uuid: ['uuid', randomUUID()], ...values};
}

function addPort(tables, bridge, name, type) {
  const link = newRow(tables, 'Interface', {name, type, ofport: -1});
  const port = newRow(tables, 'Port', {name, interfaces: link._uuid});
  setRows(tables, 'Interface', [...rowsOf(tables, 'Interface'), link]);
  setRows(tables, 'Port', [...rowsOf(tables, 'Port'), port]);
  const bridges = rowsOf(tables, 'Bridge').map(row =>
    row.name === bridge ? {...row, ports: referTo([...references(row.ports), port._uuid[1]])} : row,
  );
  setRows(tables, 'Bridge', bridges);
}

function updateRoot(tables) {
  const bridges = referTo(rowsOf(tables, 'Bridge').map(row => row._uuid[1]));
  setRows(
    tables,
    'Open_vSwitch',
    rowsOf(tables, 'Open_vSwitch').map(row => ({...row, bridges})),
  );
}

const commands = {
  list: (tables, [name]) => `${JSON.stringify({data: tables[name].data, headings: tables[name].headings})}\n`,
  'del-br'(tables, [name]) {
    const bridge = rowsOf(tables, 'Bridge').find(row => row.name === name);
    if (bridge === undefined) return;
    const ports = references(bridge.ports);
    const gone = rowsOf(tables, 'Port').filter(row => ports.includes(row._uuid[1]));
    const links = gone.flatMap(row => references(row.interfaces));
    const without = (table, uuids) =>
      setRows(
        tables,
        table,
        rowsOf(tables, table).filter(row => !uuids.includes(row._uuid[1])),
      );
    without('Interface', links);
    without('Port', ports);
    without('Bridge', [bridge._uuid[1]]);
    updateRoot(tables);
  },
  'add-br'(tables, [name]) {
    if (rowsOf(tables, 'Bridge').some(row => row.name === name)) return;
    setRows(tables, 'Bridge', [...rowsOf(tables, 'Bridge'), newRow(tables, 'Bridge', {name})]);
    addPort(tables, name, name, 'internal');
    updateRoot(tables);
  },
  'add-port'(tables, [bridge, name]) {
    if (!rowsOf(tables, 'Port').some(row => row.name === name)) addPort(tables, bridge, name, '');
  },
  set(tables, [table, name, ...settings]) {
    const rows = rowsOf(tables, table);
    const row = rows.find(each => each.name === name);
    for (const setting of settings) setColumn(row, setting);
    setRows(tables, table, rows);
  },
};

/** `column=value`, with `[a,b]` for a set and `{k=v}` for a map; strings are quoted as in JSON. */
function setColumn(row, setting) {
  const [, column, value] = /^(\w+)=(.*)$/s.exec(setting) ?? [];
  if (column === undefined) throw new Error(`cannot parse '${setting}'`);
  const atoms = value.match(/"(?:\\.|[^"\\])*"|[^\s,="{}[\]]+/g)?.map(atom => JSON.parse(atom)) ?? [];
  if (value.startsWith('{'))
    row[column] = ['map', atoms.flatMap((key, index) => (index % 2 === 0 ? [[key, atoms[index + 1]]] : []))];
  else row[column] = atoms.length === 1 ? atoms[0] : ['set', atoms];
}

function main(words) {
  const {sections, errors} = JSON.parse(readFileSync(path, 'utf8'));
  if (words.includes('--version')) return `ovs-vsctl (Open vSwitch) ${sections.ovs?.Version}\n`;
  if (errors?.ovs?.kind === 'Timeout') {
    setTimeout(() => undefined, 3_600_000);
    return '';
  }
  if (errors?.ovs) throw new Error(errors.ovs.message);
  const text = words
    .join('\0')
    .split('\0--\0')
    .map(command => command.split('\0').filter(word => !word.startsWith('--')));
  const wanted = text.filter(command => command.length > 0 && command[0] !== '');
  return withLock(path, () => runCommands(wanted));
}

function runCommands(wanted) {
  const state = JSON.parse(readFileSync(path, 'utf8'));
  const output = wanted.map(([name, ...rest]) => {
    if (commands[name] === undefined) throw new Error(`unknown command '${name}'`);
    return commands[name](state.sections.ovs.Tables, rest) ?? '';
  });
  if (wanted.some(([name]) => name !== 'list')) {
    writeFileSync(`${path}.new`, JSON.stringify(state));
    renameSync(`${path}.new`, path);
  }
  return output.join('');
}

try {
  process.stdout.write(main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`ovs-vsctl: ${error.message}\n`);
  process.exitCode = 1;
}
