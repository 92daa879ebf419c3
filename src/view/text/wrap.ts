import {stringWidth} from '../../lib/width.js';

export interface Wrapping {
  readonly indent: number;
  /** Where the lines after the first begin. */
  readonly hang: number;
  /** Undefined: lines are left whole, for pipes. */
  readonly width: number | undefined;
}

/** Breaks a text between its words so that it fits; a word that is longer than the line stays whole. */
export function wrap(text: string, {indent, hang, width}: Wrapping): string[] {
  if (width === undefined) return [`${' '.repeat(indent)}${text}`];
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  let used = indent;
  let empty = true;
  for (const word of text.split(' ')) {
    const length = stringWidth(word);
    if (!empty && used + 1 + length > width) {
      lines.push(line);
      line = ' '.repeat(hang);
      used = hang;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    used += length + (empty ? 0 : 1);
    empty = false;
  }
  return [...lines, line];
}
