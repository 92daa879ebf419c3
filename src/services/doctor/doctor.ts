import {type DiagnoseInput, diagnose} from '../../diagnose/diagnose.js';
import {allChecks, checkNode, type Selection} from '../../diagnose/engine.js';
import {type DoctorReport, doctorExitCode, type FailOn} from '../../diagnose/report.js';
import {byRootCause} from '../../diagnose/root-causes.js';
import {readSuppressions} from '../../diagnose/suppress.js';
import type {Suppression} from '../../diagnose/suppressions.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {nearestNames} from '../../lib/nearest.js';
import {pause} from '../../lib/pause.js';
import {Turns} from '../../lib/turns.js';
import {withPlannedRemedies} from '../../repair/plan/planned-remedies.js';
import type {InspectOptions} from '../../session/inspection.js';
import type {Progress} from '../../session/progress.js';
import {nodesFromFile} from '../../session/snapshot-file.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import type {NodeDump} from '../../snapshot/document.js';
import {nodeModelOf} from '../../snapshot/node.js';
import {readSnapshot} from '../../snapshot/snapshot.js';

const pauseBetweenLooks = 10_000;

export interface DoctorOptions extends Selection, InspectOptions {
  readonly from?: string | undefined;
  /** False: cluster-side checks alone. */
  readonly helper: boolean;
  /** Look again until nothing is wrong, or `timeout` is over. */
  readonly wait: boolean;
  /** File with suppressions. */
  readonly config?: string | undefined;
  readonly failOn: FailOn;
  readonly verbose: boolean;
}

/** What `doctor` needs of whoever talks with the person. */
export interface DoctorPorts {
  /** Shown since the command began, before any of this was loaded; silent where a file is diagnosed. */
  readonly progress: Progress;
  /** Told what was found, before it looks again. */
  lookingAgain(report: DoctorReport): void;
}

/** `kubectl win doctor`: reads nodes, or a snapshot of them, and diagnoses what was read. */
export async function doctor(options: DoctorOptions, ports: DoctorPorts, signal: AbortSignal): Promise<DoctorReport> {
  refuseUnknownChecks(options);
  const suppressions = await readSuppressions(options.config);
  const {from} = options;
  if (from !== undefined) return fromFile(options, from, suppressions);
  const until = Date.now() + options.timeout;
  for (;;) {
    const report = await fromCluster(options, suppressions, ports.progress, signal);
    const again = options.wait && doctorExitCode(report, options) !== ExitCode.ok;
    if (!again || Date.now() + pauseBetweenLooks > until) return report;
    ports.lookingAgain(report);
    await pause(pauseBetweenLooks, signal);
  }
}

async function fromFile(
  options: DoctorOptions,
  path: string,
  suppressions: readonly Suppression[],
): Promise<DoctorReport> {
  const looked = await nodesFromFile(path, options.names);
  return diagnose({...looked, selection: options, suppressions, remedies: remediesFor(options), now: new Date()});
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
  return diagnose({
    snapshot: readSnapshot(document),
    names,
    failures: options.helper ? failures : new Map(names.map(name => [name, 'not asked for (--no-helper).'])),
    selection: options,
    suppressions,
    context,
    remedies: remediesFor(options),
    now: new Date(),
  });
}

/** What a cleanup would do rests on all checks, also where only some were asked for. */
function remediesFor({only, skip}: Selection): DiagnoseInput['remedies'] {
  const isWhole = only === undefined && skip === undefined;
  return (subject, results) =>
    withPlannedRemedies(subject, results, () => (isWhole ? results : checkNode(subject, allChecks)));
}

/** Diagnoses each node alone as it comes, for those who watch. The report diagnoses them all together. */
function tellFindings(
  selection: Selection,
  suppressions: readonly Suppression[],
  progress: Progress,
): NonNullable<InspectOptions['onRead']> {
  const turns = new Turns();
  const tell = (name: string, dump: NodeDump, cluster: ClusterModel) => {
    const snapshot = {cluster, nodes: new Map([[name, nodeModelOf(name, dump)]]), takenAt: Date.now()};
    const {
      nodes: [node],
      cluster: {results: clusterResults},
    } = diagnose({
      snapshot,
      names: [name],
      failures: new Map(),
      selection,
      suppressions,
      now: new Date(),
    });
    for (const {root} of byRootCause(node?.results ?? [], clusterResults)) {
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

function refuseUnknownChecks({only = [], skip = []}: Selection): void {
  const ids = allChecks.map(({id}) => id as string);
  const known = new Set([...ids, ...ids.map(id => id.split('/')[0] ?? id)]);
  const named = [...only.map(name => ['--only', name] as const), ...skip.map(name => ['--skip', name] as const)];
  const [flag, unknown] = named.find(([, name]) => !known.has(name)) ?? [];
  if (unknown === undefined) return;
  const [close] = nearestNames(unknown, [...known]);
  throw new WinError(`${flag}: there is no check "${unknown}".`, {
    next: [close ? `Did you mean "${close}"?` : 'See: kubectl win doctor --list-checks'],
  });
}
