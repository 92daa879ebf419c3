import {WinError} from './errors.js';

/**
 * kubectl's JSONPath templates for `-o jsonpath=…`: text outside braces is printed unchanged, an expression prints its
 * values separated by spaces, and missing values print nothing.
 * See https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export function printJsonPath(template: string, document: unknown): string {
  const root = plainData(document);
  return render(parseTemplate(template), {root, current: root});
}

type Node =
  | {readonly kind: 'text'; readonly text: string}
  | {readonly kind: 'path'; readonly path: Path}
  | {readonly kind: 'range'; readonly path: Path; readonly body: readonly Node[]};

interface Path {
  /** `$` starts at the document, `@` and a bare path at the current value. */
  readonly fromRoot: boolean;
  readonly steps: readonly Step[];
}

type Step = (values: readonly unknown[], scope: Scope) => unknown[];

interface Scope {
  readonly root: unknown;
  readonly current: unknown;
}

function render(nodes: readonly Node[], scope: Scope): string {
  return nodes
    .map(node => {
      if (node.kind === 'text') return node.text;
      const values = evaluate(node.path, scope);
      if (node.kind === 'path') return values.map(printedValue).join(' ');
      return values.map(current => render(node.body, {...scope, current})).join('');
    })
    .join('');
}

function evaluate({fromRoot, steps}: Path, scope: Scope): unknown[] {
  const start: unknown[] = [fromRoot ? scope.root : scope.current];
  return steps.reduce((values, step) => step(values, scope), start);
}

function printedValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The document as plain JSON data, without undefined, dates or maps. */
const plainData = (document: unknown): unknown => JSON.parse(JSON.stringify(document ?? null));

interface Open {
  readonly path: Path;
  readonly body: Node[];
}

function parseTemplate(template: string): Node[] {
  const top: Node[] = [];
  const open: Open[] = [];
  const add = (node: Node) => (open.at(-1)?.body ?? top).push(node);
  let at = 0;
  while (at < template.length) {
    const brace = template.indexOf('{', at);
    const end = brace === -1 ? template.length : brace;
    if (end > at) add({kind: 'text', text: template.slice(at, end)});
    if (brace === -1) break;
    const close = closingBrace(template, brace);
    addAction(template.slice(brace + 1, close).trim(), {template, open, add});
    at = close + 1;
  }
  if (open.length > 0) throw invalid(template, '{range} has no {end}');
  return top;
}

function addAction(
  text: string,
  {template, open, add}: {template: string; open: Open[]; add: (node: Node) => void},
): void {
  const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')$/s.exec(text);
  const range = /^range\s+(.+)$/s.exec(text)?.[1];
  if (quoted) add({kind: 'text', text: unescaped(quoted[1] ?? quoted[2] ?? '')});
  else if (range) open.push({path: parsePath(range, template), body: []});
  else if (text === 'end') add({kind: 'range', ...endedRange(open, template)});
  else add({kind: 'path', path: parsePath(text, template)});
}

function endedRange(open: Open[], template: string): Open {
  const ended = open.pop();
  if (ended) return ended;
  throw invalid(template, '{end} has no {range}');
}

/** The brace that ends an expression, ignoring braces inside quotes. */
function closingBrace(template: string, from: number): number {
  let quote = '';
  for (let i = from + 1; i < template.length; i++) {
    const character = template[i] as string;
    if (character === '\\') i++;
    else if (quote) quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '}') return i;
  }
  throw invalid(template, 'a brace is not closed');
}

function unescaped(text: string): string {
  const known: Readonly<Record<string, string>> = {n: '\n', t: '\t', r: '\r'};
  return text.replace(/\\(.)/gs, (_, character: string) => known[character] ?? character);
}

function parsePath(text: string, template: string): Path {
  const start = /^[$@]/.exec(text)?.[0];
  const steps: Step[] = [];
  let rest = start ? text.slice(1) : text;
  while (rest !== '') {
    const [step, taken] = nextStep(rest, template);
    steps.push(step);
    rest = rest.slice(taken);
  }
  return {fromRoot: start === '$', steps};
}

const fieldName = /^(?:\\.|[^.[\]{}()\\\s,=!<>])+/;

function nextStep(text: string, template: string): [Step, number] {
  if (text.startsWith('[')) {
    const end = closingBracket(text, template);
    return [parseSubscript(text.slice(1, end).trim(), template), end + 1];
  }
  const deep = text.startsWith('..');
  const after = text.slice(deep ? 2 : text.startsWith('.') ? 1 : 0);
  const gather: Step = deep ? values => values.flatMap(descendants) : values => [...values];
  const skipped = text.length - after.length;
  if (deep && after.startsWith('[')) return [gather, skipped];
  if (after.startsWith('*')) return [(values, scope) => gather(values, scope).flatMap(children), skipped + 1];
  const name = fieldName.exec(after)?.[0];
  // A lone dot is the current value, as in kubectl.
  if (name === undefined && !deep && after === '' && skipped === 1) return [gather, 1];
  if (name === undefined) throw invalid(template, `"${text}" is not a path`);
  const key = name.replace(/\\(.)/gs, '$1');
  return [(values, scope) => gather(values, scope).flatMap(value => field(value, key)), skipped + name.length];
}

