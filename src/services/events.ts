import {meaningOfLine} from '../checks/logs/known-errors.js';
import {subjectOf} from '../diagnose/engine.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {alphabetically} from '../lib/natural-order.js';
import {type InspectOptions, inspect} from '../session/inspection.js';
import {type OpenProgress, withProgress} from '../session/progress.js';
import {nodesFromFile} from '../session/snapshot-file.js';
import type {SectionName} from '../snapshot/section-names.js';
import {readSnapshot, type Snapshot} from '../snapshot/snapshot.js';

/** A Windows event about HNS, VFP, switches or services. */
export interface NodeEvent {
  readonly at: string | undefined;
  readonly node: string;
  readonly level: string;
  readonly source: string;
  readonly id: number | undefined;
  readonly message: string;
  /** The explanation, if the message is a known error. */
  readonly means?: string;
}

export interface NodeEvents {
  readonly apiVersion: 'kubectl-win/v1';
  readonly kind: 'NodeEvents';
  readonly items: readonly NodeEvent[];
  /** Why the events of a node are missing, by node name. */
  readonly failures: Readonly<Record<string, string>>;
}

export interface EventsOptions extends InspectOptions {
  readonly from?: string | undefined;
  /** How far back, in milliseconds. */
  readonly since?: number | undefined;
}

/** `os` has the node's clock, which `since` refers to. */
const sections: readonly SectionName[] = ['os', 'events', 'vmSwitchExtensions'];

export async function nodeEvents(options: EventsOptions, open: OpenProgress, signal: AbortSignal): Promise<NodeEvents> {
  const {snapshot, names, failures} = await read(options, open, signal);
  const all = names.map(name => eventsOf(snapshot, name, options.since));
  const unread = names.flatMap((name, i) => {
    const reason = failures.get(name) ?? (all[i] instanceof WinError ? all[i].message : undefined);
    return reason === undefined ? [] : [[name, reason] as const];
  });
  const items = all.flatMap(events => (events instanceof WinError ? [] : events));
  return {
    apiVersion: 'kubectl-win/v1',
    kind: 'NodeEvents',
    items: items.sort((one, other) => alphabetically(one.at ?? '', other.at ?? '')),
    failures: Object.fromEntries(unread),
  };
}

async function read(options: EventsOptions, open: OpenProgress, signal: AbortSignal) {
  if (options.from !== undefined) return nodesFromFile(options.from, options.names);
  const inspected = await withProgress(open, progress => inspect({...options, sections}, progress, signal));
  return {...inspected, snapshot: readSnapshot(inspected.document)};
}

function eventsOf(snapshot: Snapshot, name: string, since: number | undefined): NodeEvent[] | WinError {
  const subject = subjectOf(snapshot, name, snapshot.takenAt ?? Date.now());
  const {node} = subject;
  if (!node.events) {
    const {message, kind} = node.errors.events ?? {message: 'events were not collected', kind: ''};
    return new WinError(message || kind);
  }
  const first = since === undefined ? 0 : (node.os?.clock ?? Date.now()) - since;
  return node.events
    .filter(({at}) => since === undefined || (at !== undefined && at >= first))
    .map(({at, provider, log, id, level, message}) => {
      const means = meaningOfLine(subject, message);
      return {
        at: at === undefined ? undefined : new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z'),
        node: name,
        level: level ?? '',
        source: provider ?? log ?? '',
        id,
        message,
        ...(means !== undefined && {means}),
      };
    });
}

export const eventsExitCode = ({failures}: NodeEvents): ExitCode =>
  Object.keys(failures).length > 0 ? ExitCode.uninspected : ExitCode.ok;
