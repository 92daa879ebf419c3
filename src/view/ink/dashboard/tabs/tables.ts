import {plain} from '../../../../lib/untrusted.js';
import {inColumns, stringWidth} from '../../../../lib/width.js';
import type {NodeSubject} from '../../../../model/check.js';
import type {Result} from '../../../../model/result.js';
import {type NodeTable, nodeTables} from '../../../text/topology/object-tables.js';
import {type ScreenLine, type Tone, wrapped} from '../content.js';

/** A narrower screen has no room for a table. */
const leastWidth = 60;
const gap = 2;

/** A table whose cells wrap if it is too wide; on a narrow screen, a few lines per row. No column is cut off. */
export function tableLines(
  subject: NodeSubject,
  results: readonly Result[],
  id: NodeTable['id'],
  width: number,
): ScreenLine[] {
  const found = nodeTables(subject, results).find(one => one.id === id);
  if (!found) return [[['warning', '? Not read.']]];
  if (found.rows.length === 0) return [[['dim', 'none']]];
  return width < leastWidth ? cards(found, width) : rowsOf(found, width);
}

const betweenNumberAndUnit = /(?<=^\d+) (?=\w+$)/;
const unbroken = '\u00a0';

function rowsOf({headings, rows}: NodeTable, width: number): ScreenLine[] {
  const cells = rows.map(row => row.map(cell => plain(cell).replace(betweenNumberAndUnit, unbroken)));
  const columns = headings.map((heading, i) => [heading, ...cells.map(row => row[i] ?? '')]);
  const widths = fitted(
    columns.map(column => Math.max(...column.map(stringWidth))),
    columns.map(column => Math.max(...column.flatMap(cell => cell.split(' ')).map(stringWidth))),
    width,
  );
  const line = (parts: readonly string[]) =>
    parts
      .map((part, i) => inColumns(part, widths[i] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd();
  return [
    [['dim', line(headings)]],
    ...cells.flatMap(row => {
      const broken = row.map((cell, i) => brokenCell(cell, widths[i] ?? 0));
      const height = Math.max(...broken.map(({length}) => length));
      return Array.from({length: height}, (_, y): ScreenLine => {
        const text = line(broken.map(parts => parts[y] ?? '')).replaceAll(unbroken, ' ');
        return [[toneOf(row[0] ?? ''), text]];
      });
    }),
  ];
}

/** Narrows the widest column until all fit: first only between words, then within them. */
function fitted(widths: readonly number[], words: readonly number[], width: number): number[] {
  const fit = [...widths];
  const room = width - gap * (fit.length - 1);
  let over = fit.reduce((sum, one) => sum + one, 0) - room;
  while (over > 0) {
    const spare = fit.map((one, i) => (one > (words[i] ?? 0) ? one : 0));
    const from = spare.some(one => one > 0) ? spare : fit;
    const widest = from.indexOf(Math.max(...from));
    fit[widest] = (fit[widest] ?? 0) - 1;
    over -= 1;
  }
  return fit;
}

function brokenCell(cell: string, width: number): string[] {
  return wrapped('plain', cell, width, 0, 0).map(([[, text] = ['plain', '']]) => text);
}

function cards({headings, rows}: NodeTable, width: number): ScreenLine[] {
  return rows.flatMap(([sign = '', name = '', ...cells]) => {
    const told = cells.flatMap((cell, i) => (cell === '-' ? [] : [`${fieldName(headings[i + 2])} ${plain(cell)}`]));
    return [
      ...wrapped(sign === '' ? 'bold' : toneOf(sign), `${sign === '' ? ' ' : sign} ${plain(name)}`, width, 0, 4),
      ...inLines(told, width - 4).flatMap(line => wrapped('plain', line, width, 4, 4)),
    ];
  });
}

/** "state", but "MTU". */
function fieldName(heading = ''): string {
  return ['MAC', 'MTU'].includes(heading) ? heading : heading.toLowerCase();
}

/** As many parts on a line as fit: a name stays with its value. */
function inLines(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const [i, part] of parts.entries()) {
    const text = i === parts.length - 1 ? part : `${part},`;
    const last = lines.at(-1);
    if (last !== undefined && stringWidth(last) + 1 + stringWidth(text) <= width)
      lines[lines.length - 1] = `${last} ${text}`;
    else lines.push(text);
  }
  return lines;
}

function toneOf(row: string): Tone {
  if (row.startsWith('✗')) return 'error';
  return row.startsWith('!') ? 'warning' : 'plain';
}

const shownLines = 15;

/** The ends of the logs, newest file first; all lines if a search is active. */
export function logsTab({node}: NodeSubject, width: number, whole: boolean): ScreenLine[] {
  const files = [...(node.logs ?? [])].sort((one, other) => (other.writtenAt ?? 0) - (one.writtenAt ?? 0));
  return files.flatMap(({path, tail}): ScreenLine[] => {
    const all = tail.trimEnd().split('\n');
    const shown = whole ? all : all.slice(-shownLines);
    const hidden = all.length - shown.length;
    return [
      [],
      ...wrapped('bold', plain(path), width),
      ...(hidden > 0
        ? wrapped('dim', `${hidden} earlier line${hidden === 1 ? '' : 's'}; press / to search them`, width)
        : []),
      ...shown.flatMap(line => wrapped('plain', plain(line), width)),
    ];
  });
}
