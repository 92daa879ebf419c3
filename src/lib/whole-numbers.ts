type Reviver = (key: string, value: unknown, context: {source?: string}) => unknown;

const keepDigits: Reviver = (_, value, {source}) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
    ? source
    : value;

/** JSON in which a whole number too big for JavaScript stays whole, as text: HNS has 64-bit ids and counters. */
export function parseWholeNumbers(text: string): unknown {
  // Visiting every value is slow, and few lines have a number that long.
  return /\d{16}/.test(text)
    ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}
