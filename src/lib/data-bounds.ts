/** Limits for untrusted data. A few bytes can be enough to exhaust the memory, or the stack of a recursive function. */
export interface Bounds {
  readonly depth: number;
  /** Members of lists and objects. A YAML alias counts as much as the value it refers to. */
  readonly values: number;
}

/** More than a snapshot of a thousand nodes has. */
export const bounds: Bounds = {depth: 100, values: 8_000_000};

const tooDeep = (depth: number) => `it is nested deeper than ${depth} levels`;
const tooMany = (values: number) => `it contains more than ${values} values`;

/** The limit that a JSON text exceeds, as a clause. Determined from its characters, before it is parsed. */
export function excessOfText(json: string, {depth, values}: Bounds = bounds): string | undefined {
  let [level, count] = [0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if (code === openBrace || code === openBracket) {
      level += 1;
      count += 1;
    } else if (code === closeBrace || code === closeBracket) level -= 1;
    else if (code === comma) count += 1;
    if (level > depth) return tooDeep(depth);
    if (count > values) return tooMany(values);
  }
  return undefined;
}

/** Where the string that begins here ends. Most of a text is in strings, and `indexOf` is faster than reading each character. */
export function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json.charCodeAt(first - 1) === backslash) first -= 1;
  return (at - first) % 2 === 1;
}

/** The same for parsed values: YAML values share aliased objects, and grow when they are written. */
export function excessOfValue(value: unknown, {depth, values}: Bounds = bounds): string | undefined {
  const left: {members: unknown[]; level: number}[] = [{members: [value], level: 0}];
  let count = 0;
  for (let next = left.pop(); next; next = left.pop()) {
    const {members, level} = next;
    if (level > depth) return tooDeep(depth);
    count += members.length;
    if (count > values) return tooMany(values);
    for (const member of members) {
      if (typeof member === 'object' && member !== null) left.push({members: Object.values(member), level: level + 1});
    }
  }
  return undefined;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
