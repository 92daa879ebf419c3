// Prints the reports of the parts as one table. reports/mutants/survivors.txt lists the survivors.
import {readFileSync, writeFileSync} from 'node:fs';

const counted = {Killed: 'killed', Timeout: 'killed', Survived: 'survived', NoCoverage: 'uncovered'};

export function tableOf(parts) {
  const rows = parts.map(({name, report, of}) => ({
    of,
    part: name,
    ...rowOf(`\`${name}\``, JSON.parse(readFileSync(report, 'utf8'))),
  }));
  writeFileSync('reports/mutants/survivors.txt', rows.map(({list}) => list).join(''));
  const totals = Object.entries(groups)
    .map(([name, pattern]) =>
      totalOf(
        `**${name}**`,
        rows.filter(row => pattern.test(row.part)),
      ),
    )
    .filter(({files}) => files > 0);
  return [
    '| part | files | mutants | killed | survived | in no test | score |',
    '|---|---|---|---|---|---|---|',
    ...[...rows, ...totals].map(lineOf),
  ].join('\n');
}

/** Parts that are counted together, by their names. */
const groups = {
  repair: /^repair/,
  checks: /^checks/,
  'wire, repair, checks': /^(wire|repair|checks)/,
  plugins: /^plugins/,
};

function totalOf(name, rows) {
  const sum = key => rows.reduce((total, row) => total + row[key], 0);
  return {
    name,
    ...Object.fromEntries(['files', 'of', 'killed', 'survived', 'uncovered'].map(key => [key, sum(key)])),
  };
}

function lineOf({name, files, of, killed, survived, uncovered}) {
  const mutants = killed + survived + uncovered;
  const score = ((100 * killed) / mutants).toFixed(1);
  return `| ${name} | ${files} of ${of} | ${mutants} | ${killed} | ${survived} | ${uncovered} | ${score} % |`;
}

function rowOf(name, {files}) {
  const row = {name, files: Object.keys(files).length, killed: 0, survived: 0, uncovered: 0, list: ''};
  for (const [file, {source, mutants}] of Object.entries(files))
    for (const mutant of mutants) {
      const kind = counted[mutant.status];
      if (kind) row[kind] += 1;
      if (kind && kind !== 'killed') row.list += tell(file, source, mutant);
    }
  return row;
}

function tell(file, source, {location: {start}, status, replacement}) {
  const line = source.split('\n')[start.line - 1].trim();
  return `${file}:${start.line}:${start.column} ${status}\n  ${line}\n  here: ${replacement.replaceAll(/\s+/g, ' ')}\n`;
}
