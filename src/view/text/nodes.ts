import {plain} from '../../lib/untrusted.js';
import type {NodeListing} from '../../services/nodes.js';
import type {View} from '../view.js';
import {table} from './table.js';

export const nodesView: View<NodeListing> = {
  text: listing => nodeTable(listing, false),
  wide: listing => nodeTable(listing, true),
  name: ({rows}) => rows.map(({name}) => `node/${plain(name)}\n`).join(''),
  document: ({rows}) => ({apiVersion: 'kubectl-win/v1', kind: 'NodeList', items: rows}),
};

function nodeTable({rows, listedAt}: NodeListing, wide: boolean): string {
  return table(
    ['NAME', 'STATUS', 'VERSION', 'RUNTIME', 'PLUGIN', 'ADDRESS', 'BOOTED', 'HELPER', ...(wide ? ['WINDOWS'] : [])],
    rows.map(each => [
      each.name,
      each.status,
      each.kubelet ?? '',
      each.runtime ?? '',
      [each.cni.name, each.cni.version, each.cni.variant, each.cni.confidence === 'guess' && '(guess)']
        .filter(Boolean)
        .join(' '),
      each.address ?? '',
      each.bootedAt === undefined ? 'unknown' : `${age(listedAt - Date.parse(each.bootedAt))} ago`,
      each.helper.installed ? 'installed' : each.helper.possible ? 'possible' : `no: ${each.helper.reason}`,
      ...(wide ? [each.windows ?? ''] : []),
    ]),
  );
}

/** An age as kubectl writes it: 45s, 12m, 5h, 3d. */
function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
