import {dump} from 'js-yaml';

const yamlOptions = {lineWidth: -1, noRefs: true} as const;

/** A document as `-o json` or `-o yaml` prints it. */
export function printDocument(document: unknown, format: 'json' | 'yaml'): string {
  return [...documentPieces(document, format)].join('');
}

/** The same in pieces, one per list item, so that a large report is never one string in memory. */
export function* documentPieces(document: unknown, format: 'json' | 'yaml'): Generator<string> {
  if (format === 'yaml') return yield* yamlPieces(document);
  yield* jsonPieces(document, 0, wholeBelow);
  yield '\n';
}

/** The depth to which lists and records are split: the nodes of a report, and the objects of a snapshot. */
const wholeBelow = 2;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value);

function* jsonPieces(value: unknown, columns: number, depth: number): Generator<string> {
  const entries = isRecord(value)
    ? Object.entries(value).filter(([, its]) => its !== undefined && typeof its !== 'function')
    : Array.isArray(value)
      ? value.map((its: unknown) => [undefined, its] as const)
      : [];
  if (depth === 0 || entries.length === 0) return yield indented(value, columns);
  const inner = ' '.repeat(columns + 2);
  const [open, close] = isRecord(value) ? ['{', '}'] : ['[', ']'];
  let before = open;
  for (const [key, its] of entries) {
    yield `${before}\n${inner}${key === undefined ? '' : `${escaped(JSON.stringify(key))}: `}`;
    yield* jsonPieces(its, columns + 2, depth - 1);
    before = ',';
  }
  yield `\n${' '.repeat(columns)}${close}`;
}

/** Line breaks inside strings are escaped, so each line break here starts a new line. */
const indented = (value: unknown, columns: number): string =>
  escaped(JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${' '.repeat(columns)}`);

/** YAML escapes fewer characters than JSON. A value with unsafe characters is written as JSON, which is valid YAML. */
function safeYaml(value: Readonly<Record<string, unknown>>): string {
  const text = dump(value, yamlOptions);
  if (escaped(text) === text) return text;
  const [[key = '', its] = []] = Object.entries(value);
  return `${escaped(JSON.stringify(key))}: ${escaped(JSON.stringify(its))}\n`;
}

function* yamlPieces(document: unknown): Generator<string> {
  if (!isRecord(document) || Object.keys(document).length === 0) return yield dump(document, yamlOptions);
  for (const [key, value] of Object.entries(document)) {
    if (!Array.isArray(value) || value.length === 0) {
      if (value !== undefined) yield safeYaml({[key]: value});
      continue;
    }
    yield dump({[key]: null}, yamlOptions).replace(/ null\n$/, '\n');
    // Dump the item in a list and remove the key's line, so that it has the indentation of the list.
    for (const item of value) {
      const text = dump({k: [item]}, yamlOptions).slice('k:\n'.length);
      yield escaped(text) === text ? text : `  - ${escaped(JSON.stringify(item))}\n`;
    }
  }
}

/** Escapes control characters that JSON allows but a terminal would interpret. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
