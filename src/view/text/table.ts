import {plain} from '../../lib/untrusted.js';
import {stringWidth} from '../../lib/width.js';
import {wrap} from './wrap.js';

/** On narrower terminals, a table that does not fit becomes a few lines per row. */
const narrow = 60;
const gap = 3;

/** A table in kubectl's format: upper-case headings, three spaces between columns. On a narrow terminal no word is cut off. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], width?: number): string {
  const cells = [headings, ...rows.map(row => row.map(plain))];
  const widths = headings.map((_, i) => Math.max(...cells.map(row => stringWidth(row[i] ?? ''))));
  const whole = widths.reduce((sum, one) => sum + one + gap, -gap);
  if (width !== undefined && width < narrow && whole > width) return blocks(headings, cells.slice(1), width);
  return cells
    .map(row =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell + ' '.repeat((widths[i] ?? 0) - stringWidth(cell) + gap)))
        .join('')
        .trimEnd(),
    )
    .map(line => `${line}\n`)
    .join('');
}

/** A row as its headings with their values, one below the other. */
function blocks(headings: readonly string[], rows: readonly (readonly string[])[], width: number): string {
  const label = Math.max(...headings.map(stringWidth)) + gap;
  return rows
    .map(row =>
      headings
        .flatMap((heading, i) => {
          const value = row[i] ?? '';
          return value === '' ? [] : wrap(`${heading.padEnd(label)}${value}`, {indent: 0, hang: label, width});
        })
        .map(line => `${line}\n`)
        .join(''),
    )
    .join('\n');
}
