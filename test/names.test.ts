import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';

const source = new URL('../src/', import.meta.url);
const files = readdirSync(source, {recursive: true, encoding: 'utf8'}).filter(file => /\.tsx?$/.test(file));

const types = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;
const values = /^export (?:async )?(?:function\*?|const|let|class|enum) (\w+)/gm;

/** The plugin that a file belongs to: counterparts of different plugins may have the same name. */
const pluginOf = (file: string) =>
  /^(?:sim\/)?plugins\/(flannel\/(?:host-gw|vxlan)|(?!shared\/)[\w-]+)\//.exec(file)?.[1];

/** The simulation and the program never import each other's functions, and both have networks, plans and steps. */
const world = (file: string) => (file.startsWith('sim/') ? 'sim' : 'program');

const exportsOf = (pattern: RegExp) =>
  files.flatMap(file => {
    const names = [...readFileSync(new URL(file, source), 'utf8').matchAll(pattern)].map(([, name = '']) => name);
    return [...new Set(names)].map(name => ({name, file}));
  });

/** Names with more than one meaning, and where. */
function shared(places: readonly {name: string; file: string}[], {perPlugin = false} = {}): string[] {
  return [...Map.groupBy(places, ({name}) => name)]
    .filter(([, found]) => {
      const plugins = new Set(found.map(({file}) => pluginOf(file)));
      return found.length > 1 && (!perPlugin || plugins.has(undefined) || plugins.size < found.length);
    })
    .map(([name, found]) => `${name}: ${found.map(({file}) => file).join(', ')}`);
}

test('no two files of src export types of the same name', () => {
  const exported = exportsOf(types);
  expect(exported.length).toBeGreaterThan(300);
  expect(shared(exported)).toEqual([]);
});

test.each(['program', 'sim'])('no two files of the %s export functions of the same name for different things', name => {
  const exported = exportsOf(values).filter(({file}) => world(file) === name);
  expect(exported.length).toBeGreaterThan(300);
  expect(shared(exported, {perPlugin: true})).toEqual([]);
});

/** A command, its service and its view have the same name; so do a question to the user and its implementation. */
const counterparts: readonly (readonly [names: RegExp, folders: RegExp])[] = [
  [/./, /^(commands|services|view)\//],
  // The table of contents of a folder.
  [/^(all|index)\.ts$/, /./],
  [/^(annotation-ports|cleanup-ports)\.ts$/, /^(cli|services)\//],
  [/^progress\.ts$/, /^(session|view)\//],
  [/^script\.ts$/, /^(commands|helper)\//],
  // The self-test of the helper: its messages, its request, and its evaluation.
  [/^self-test\.ts$/, /^(model|helper|services|view)\//],
  // What every plugin declares, and each plugin's own.
  [/^(footprint|plugin-cleanup|tunnel-setting)\.ts$/, /^(model|plugins)\//],
  [/^api-server-override\.ts$/, /^(checks\/cni|plugins)\//],
  // A plan and a report, and how they are rendered.
  [/^plan\.ts$/, /^(model|view)\//],
  [/^report\.ts$/, /^(diagnose|view)\//],
];

test('no two files of the program have the same name for different things', () => {
  const named = files
    .filter(file => world(file) === 'program')
    .map(file => ({name: file.slice(file.lastIndexOf('/') + 1), file}));
  const apart = [...Map.groupBy(named, ({name}) => name)].flatMap(([name, found]) =>
    counterparts.some(([names, folders]) => names.test(name) && found.every(({file}) => folders.test(file)))
      ? []
      : found,
  );
  expect(shared(apart, {perPlugin: true})).toEqual([]);
});
