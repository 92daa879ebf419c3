import {type Bounds, endOfString, excessOfText} from './data-bounds.js';

/** The text exceeds the limits. */
export class LimitExceeded extends Error {}

/** Parses JSON, and keeps integers too large for JavaScript as text: HNS has 64-bit ids and counters. */
export function parseWholeNumbers(text: string, bounds?: Bounds): unknown {
  const excess = excessOfText(text, bounds);
  if (excess !== undefined) throw new LimitExceeded(excess);
  return JSON.parse(/\d{16}/.test(text) ? withQuotedIntegers(text) : text);
}

/** Every integer with fewer digits is exact in JavaScript. */
const digits = 16;

/** An integer that is a value: no part of another number, and no name of a property. */
const longInteger = /(?<![\d.eE+-])-?[1-9]\d{15,}(?=[\s,\]}]|$)/g;

/** Puts large integers outside strings into quotes. A reviver of `JSON.parse` would take several times as long. */
function withQuotedIntegers(json: string): string {
  const parts: string[] = [];
  let written = 0;
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at);
    const end = quote === -1 ? json.length : quote;
    if (end - at >= digits) {
      parts.push(json.slice(written, at), json.slice(at, end).replace(longInteger, quoted));
      written = end;
    }
    at = quote === -1 ? end : endOfString(json, quote) + 1;
  }
  return parts.join('') + json.slice(written);
}

const quoted = (integer: string) => (Number.isSafeInteger(Number(integer)) ? integer : `"${integer}"`);
