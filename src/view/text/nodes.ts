import {plain} from '../../lib/untrusted.js';
import type {NodeListing, NodeRow} from '../../services/nodes.js';
import type {TextOptions, View} from '../view.js';
import {table} from './table.js';

export const nodesView: View<NodeListing> = {
  text: (listing, options) => nodeTable(listing, false, options),
  wide: (listing, options) => nodeTable(listing, true, options),
  name: ({rows}) => rows.map(({name}) => `node/${plain(name)}\n`).join(''),
  notes: ({unread}) => unread.map(text => `warning: ${plain(text)}\n`).join(''),
  document: ({rows}) => ({apiVersion: 'kubectl-win/v1', kind: 'NodeList', items: rows}),
};

function nodeTable({rows, listedAt}: NodeListing, wide: boolean, {width}: TextOptions): string {
  return table(
    ['NAME', 'STATUS', 'VERSION', 'RUNTIME', 'PLUGIN', 'ADDRESS', 'BOOTED', 'HELPER', ...(wide ? ['WINDOWS'] : [])],
    rows.map(each => [
      each.name,
      each.status,
      each.kubelet ?? '',
      each.runtime ?? '',
      pluginText(each.cni),
      each.address ?? '',
      each.bootedAt === undefined ? 'unknown' : `${age(listedAt - Date.parse(each.bootedAt))} ago`,
      helperText(each.helper),
      ...(wide ? [each.windows ?? ''] : []),
    ]),
    width,
  );
}

function pluginText({name, version, variant, confidence, undetermined}: NodeRow['cni']): string {
  if (undetermined !== undefined) return 'undetermined';
  if (name === 'unknown') return 'unknown';
  return [name, version, variant, confidence === 'guess' && '(guess)'].filter(Boolean).join(' ');
}

function helperText({installed, possible, reason}: NodeRow['helper']): string {
  if (installed) return 'installed';
  if (!possible) return `no: ${reason}`;
  return installed === undefined ? 'unknown' : 'possible';
}

/** An age in kubectl's format: 45s, 12m, 5h, 3d. */
function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
