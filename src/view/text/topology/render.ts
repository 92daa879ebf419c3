import type {NodeSubject} from '../../../model/check.js';
import type {Result} from '../../../model/result.js';
import {topologyOf} from '../../../services/inspect/topology.js';
import {printDocument} from '../print.js';
import type {TextOptions} from '../report.js';
import {table} from '../table.js';
import {drawText} from './draw.js';
import {dot, mermaid} from './graph.js';
import {type NodeTable, nodeTables} from './tables.js';

/** One node's network in the format that was asked for. */
export function renderNode(
  subject: NodeSubject,
  results: readonly Result[],
  format: string | undefined,
  options: TextOptions,
): string {
  const topology = topologyOf(subject, results);
  switch (format) {
    case 'mermaid':
      return mermaid(topology);
    case 'dot':
      return dot(topology);
    case 'json':
    case 'yaml': {
      const tables = Object.fromEntries(nodeTables(subject, results).map(one => [one.id, rowDocuments(one)]));
      return printDocument({apiVersion: 'kubectl-win/v1', kind: 'NodeTopology', ...topology, ...tables}, format);
    }
    default: {
      const tables = nodeTables(subject, results).map(one => `\n${tableText(one)}`);
      return `${drawText(topology, options)}${tables.join('')}`;
    }
  }
}

function tableText({title, headings, rows}: NodeTable): string {
  return `${title}\n${rows.length === 0 ? 'none\n' : table(headings, rows)}`;
}

/** Rows as objects by their headings; the sign is told in words. */
function rowDocuments({headings, rows}: NodeTable) {
  return rows.map(([sign, ...cells]) => ({
    ...Object.fromEntries(cells.map((cell, i) => [propertyName(headings[i + 1] ?? ''), cell])),
    ...(sign !== '' && {trouble: sign === '✗' ? 'error' : 'warning'}),
  }));
}

function propertyName(heading: string): string {
  return heading.toLowerCase().replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
}
