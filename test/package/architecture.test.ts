import {cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {cruise} from 'dependency-cruiser';
import {expect, test} from 'vitest';
import rules from '../../.dependency-cruiser.mjs';
import {drawFolders} from '../../scripts/architecture.mjs';

const page = readFileSync('ARCHITECTURE.md', 'utf8');

test('the graph in ARCHITECTURE.md matches the imports', async () => {
  expect(page).toContain(await drawFolders());
});

test.each([
  ['lib', "import {connect} from '../kube/client.js';", 'lib-imports'],
  ['checks', "import {plugins} from '../plugins/all.js';", 'checks-imports'],
  ['services', "import type {TextOptions} from '../view/text/report.js';", 'services-imports'],
  ['cli', "import {startSimulation} from '../sim/simulation.js';", 'cli-imports'],
])('an import of %s in the wrong direction fails the check', async (folder, line, rule) => {
  const copy = mkdtempSync(join(tmpdir(), 'kubectl-win-imports-'));
  try {
    cpSync('src', join(copy, 'src'), {recursive: true});
    writeFileSync(join(copy, 'src', folder, 'wrong-way.ts'), `${line}\n`);
    const {output} = await cruise(['src'], {
      ...rules.options,
      baseDir: copy,
      validate: true,
      ruleSet: {forbidden: rules.forbidden},
    });
    if (typeof output === 'string') throw new Error(output);
    expect(output.summary.violations.map(({rule: {name}, from}) => [name, from])).toEqual([
      [rule, `src/${folder}/wrong-way.ts`],
    ]);
  } finally {
    rmSync(copy, {recursive: true, force: true});
  }
});

test('doctor can be followed through at most 30 files, each folder entered once', () => {
  const way = page.slice(page.indexOf('from the first line to the last'), page.indexOf('## Things that are so'));
  const files = [...way.matchAll(/`(src\/[^`*]+\.ts)`/g)].map(([, file = '']) => file);
  expect(files.filter(file => !existsSync(file))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
  expect(files.length).toBeLessThanOrEqual(30);
  const folders = files.map(file => file.split('/')[1] ?? '');
  const entered = folders.filter((folder, i) => folder !== folders[i - 1]);
  expect(new Set(entered).size).toBe(entered.length);
});
