import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

// The vocabulary is in CONTRIBUTING.md. Words for states such as "broken" have other meanings too, so the tests of the
// views check messages with states.
const banned =
  /\b(mend(s|ed|ing)?|anew|judg(e|es|ed|ing)|by hand|for ever|to be had|look(s|ed|ing)? at|takes a person|stumbles? over|befalls?|whom|whoever|became of|in vain|carr(y|ies|ied|ying) out)\b|comes to nothing|nobody can be asked|as it should be|could not be told|cannot be told/i;

/** The program and its tests with their comments, the helper, documents, manifests. */
const places = [
  'src',
  'helper',
  'test',
  'docs',
  'manifests',
  'scripts',
  'README.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  'RELEASING.md',
];

test('no file has words that the vocabulary replaces', () => {
  const files = execFileSync('git', ['ls-files', ...places], {cwd: root, encoding: 'utf8'})
    .trim()
    .split('\n');
  const found = files
    .filter(file => !file.endsWith('.svg') && file !== 'test/words.test.ts')
    .flatMap(file =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, i) => (banned.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
    );
  expect(found).toEqual([]);
});
