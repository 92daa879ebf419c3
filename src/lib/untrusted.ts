// All text from a node is untrusted: an escape sequence in an adapter's name must not reach a terminal.

const escapes = new RegExp(
  [
    '\\u001b\\[[0-?]*[ -/]*[@-~]', // CSI
    '\\u001b[\\]PX^_][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?', // OSC, DCS, SOS, PM, APC
    '\\u001b.?', // the other two-character sequences
    '\\u009b[0-?]*[ -/]*[@-~]',
  ].join('|'),
  'g',
);

/** Bidirectional controls can make text appear as something else. */
const bidi = /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g;

/** One line of text that is safe on a terminal. */
export function plain(text: string): string {
  return (
    text
      .replace(escapes, '')
      .replace(bidi, '')
      .replace(/[\r\n\t]+/g, ' ')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed here
      .replace(/[\u0000-\u001f\u007f-\u009f]/g, '')
  );
}

/** The request in an error message of a Go program; the cause follows it. */
const goRequest = /\b(?:Get|Head|Post|Put|Patch|Delete) \\?"https?:\/\/[^"\s]*": /g;

/**
 * Text from a node, server or proxy for one line of an error message. If it is too long, its middle is removed: errors of
 * Go programs start with the action and end with the reason.
 */
export function printable(text: string, length = 300): string {
  const line = plain(text).replace(goRequest, '').replace(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  const head = Math.floor((length - 1) / 2);
  return `${line.slice(0, head).trimEnd()}…${line.slice(head + 1 - length).trimStart()}`;
}

/** A value of evidence on one line: lists separated by commas, objects as key=value. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'string') return value === '' ? '""' : plain(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  return Object.entries(value)
    .map(([key, one]) => `${plain(key)}=${valueText(one)}`)
    .join(' ');
}

/** Removes user names and passwords from URLs in a text. */
export const withoutPassword = (text: string): string => text.replace(/:\/\/[^/?#\s@]*@/g, '://');
