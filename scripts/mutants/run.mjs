// npm run test:mutants -- [--one-in N [--slice I]] [--workers N] [PART…]: makes many small changes to the program, one at a time,
// and counts those that a test detects. --one-in selects one file in N of each part, by the hash of its path: the
// first of N slices, or the one that --slice names. --table only prints the table of what has been measured.
import {createHash} from 'node:crypto';
import {existsSync, globSync, mkdirSync} from 'node:fs';
import {parseArgs} from 'node:util';
import {Stryker} from '@stryker-mutator/core';
import {parts} from './parts.mjs';
import {tableOf} from './table.mjs';

const number = {type: /** @type {const} */ ('string'), default: '1'};
const table = {type: /** @type {const} */ ('boolean'), default: false};
const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {'one-in': number, slice: number, workers: number, table},
});
const [oneIn, slice, concurrency] = [values['one-in'], values.slice, values.workers].map(Number);
const unknown = positionals.filter(wanted => !parts.some(({name}) => name === wanted));
if (!(oneIn >= slice && slice >= 1 && concurrency >= 1) || unknown.length > 0) {
  process.stderr.write(
    `Parts: ${parts.map(({name}) => name).join(', ')}. --one-in, --slice and --workers are numbers from 1.\n`,
  );
  process.exit(2);
}
mkdirSync('reports/mutants', {recursive: true});

const hash = text => createHash('sha256').update(text).digest('hex');

function sample(all) {
  const files = all.toSorted((a, b) => (hash(a) < hash(b) ? -1 : 1));
  const from = nth => Math.ceil((files.length * nth) / oneIn);
  return files.slice(from(slice - 1), from(slice)).sort();
}

const done = [];
for (const {name, mutate, tests} of parts) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const report = `reports/mutants/${name.replaceAll(/\W+/g, '-')}${slice > 1 ? `-${slice}` : ''}.json`;
  const files = globSync(mutate);
  const mutated = sample(files);
  if (mutated.length === 0 || (values.table && !existsSync(report))) continue;
  if (!values.table)
    await new Stryker({
      mutate: mutated,
      inProcess: {tests},
      concurrency,
      jsonReporter: {fileName: report},
    }).runMutationTest();
  done.push({name, report, of: files.length});
}
process.stdout.write(`\n${tableOf(done)}\n`);
