import {plain} from '../../../../lib/untrusted.js';
import {stringWidth} from '../../../../lib/width.js';
import type {NodeSubject} from '../../../../model/check.js';
import type {Result} from '../../../../model/result.js';
import {table} from '../../../text/table.js';
import {type NodeTable, nodeTables} from '../../../text/topology/tables.js';
import {type ScreenLine, type Tone, wrapped} from '../content.js';

/** A table, or where it is too wide for the screen a few lines for each of its rows: no column is cut off. */
export function tableLines(
  subject: NodeSubject,
  results: readonly Result[],
  id: NodeTable['id'],
  width: number,
): ScreenLine[] {
  const found = nodeTables(subject, results).find(one => one.id === id);
  if (!found) return [[['warning', '? This was not read.']]];
  if (found.rows.length === 0) return [[['dim', 'none']]];
  const [heading = '', ...rows] = table(found.headings, found.rows).trimEnd().split('\n');
  if ([heading, ...rows].some(line => stringWidth(line) > width)) return cards(found, width);
  return [[['dim', heading]], ...rows.map((row): ScreenLine => [[toneOf(row), row]])];
}

function cards({headings, rows}: NodeTable, width: number): ScreenLine[] {
  return rows.flatMap(([sign = '', name = '', ...cells]) => {
    const told = cells.flatMap((cell, i) => (cell === '-' ? [] : `${headings[i + 2]?.toLowerCase()} ${plain(cell)}`));
    return [
      ...wrapped(sign === '' ? 'bold' : toneOf(sign), `${sign === '' ? ' ' : sign} ${plain(name)}`, width, 0, 4),
      ...wrapped('plain', told.join(', '), width, 4, 4),
    ];
  });
}

function toneOf(row: string): Tone {
  if (row.startsWith('✗')) return 'error';
  return row.startsWith('!') ? 'warning' : 'plain';
}

/** The ends of the logs, newest files first. */
export function logs({node}: NodeSubject, width: number): ScreenLine[] {
  const files = [...(node.logs ?? [])].sort((one, other) => (other.writtenAt ?? 0) - (one.writtenAt ?? 0));
  return files.flatMap(({path, tail}): ScreenLine[] => [
    [],
    ...wrapped('bold', plain(path), width),
    ...tail
      .trimEnd()
      .split('\n')
      .slice(-15)
      .flatMap(line => wrapped('plain', plain(line), width)),
  ]);
}
