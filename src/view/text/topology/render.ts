import type {CheckedNode} from '../../../model/result.js';
import {topologyOf} from '../../../services/inspect/topology.js';
import type {View} from '../../view.js';
import {table} from '../table.js';
import {drawText} from './draw.js';
import {dot, mermaid} from './graph.js';
import {type NodeTable, nodeTables} from './object-tables.js';

/** One node's network as a drawing and tables. */
export const topologyView: View<CheckedNode> = {
  text: (node, options) => {
    const tables = nodeTables(node.subject, node.results).map(one => `\n${tableText(one)}`);
    return `${drawText(topologyOf(node), options)}${tables.join('')}`;
  },
  mermaid: node => mermaid(topologyOf(node)),
  dot: node => dot(topologyOf(node)),
  document: node => {
    const tables = Object.fromEntries(nodeTables(node.subject, node.results).map(one => [one.id, rowDocuments(one)]));
    return {apiVersion: 'kubectl-win/v1', kind: 'NodeTopology', ...topologyOf(node), ...tables};
  },
};

function tableText({title, headings, rows}: NodeTable): string {
  return `${title}\n${rows.length === 0 ? 'none\n' : table(headings, rows)}`;
}

/** Rows as objects with the headings as keys; the sign becomes a word. */
function rowDocuments({headings, rows}: NodeTable) {
  return rows.map(([sign, ...cells]) => ({
    ...Object.fromEntries(cells.map((cell, i) => [propertyName(headings[i + 1] ?? ''), cell])),
    ...(sign !== '' && {trouble: sign === '✗' ? 'error' : 'warning'}),
  }));
}

function propertyName(heading: string): string {
  return heading.toLowerCase().replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
}
