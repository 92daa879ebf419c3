import {headOf, stringWidth} from '../../lib/width.js';

export interface Wrapping {
  readonly indent: number;
  /** Indent of the lines after the first. */
  readonly hang: number;
  /** Undefined: no wrapping, for pipes. */
  readonly width: number | undefined;
  /** Whether to split words longer than a line, for a screen that cuts lines off. */
  readonly breaksWords?: boolean;
}

/** Wraps a text between words. A word longer than the line is split only with `breaksWords`. */
export function wrap(text: string, {indent, hang, width, breaksWords = false}: Wrapping): string[] {
  if (width === undefined) return [`${' '.repeat(indent)}${text}`];
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  let used = indent;
  let empty = true;
  for (const [i, word] of text.split(' ').entries()) {
    const room = width - hang;
    const pieces = breaksWords && room > 0 && stringWidth(word) > room ? piecesOf(word, room) : [word];
    for (const [j, piece] of pieces.entries()) {
      const length = stringWidth(piece);
      const space = j > 0 || i === 0 ? 0 : 1;
      if (!empty && used + space + length > width) {
        lines.push(line);
        line = ' '.repeat(hang);
        used = hang;
        empty = true;
      }
      line += empty || space === 0 ? piece : ` ${piece}`;
      used += length + (empty ? 0 : space);
      empty = false;
    }
  }
  return [...lines, line];
}

/** A long word, such as a path, in pieces that fit: they end where it has a separator, or else at the edge. */
function piecesOf(word: string, room: number): string[] {
  const parts = word.match(/[^/\\|,;&=]*[/\\|,;&=]+|[^/\\|,;&=]+/g) ?? [word];
  return parts.flatMap(part => chunks(part, room));
}

function chunks(part: string, room: number): string[] {
  if (stringWidth(part) <= room) return [part];
  // A character that is wider than the room still takes its place.
  const head = headOf(part, room) || part.slice(0, 1);
  return head === part ? [part] : [head, ...chunks(part.slice(head.length), room)];
}
