import {type Bounds, excessOfText} from './data-bounds.js';

type Reviver = (key: string, value: unknown, context: {source?: string}) => unknown;

const keepDigits: Reviver = (_, value, {source}) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
    ? source
    : value;

/** The text may be JSON, but holds more than is read. */
export class TooMuch extends Error {}

/** JSON in which a whole number too big for JavaScript stays whole, as text: HNS has 64-bit ids and counters. */
export function parseWholeNumbers(text: string, bounds?: Bounds): unknown {
  const excess = excessOfText(text, bounds);
  if (excess !== undefined) throw new TooMuch(excess);
  // Visiting every value is slow, and few lines have a number that long.
  return /\d{16}/.test(text)
    ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}
