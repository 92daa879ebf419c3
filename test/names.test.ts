import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';

const source = new URL('../src/', import.meta.url);
const declaration = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;

test('no two files of src export types of the same name', () => {
  const files = readdirSync(source, {recursive: true, encoding: 'utf8'}).filter(file => /\.tsx?$/.test(file));
  const exported = files.flatMap(file => {
    const names = [...readFileSync(new URL(file, source), 'utf8').matchAll(declaration)].map(([, name = '']) => name);
    return [...new Set(names)].map(name => ({name, file}));
  });
  expect(exported.length).toBeGreaterThan(300);
  const byName = Map.groupBy(exported, ({name}) => name);
  const shared = [...byName].filter(([, places]) => places.length > 1);
  expect(shared.map(([name, places]) => `${name}: ${places.map(({file}) => file).join(', ')}`)).toEqual([]);
});