function closingBracket(text: string, template: string): number {
  let depth = 0;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string;
    if (character === '\\') i++;
    else if (quote) quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '[') depth++;
    else if (character === ']' && --depth === 0) return i;
  }
  throw invalid(template, 'a bracket is not closed');
}

function parseSubscript(text: string, template: string): Step {
  if (text === '*') return values => values.flatMap(children);
  const filter = /^\?\((.*)\)$/s.exec(text);
  if (filter?.[1] !== undefined) return parseFilter(filter[1].trim(), template);
  const parts = text.split(/,(?=(?:[^']*'[^']*')*[^']*$)/).map(part => part.trim());
  const steps = parts.map(part => parseIndex(part, template));
  return (values, scope) => steps.flatMap(step => step(values, scope));
}

function parseIndex(text: string, template: string): Step {
  const quoted = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")$/s.exec(text);
  if (quoted) {
    const key = unescaped(quoted[1] ?? quoted[2] ?? '');
    return values => values.flatMap(value => field(value, key));
  }
  if (/^-?\d+$/.test(text)) return values => values.flatMap(value => element(value, Number(text)));
  const slice = /^(-?\d+)?:(-?\d+)?(?::(\d+))?$/.exec(text);
  if (!slice) throw invalid(template, `[${text}] is not an index, a slice, a name in quotes or a filter`);
  const [first, last] = [slice[1], slice[2]].map(bound => (bound === undefined ? undefined : Number(bound)));
  const every = Number(slice[3] ?? 1);
  if (every === 0) throw invalid(template, `the step of [${text}] is 0`);
  return values =>
    values.flatMap(value => (Array.isArray(value) ? value.slice(first, last).filter((_, i) => i % every === 0) : []));
}

type Operand = (value: unknown, scope: Scope) => unknown[];

function parseFilter(text: string, template: string): Step {
  const operator = /^((?:[^"'=!<>]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*?)\s*(==|!=|<=|>=|<|>)\s*(.+)$/s.exec(text);
  if (!operator) {
    const operand = parseOperand(text, template);
    return filtering((value, scope) => operand(value, scope).length > 0);
  }
  const [left, right] = [operator[1], operator[3]].map(side => parseOperand(side ?? '', template)) as [
    Operand,
    Operand,
  ];
  const compare = comparisons[operator[2] as keyof typeof comparisons];
  return filtering((value, scope) => {
    const [[one], [other]] = [left(value, scope), right(value, scope)];
    return one !== undefined && other !== undefined && compare(one, other);
  });
}

const filtering =
  (holds: (value: unknown, scope: Scope) => boolean): Step =>
  (values, scope) =>
    values.flatMap(value => (Array.isArray(value) ? value.filter(one => holds(one, scope)) : []));

function parseOperand(text: string, template: string): Operand {
  const trimmed = text.trim();
  const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')$/s.exec(trimmed);
  if (quoted) return () => [unescaped(quoted[1] ?? quoted[2] ?? '')];
  if (/^-?\d+(\.\d+)?$/.test(trimmed)) return () => [Number(trimmed)];
  if (trimmed === 'true' || trimmed === 'false') return () => [trimmed === 'true'];
  const path = parsePath(trimmed, template);
  return (current, scope) => evaluate(path, {...scope, current});
}

/** Values of different types are neither equal nor ordered. */
const alike = (one: unknown, other: unknown) => typeof one === typeof other;
const ordered = (one: unknown, other: unknown) =>
  alike(one, other) && (typeof one === 'number' || typeof one === 'string');

const comparisons = {
  '==': (one: unknown, other: unknown) => one === other,
  '!=': (one: unknown, other: unknown) => one !== other,
  '<': (one: unknown, other: unknown) => ordered(one, other) && (one as number) < (other as number),
  '<=': (one: unknown, other: unknown) => ordered(one, other) && (one as number) <= (other as number),
  '>': (one: unknown, other: unknown) => ordered(one, other) && (one as number) > (other as number),
  '>=': (one: unknown, other: unknown) => ordered(one, other) && (one as number) >= (other as number),
};

function field(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.hasOwn(value, key) ? [(value as Record<string, unknown>)[key]] : [];
}

function element(value: unknown, index: number): unknown[] {
  if (!Array.isArray(value)) return [];
  const at = index < 0 ? value.length + index : index;
  return at in value ? [value[at]] : [];
}

function children(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** A value and everything inside it, top down. */
function descendants(value: unknown): unknown[] {
  return [value, ...children(value).flatMap(descendants)];
}

const invalid = (template: string, why: string) =>
  new WinError(`error parsing jsonpath ${template}: ${why}.`, {
    next: ["For example: -o jsonpath='{.nodes[*].name}'"],
  });
