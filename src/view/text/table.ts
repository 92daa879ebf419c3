import {plain} from '../../lib/untrusted.js';
import {stringWidth} from '../../lib/width.js';

/** Columns as kubectl prints them: upper-case headings, three blanks between. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows.map(row => row.map(plain))];
  const widths = headings.map((_, i) => Math.max(...cells.map(row => stringWidth(row[i] ?? ''))));
  return cells
    .map(row =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell + ' '.repeat((widths[i] ?? 0) - stringWidth(cell) + 3)))
        .join('')
        .trimEnd(),
    )
    .map(line => `${line}\n`)
    .join('');
}
