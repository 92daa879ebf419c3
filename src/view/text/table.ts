import {plain} from '../../lib/untrusted.js';
import {stringWidth} from '../../lib/width.js';
import {wrap} from './wrap.js';

/** Below this a table that does not fit is a few lines for each row. */
const narrow = 60;
const gap = 3;

/** Columns as kubectl prints them: upper-case headings, three blanks between. On a narrow terminal no word is cut. */
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
