// Generates the graph of folders in ARCHITECTURE.md from the imports in src.
import {readFileSync, writeFileSync} from 'node:fs';
import {cruise} from 'dependency-cruiser';
import rules from '../.dependency-cruiser.mjs';

const begin = '<!-- graph: npm run docs -->';
const end = '<!-- /graph -->';

/** Maps each folder to the folders that it imports. */
async function folderImports(baseDir = process.cwd()) {
  const {output} = await cruise(['src'], {...rules.options, baseDir});
  const imports = new Map();
  for (const {source, dependencies} of output.modules) {
    const from = folderOf(source);
    const to = dependencies.map(({resolved}) => folderOf(resolved)).filter(folder => folder !== from);
    imports.set(from, new Set([...(imports.get(from) ?? []), ...to]));
  }
  return imports;
}

const folderOf = path => path.split('/')[1].replace(/\.ts$/, '');

/** Leaves out an arrow if a longer path connects the same folders, so that the graph shows the layers. */
function withoutShortcuts(imports) {
  const reaches = (from, to, seen = new Set()) =>
    [...(imports.get(from) ?? [])].some(next => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))));
  return [...imports].flatMap(([from, folders]) =>
    [...folders].filter(to => ![...folders].some(other => other !== to && reaches(other, to))).map(to => [from, to]),
  );
}

/** The graph as Mermaid text, in a stable order. */
export async function drawFolders(baseDir) {
  const arrows = withoutShortcuts(await folderImports(baseDir))
    .filter(([from]) => from !== 'text-modules.d')
    .map(([from, to]) => `  ${from} --> ${to}`);
  return ['```mermaid', 'flowchart TD', ...arrows.sort(), '```'].join('\n');
}

export async function writeGraph(file = 'ARCHITECTURE.md') {
  const text = readFileSync(file, 'utf8');
  const [head, rest] = text.split(begin);
  const tail = rest?.split(end)[1];
  if (tail === undefined) throw new Error(`${file} does not contain ${begin} and ${end}`);
  writeFileSync(file, `${head}${begin}\n${await drawFolders()}\n${end}${tail}`);
}

if (import.meta.filename === process.argv[1]) await writeGraph();
