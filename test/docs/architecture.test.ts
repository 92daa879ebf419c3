import {existsSync, readFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const path = text.slice(text.indexOf('## How `kubectl win doctor` runs'));
const steps = path
  .slice(0, path.indexOf('\n## ', 5))
  .split('\n')
  .filter(line => /^\d+\./.test(line));
const named = steps.flatMap(step => [...step.matchAll(/`(src\/[\w/.-]+\.tsx?)`/g)].map(([, file = '']) => file));

/** Static and dynamic imports of a file. */
function importsOf(file: string): string[] {
  const code = readFileSync(join(root, file), 'utf8');
  return [...code.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g)].flatMap(([, target = '']) => {
    const base = normalize(join(dirname(file), target));
    return [`${base}.ts`, `${base}.tsx`].filter(its => existsSync(join(root, its)));
  });
}

test('ARCHITECTURE.md explains doctor in ten lines and at most thirty files', () => {
  expect(steps).toHaveLength(10);
  expect(named.length).toBeGreaterThan(20);
  expect(named.length).toBeLessThanOrEqual(30);
  expect(named.filter(file => !existsSync(join(root, file)))).toEqual([]);
});

test('the path through doctor enters each folder once', () => {
  const folders = named.map(file =>
    file
      .split('/')
      .slice(0, file.split('/').length > 2 ? 2 : 1)
      .join('/'),
  );
  const entered = folders.filter((folder, i) => folder !== folders[i - 1]);
  expect(entered.filter((folder, i) => entered.indexOf(folder) !== i)).toEqual([]);
});

test('every file on the path through doctor is imported by an earlier one', () => {
  const [first, ...rest] = named;
  const reached = new Set(first === undefined ? [] : [first]);
  const unreached = rest.filter(file => {
    const isReached = [...reached].some(earlier => importsOf(earlier).includes(file));
    reached.add(file);
    return !isReached;
  });
  expect(unreached).toEqual([]);
});
