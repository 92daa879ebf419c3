import {type Bounds, excessOfText} from './data-bounds.js';

type Reviver = (key: string, value: unknown, context: {source?: string}) => unknown;

const keepDigits: Reviver = (_, value, {source}) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
    ? source
    : value;

/** The text exceeds the limits. */
export class LimitExceeded extends Error {}

/** Parses JSON, and keeps integers too large for JavaScript as text: HNS has 64-bit ids and counters. */
export function parseWholeNumbers(text: string, bounds?: Bounds): unknown {
  const excess = excessOfText(text, bounds);
  if (excess !== undefined) throw new LimitExceeded(excess);
  // A reviver is slow, and few lines have such a long number.
  return /\d{16}/.test(text)
    ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}
