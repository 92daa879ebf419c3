import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

// The vocabulary is in CONTRIBUTING.md. Words for states such as "broken" have other meanings too, so the tests of the
// views check messages with states.
const banned =
  /\b(mend(s|ed|ing)?|anew|judg(e|es|ed|ing)|by hand|for ever|to be had|look(s|ed|ing)? at|takes a person|stumbles? over|befalls?|whom|whoever|became of|in vain|lest|breaks? off|broken off|of no use|out of time|takes? notice|taken notice|so far as|carr(y|ies|ied|ying) out)\b|comes to nothing|nobody can be asked|as it should be|could not be told|cannot be told/i;

/** Translated phrases that the folders below no longer have. Add a folder when its text has been revised. */
const translated =
  /\b(by itself|by themselves|(say|said|says|tell|tells|told) of|stands? for|any more|sits? on|a person|someone|somebody|taken for|afresh|by way of|goes? by|not known|is no JSON)\b/i;
const revised = ['src/checks', 'src/diagnose', 'src/model', 'src/plugins', 'src/repair', 'src/snapshot'];

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

function linesWith(words: RegExp, where: readonly string[]): string[] {
  const files = execFileSync('git', ['ls-files', ...where], {cwd: root, encoding: 'utf8'})
    .trim()
    .split('\n');
  return files
    .filter(file => !file.endsWith('.svg') && file !== 'test/words.test.ts')
    .flatMap(file =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, i) => (words.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
    );
}

test('nothing that people read has words that the vocabulary replaces', () => {
  expect(linesWith(banned, places)).toEqual([]);
});

test('revised folders have no translated phrases', () => {
  expect(linesWith(translated, revised)).toEqual([]);
});
