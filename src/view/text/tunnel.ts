import {names} from '../../lib/names.js';
import {plain} from '../../lib/untrusted.js';
import type {AnnotationResult, TunnelResult} from '../../services/tunnel/annotation-result.js';
import type {Decision} from '../../services/tunnel/decide-annotation.js';
import type {NetworkSequence} from '../../services/tunnel/follow-annotation.js';
import type {OtherPlugin} from '../../services/tunnel/plugin-settings.js';
import type {TunnelStatus} from '../../services/tunnel/tunnel-status.js';
import {sequenceText} from '../../services/tunnel/uplink-move.js';
import {annotationName, patchOf} from '../../services/tunnel/write-annotation.js';
import {isForPeople, type View} from '../view.js';
import {table} from './table.js';

const none = '<none>';

export const tunnelView: View<TunnelResult> = {
  text: result => (result.kind === 'shown' ? renderShown(result.nodes) : renderResults(result.results, result.dryRun)),
  document: result =>
    result.kind === 'shown'
      ? {apiVersion: 'kubectl-win/v1', kind: 'TunnelList', items: result.nodes}
      : annotatedDocument(result),
  notes: (result, format) => (result.kind === 'shown' ? '' : notesText(result, !isForPeople(format))),
};

/** All planned changes, shown before anything is written. */
export function renderDecisions(decisions: readonly Decision[]): string {
  return table(
    ['NODE', 'NOW', 'ADAPTER', 'ADDRESS', 'SPEED', 'MTU', 'ACTION'],
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
  if (action === 'keep') return 'keep';
  return after === undefined ? 'remove' : before === undefined ? 'annotate' : 'replace';
}

/** One line per node, like kubectl. */
function renderResults(results: readonly AnnotationResult[], dryRun: 'none' | 'client' | 'server'): string {
  const words: Partial<Record<AnnotationResult['outcome'], string>> = {
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

/** A warning that applies to several nodes is printed once. */
export function renderWarnings(decisions: readonly Decision[]): string {
  const byText = new Map<string, string[]>();
  for (const {node, warnings, action} of decisions) {
    if (action === 'refuse') continue;
    for (const text of warnings) byText.set(text, [...(byText.get(text) ?? []), node]);
  }
  return [...byText].map(([text, nodes]) => `warning: ${names(nodes, 3)}: ${plain(text)}\n`).join('');
}

/** The table, and below it, once each, what nodes of other plugins have instead of the annotation. */
function renderShown(all: readonly TunnelStatus[]): string {
  const unused = Map.groupBy(
    all.filter(({verdict}) => verdict === 'unused'),
    ({reasons}) => reasons.join(' '),
  );
  const notes = [...unused].map(([text, same]) => `${plain(`${names(same.map(({node}) => node))}: ${text}`)}\n`);
  const rows = table(
    ['NODE', 'ANNOTATION', 'ADAPTER', 'ADDRESS', 'UPLINK', 'TUNNEL ADDRESS', 'AGREE'],
    all.map(({node, annotation, adapter, addresses, uplink, encap, verdict, reasons}) => [
      node,
      annotation ?? none,
      adapter ?? none,
      addresses.join(',') || none,
      uplink ?? none,
      encap ?? none,
      verdict === 'unused' ? agreement.unused : [agreement[verdict], ...reasons].join(' '),
    ]),
  );
  return notes.length > 0 ? `${rows}\n${notes.join('')}` : rows;
}

const agreement: Readonly<Record<TunnelStatus['verdict'], string>> = {
  agree: 'yes',
  disagree: 'no:',
  unknown: 'unknown:',
  unused: '-',
};

type Annotated = Extract<TunnelResult, {kind: 'annotated'}>;

/** Errors, and the equivalent settings of other plugins. */
function notesText({results, errors, others}: Annotated, brief: boolean): string {
  const failed = errors.flatMap(({message, next}) => [
    `error: ${plain(message)}`,
    ...next.map(line => `  ${plain(line)}`),
  ]);
  const changed = new Set(results.filter(({outcome}) => outcome === 'translated').map(({decision}) => decision.node));
  const told = others.flatMap(other =>
    other.nodes.some(node => changed.has(node)) ? other.translation.notes : renderOther(other),
  );
  return [...failed, ...(brief ? [] : told.map(plain))].map(line => `${line}\n`).join('');
}

/** The equivalent setting of a plugin that has no tunnel annotation. */
export function renderOther({nodes, translation, unsafe}: OtherPlugin): string[] {
  const {title, settings, reach, change, notes} = translation;
  return [
    `${title} (${names(nodes)}) has no tunnel annotation. The corresponding setting, for ${reach}:`,
    ...settings.map(({name, where, now}) => `  ${name}: ${now ?? 'not set'} (${where})`),
    ...(change ? [`  Change it: ${change.command}`] : []),
    ...notes.map(note => `  ${note}`),
    ...(change
      ? [unsafe === undefined ? '  --apply makes this change.' : `  --apply cannot change it: ${unsafe}.`]
      : []),
  ];
}

/** The steps that move existing networks, shown if `--apply` does not run them. */
export function renderSequence({nodes, first, outcome}: NetworkSequence): string {
  const lines = [
    `To move the network of ${names(nodes, 3)} as well: add --apply, or run kubectl win cleanup NODE. On ${first}, the steps are:`,
    ...sequenceText(outcome).map(line => `  ${line}`),
  ];
  return lines.map(line => `${plain(line)}\n`).join('');
}

function annotatedDocument({results, others, dryRun}: Annotated): object {
  return {
    apiVersion: 'kubectl-win/v1',
    kind: 'TunnelInterfaceList',
    dryRun,
    items: results.map(({decision, outcome, error}) => {
      const {node, before, after, candidate, action, warnings} = decision;
      return {
        node,
        outcome,
        ...(error && {reason: error.message}),
        annotation: {
          name: annotationName,
          before: before ?? null,
          after: (action === 'write' ? after : before) ?? null,
        },
        ...(candidate && {
          adapter: {
            name: candidate.name,
            address: candidate.tunnelAddress,
            mac: candidate.mac,
            mtu: candidate.mtu,
            speed: candidate.speed,
          },
        }),
        ...(action === 'write' && {patch: patchOf({after})}),
        warnings,
      };
    }),
    ...(others.length > 0 && {
      otherPlugins: others.map(({nodes, unsafe, translation}) => {
        const {title, settings, reach, change, notes} = translation;
        return {
          plugin: title,
          nodes,
          reach,
          settings: settings.map(({name, where, now}) => ({name, where, now: now ?? null})),
          ...(change && {
            change: {object: change.object, type: change.type, patch: change.patch, command: change.command},
          }),
          notes,
          ...(unsafe !== undefined && {notAppliedBecause: unsafe}),
        };
      }),
    }),
  };
}
