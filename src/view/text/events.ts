import {plain} from '../../lib/untrusted.js';
import type {NodeEvents} from '../../services/events.js';
import type {View} from '../view.js';
import {table} from './table.js';

export const eventsView: View<NodeEvents> = {
  text: result => `${rows(result)}${gaps(result)}`,
};

function rows({items}: NodeEvents): string {
  if (items.length === 0) return 'No events.\n';
  const several = new Set(items.map(({node}) => node)).size > 1;
  return table(
    ['TIME', ...(several ? ['NODE'] : []), 'LEVEL', 'SOURCE', 'ID', 'MESSAGE'],
    items.map(({at, node, level, source, id, message, means}) => [
      at ?? 'unknown',
      ...(several ? [node] : []),
      level,
      source.replace(/^Microsoft-Windows-/, ''),
      String(id ?? ''),
      `${message.replace(/\s+/g, ' ').trim()}${means === undefined ? '' : ` (${means})`}`,
    ]),
  );
}

function gaps({failures}: NodeEvents): string {
  return Object.entries(failures)
    .map(([node, reason]) => `? ${plain(node)}: events were not read: ${plain(reason)}\n`)
    .join('');
}
