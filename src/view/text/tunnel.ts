import {names} from '../../lib/names.js';
import {plain} from '../../lib/untrusted.js';
import type {Decision} from '../../services/tunnel/decide.js';
import type {Result} from '../../services/tunnel/result.js';
import type {Shown} from '../../services/tunnel/show.js';
import {table} from './table.js';

const none = '<none>';

/** Everything that is about to happen, before anything does. */
export function renderDecisions(decisions: readonly Decision[]): string {
  return table(
    ['NODE', 'NOW', 'ADAPTER', 'ADDRESS', 'SPEED', 'MTU', 'WHAT'],
    decisions.map(decision => {
      const {node, before, candidate} = decision;
      const {name, tunnelAddress, speed, mtu} = candidate ?? {};
      return [
        node,
        before ?? none,
        name ?? none,
        tunnelAddress ?? none,
        speed ?? '',
        mtu === undefined ? '' : String(mtu),
        what(decision),
      ];
    }),
  );
}

function what({action, before, after, reason}: Decision): string {
  if (action === 'refuse') return `refused: ${reason}`;
  if (action === 'uninspected') return `not inspected: ${reason}`;
  if (action === 'keep') return 'stays';
  return after === undefined ? 'remove' : before === undefined ? 'annotate' : 'replace';
}

/** One line a node, as kubectl prints them. */
export function renderResults(results: readonly Result[], dryRun: 'none' | 'client' | 'server'): string {
  const words: Partial<Record<Result['outcome'], string>> = {
    annotated: 'annotated',
    removed: 'annotation removed',
    unchanged: 'unchanged',
  };
  const suffix = dryRun === 'none' ? '' : dryRun === 'client' ? ' (dry run)' : ' (server dry run)';
  return results
    .filter(({outcome}) => words[outcome] !== undefined)
    .map(({decision, outcome}) => `node/${decision.node} ${words[outcome]}${suffix}\n`)
    .join('');
}

/** What should be known of several nodes is said once. */
export function renderWarnings(decisions: readonly Decision[]): string {
  const byText = new Map<string, string[]>();
  for (const {node, warnings, action} of decisions) {
    if (action === 'refuse') continue;
    for (const text of warnings) byText.set(text, [...(byText.get(text) ?? []), node]);
  }
  return [...byText].map(([text, nodes]) => `warning: ${names(nodes, 3)}: ${plain(text)}\n`).join('');
}

export function renderShown(all: readonly Shown[]): string {
  return table(
    ['NODE', 'ANNOTATION', 'ADAPTER', 'ADDRESS', 'UPLINK', 'TUNNEL ADDRESS', 'AGREE'],
    all.map(({node, annotation, adapter, addresses, uplink, encap, verdict, reasons}) => [
      node,
      annotation ?? none,
      adapter ?? none,
      addresses.join(',') || none,
      uplink ?? none,
      encap ?? none,
      [agreement[verdict], ...reasons].join(' '),
    ]),
  );
}

const agreement: Readonly<Record<Shown['verdict'], string>> = {
  agree: 'yes',
  disagree: 'no:',
  unknown: 'unknown:',
  unused: '-',
};
