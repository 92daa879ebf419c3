import {meaningOfLine} from '../../checks/logs/known-errors.js';
import {subjectOf} from '../../diagnose/engine.js';
import {collect} from '../../helper/collect-sections.js';
import type {HelperSession} from '../../helper/helper-run.js';
import {nameOfNode, selectNodes} from '../../kube/select-nodes.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {pause} from '../../lib/pause.js';
import type {NodeSubject} from '../../model/check.js';
import {type InspectOptions, withInspection} from '../../session/inspection.js';
import {type OpenProgress, withProgress} from '../../session/progress.js';
import {nodesFromFile} from '../../session/snapshot-file.js';
import {nodeModelOf} from '../../snapshot/node.js';
import type {SectionName} from '../../snapshot/section-names.js';
import type {Sections} from '../../snapshot/sections.js';
import {withHelperOn} from '../cleanup/node-connection.js';
import {componentsOf, type LogLine, mergeLogs} from './merge.js';

export interface LogsOptions extends InspectOptions {
  readonly from?: string | undefined;
  readonly components: readonly string[];
  /** How far back, in milliseconds. */
  readonly since?: number | undefined;
  readonly follow: boolean;
}

/** The network's logs of one node, as `-o json` prints them. */
export interface NodeLogs {
  readonly apiVersion: 'kubectl-win/v1';
  readonly kind: 'NodeLogs';
  readonly node: string;
  readonly components: readonly string[];
  readonly lines: readonly LogLine[];
  /** Logs that exist but could not be read. */
  readonly unread: readonly {readonly path: string; readonly reason: string}[];
}

/** Besides the logs, the sections from which the plugin and the node's clock are determined. */
const sections: readonly SectionName[] = ['os', 'logs', 'files', 'services', 'hnsNetworks', 'vmSwitchExtensions'];
const sectionTimeoutMs = 10_000;
const deadlineMs = 60_000;
const pauseBetweenReads = 2000;

type Logs = Sections['logs'];

/** Reads the logs of a node. With `follow`, passes new lines to `more` until aborted. */
export async function logs(
  options: LogsOptions,
  ports: {open: OpenProgress; more(lines: readonly LogLine[]): void},
  signal: AbortSignal,
): Promise<NodeLogs> {
  const {names, from} = options;
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw new WinError('logs requires the name of one Windows node.', {next: ['List them with: kubectl win nodes']});
  }
  if (from !== undefined) {
    const {snapshot} = await nodesFromFile(from, [name]);
    return nodeLogs(subjectOf(snapshot, name, snapshot.takenAt ?? Date.now()), options);
  }
  return withProgress(ports.open, progress =>
    withInspection(options, progress, signal, async inspection => {
      const [node] = await selectNodes(inspection.client, options, {signal: inspection.signal});
      return withHelperOn(inspection, node ? nameOfNode(node) : name, async session => {
        const subject = await readSubject(session, inspection.signal);
        const result = nodeLogs(subject, options);
        if (options.follow) {
          progress.end();
          ports.more(result.lines);
          await follow(session, subject, {options, signal: inspection.signal, more: ports.more});
        }
        return result;
      });
    }),
  );
}

async function readSubject(session: HelperSession, signal: AbortSignal): Promise<NodeSubject> {
  const collected = await collect(session, {sections, sectionTimeoutMs, deadlineMs, signal});
  const {sections: data, errors} = collected.read();
  const node = nodeModelOf(session.node, {sections: data, errors});
  return subjectOf(
    {cluster: undefined, nodes: new Map([[session.node, node]]), takenAt: Date.now()},
    session.node,
    Date.now(),
  );
}

/** Reads the ends of the logs periodically, and reports the new lines. */
async function follow(
  session: HelperSession,
  subject: NodeSubject,
  {options, signal, more}: {options: LogsOptions; signal: AbortSignal; more(lines: readonly LogLine[]): void},
): Promise<void> {
  let known = new Map((subject.node.logs ?? []).map(({path, tail}) => [path, tail]));
  for (;;) {
    await pause(pauseBetweenReads, signal);
    const {node} = await readSubject(session, signal);
    const read = logsOf(node);
    const added = read.map(log => ({...log, tail: addedTo(known.get(log.path) ?? '', log.tail)}));
    known = new Map(read.map(({path, tail}) => [path, tail]));
    const lines = merged(subject, added, {...options, since: undefined});
    if (lines.length > 0) more(lines);
  }
}

/** The text that was added to a log. Both arguments are the end of the log; they overlap unless it grew fast. */
export function addedTo(before: string, now: string): string {
  const end = before.slice(-200);
  const at = end === '' ? -1 : now.lastIndexOf(end);
  return at === -1 ? now : now.slice(at + end.length);
}

function nodeLogs(subject: NodeSubject, options: LogsOptions): NodeLogs {
  const all = logsOf(subject.node);
  const components = componentsOf(all);
  const {components: asked} = options;
  const unknown = asked.find(name => !components.some(one => one.includes(name.toLowerCase())));
  if (unknown !== undefined) {
    throw new WinError(`${subject.node.name} has no logs of component "${unknown}" (--component).`, {
      next: [components.length > 0 ? `Components: ${components.join(', ')}.` : 'It has no network logs.'],
    });
  }
  return {
    apiVersion: 'kubectl-win/v1',
    kind: 'NodeLogs',
    node: subject.node.name,
    components,
    lines: merged(subject, all, options),
    unread: all.flatMap(({path, error}) => (error === undefined ? [] : [{path, reason: error}])),
  };
}

function merged(
  subject: NodeSubject,
  all: Logs,
  {components, since}: Pick<LogsOptions, 'components' | 'since'>,
): LogLine[] {
  const now = subject.node.os?.clock ?? Date.now();
  return mergeLogs(all, {
    components,
    since: since === undefined ? undefined : now - since,
    utcOffset: subject.node.os?.utcOffset,
    meaningOf: text => meaningOfLine(subject, text),
  });
}

/** Unread logs are an error, not an empty list. */
function logsOf(node: NodeSubject['node']): Logs {
  if (node.logs) return node.logs;
  const {message, kind} = node.errors.logs ?? {message: 'not collected', kind: ''};
  throw new WinError(`the logs of ${node.name} could not be read: ${message || kind}.`, {exit: ExitCode.uninspected});
}

export const logsExitCode = ({unread}: NodeLogs): ExitCode => (unread.length > 0 ? ExitCode.uninspected : ExitCode.ok);
