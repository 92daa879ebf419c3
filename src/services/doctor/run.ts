import {judge} from '../../diagnose/diagnose.js';
import {allChecks, type Selection} from '../../diagnose/engine.js';
import {type DoctorReport, exitCodeOf, type FailOn} from '../../diagnose/report.js';
import {byRootCause} from '../../diagnose/root-causes.js';
import {readSuppressions} from '../../diagnose/suppress.js';
import type {Suppression} from '../../diagnose/suppressions.js';
import type {ConnectionFlags} from '../../kube/kubeconfig.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {nearestNames} from '../../lib/nearest.js';
import {pause} from '../../lib/pause.js';
import {type Streams, talk} from '../../lib/streams.js';
import {Turns} from '../../lib/turns.js';
import type {InspectOptions} from '../../session/inspection.js';
import {type Progress, silent} from '../../session/progress.js';
import {nodesFromFile} from '../../session/snapshot-file.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import type {NodeDump} from '../../snapshot/document.js';
import {readNode} from '../../snapshot/node.js';
import {readSnapshot} from '../../snapshot/snapshot.js';
import {renderNames, renderShort, renderText, summaryLine, type TextOptions} from '../../view/text/report.js';
import {table} from '../../view/text/table.js';

const pauseBetweenLooks = 10_000;

export interface DoctorOptions extends Selection {
  readonly connection: ConnectionFlags;
  readonly names: readonly string[];
  readonly selector?: string | undefined;
  readonly from?: string | undefined;
  /** False: cluster-side checks alone. */
  readonly helper: boolean;
  /** Look again until nothing is wrong, or `timeout` is over. */
  readonly wait: boolean;
  /** File with suppressions. */
  readonly config?: string | undefined;
  readonly failOn: FailOn;
  readonly format?: string | undefined;
  readonly text: TextOptions;
  readonly concurrency: number;
  readonly helperNamespace?: string | undefined;
  readonly helperImage?: string | undefined;
  readonly helperTimeout: number;
  readonly timeout: number;
  readonly verbose: boolean;
  /** Shown since the command began, before any of this was loaded; nobody looks on where a file is judged. */
  readonly progress?: Progress | undefined;
}

/** What was found, and the same as the format that was asked for. */
export interface Looked {
  readonly report: DoctorReport;
  readonly output: string;
  readonly exitCode: ExitCode;
}

export async function runDoctor(options: DoctorOptions, streams: Streams, signal: AbortSignal): Promise<Looked> {
  refuseUnknownChecks(options);
  const suppressions = await readSuppressions(options.config);
  const {from, progress = silent} = options;
  const look = () =>
    from === undefined ? fromCluster(options, suppressions, progress, signal) : fromFile(options, from, suppressions);
  const until = Date.now() + options.timeout;
  for (;;) {
    const report = await look();
    const exitCode = exitCodeOf(report, options.failOn, {whole: options.helper});
    const again = options.wait && options.from === undefined && exitCode !== ExitCode.ok;
    if (!again || Date.now() + pauseBetweenLooks > until)
      return {report, output: await render(report, options), exitCode};
    talk(streams, `${summaryLine(report)}; looking again…`);
    await pause(pauseBetweenLooks, signal);
  }
}

async function fromFile(
  options: DoctorOptions,
  path: string,
  suppressions: readonly Suppression[],
): Promise<DoctorReport> {
  const looked = await nodesFromFile(path, options.names);
  return judge({...looked, selection: options, suppressions, now: new Date()});
}

async function fromCluster(
  options: DoctorOptions,
  suppressions: readonly Suppression[],
  progress: Progress,
  signal: AbortSignal,
): Promise<DoctorReport> {
  const {inspect} = await import('../../session/inspection.js');
  const onRead = progress.isWatched ? tellFindings(options, suppressions, progress) : undefined;
  const {document, names, failures, context, noise} = await inspect({...options, onRead}, progress, signal);
  if (options.verbose) tellNoise(noise, progress);
  return judge({
    snapshot: readSnapshot(document),
    names,
    failures: options.helper ? failures : new Map(names.map(name => [name, 'not asked for (--no-helper).'])),
    selection: options,
    suppressions,
    context,
    now: new Date(),
  });
}

/** Judges each node alone as it comes, for those who watch. The report judges them all together. */
function tellFindings(
  selection: Selection,
  suppressions: readonly Suppression[],
  progress: Progress,
): NonNullable<InspectOptions['onRead']> {
  const turns = new Turns();
  const tell = (name: string, dump: NodeDump, cluster: ClusterModel) => {
    const snapshot = {cluster, nodes: new Map([[name, readNode(name, dump)]]), takenAt: Date.now()};
    const [node] = judge({
      snapshot,
      names: [name],
      failures: new Map(),
      selection,
      suppressions,
      now: new Date(),
    }).nodes;
    for (const {root} of byRootCause(node?.results ?? [])) {
      const {id, severity, message} = root;
      progress.found(name, {id, severity: severity === 'error' ? 'error' : 'warning', message});
    }
  };
  return (...read) => turns.take(() => tell(...read));
}

/** A banner or a profile's chatter breaks nothing, and is shown to those who ask. */
function tellNoise(noise: ReadonlyMap<string, readonly string[]>, progress: Progress): void {
  for (const [name, lines] of noise) for (const line of lines) progress.warn(`${name} printed: ${line}`);
}

async function render(report: DoctorReport, {format, text}: DoctorOptions): Promise<string> {
  switch (format) {
    case 'json':
    case 'yaml':
      return printed(report, format);
    case 'name':
      return renderNames(report);
    case 'short':
      return renderShort(report, text);
    default:
      return renderText(report, text);
  }
}

/** What writes YAML is loaded for those who want a document. */
async function printed(document: unknown, format: 'json' | 'yaml'): Promise<string> {
  const {printDocument} = await import('../../view/text/print.js');
  return printDocument(document, format);
}

function refuseUnknownChecks({only = [], skip = []}: Selection): void {
  const ids = allChecks.map(({id}) => id as string);
  const known = new Set([...ids, ...ids.map(id => id.split('/')[0] ?? id)]);
  const unknown = [...only, ...skip].find(name => !known.has(name));
  if (unknown === undefined) return;
  const [close] = nearestNames(unknown, [...known]);
  throw new WinError(`there is no check "${unknown}".`, {
    next: [close ? `Did you mean "${close}"?` : 'See: kubectl win doctor --list-checks'],
  });
}

/** Every check with whom it is for, how bad it is, and what it reads. */
export async function listChecks(format: string | undefined): Promise<string> {
  const rows = allChecks.map(({id, title, severity, plugins, needs}) => ({id, title, severity, plugins, needs}));
  if (format === 'json' || format === 'yaml')
    return printed({apiVersion: 'kubectl-win/v1', kind: 'CheckList', items: rows}, format);
  if (format === 'name') return rows.map(({id}) => `${id}\n`).join('');
  return table(
    ['ID', 'SEVERITY', 'PLUGINS', 'TITLE'],
    rows.map(({id, severity, plugins, title}) => [id, severity, plugins, title]),
  );
}
