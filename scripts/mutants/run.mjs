// npm run test:mutants -- [--one-in N] [PART…]: changes the program in many small ways, one at a time, and counts the
// changes that a test notices. With --one-in, of each part one file in N, chosen by the hash of its path.
import {createHash} from 'node:crypto';
import {globSync, mkdirSync} from 'node:fs';
import {parseArgs} from 'node:util';
import {Stryker} from '@stryker-mutator/core';
import {parts} from './parts.mjs';
import {tableOf} from './table.mjs';

const {values, positionals} = parseArgs({allowPositionals: true, options: {'one-in': {type: 'string', default: '1'}}});
const oneIn = Number(values['one-in']);
const unknown = positionals.filter(wanted => !parts.some(({name}) => name === wanted));
if (!(oneIn >= 1) || unknown.length > 0) {
  process.stderr.write(`Parts: ${parts.map(({name}) => name).join(', ')}. --one-in is a number from 1.\n`);
  process.exit(2);
}
mkdirSync('reports/mutants', {recursive: true});

const hash = text => createHash('sha256').update(text).digest('hex');

function sample(all) {
  const files = all.toSorted((a, b) => (hash(a) < hash(b) ? -1 : 1));
  return files.slice(0, Math.ceil(files.length / oneIn)).sort();
}

const done = [];
for (const {name, mutate, tests} of parts) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const report = `reports/mutants/${name.replaceAll(/\W+/g, '-')}.json`;
  const files = globSync(mutate);
  await new Stryker({mutate: sample(files), inProcess: {tests}, jsonReporter: {fileName: report}}).runMutationTest();
  done.push({name, report, of: files.length});
}
process.stdout.write(`\n${tableOf(done)}\n`);
