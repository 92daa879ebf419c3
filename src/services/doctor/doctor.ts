import {type DiagnoseInput, diagnose, FleetDiagnosis} from '../../diagnose/diagnose.js';
import {allChecks, checkNode, type Selection, subjectOf} from '../../diagnose/engine.js';
import {type DoctorReport, doctorExitCode, type FailOn, type NodeReport} from '../../diagnose/report.js';
import {byRootCause} from '../../diagnose/root-causes.js';
import {readSuppressions} from '../../diagnose/suppress.js';
import type {Suppression} from '../../diagnose/suppressions.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {nearestNames} from '../../lib/nearest-names.js';
import {pause} from '../../lib/pause.js';
import {SharedParts} from '../../lib/shared-parts.js';
import {Turns} from '../../lib/work-in-turns.js';
import {withPlannedRemedies} from '../../repair/plan/planned-remedies.js';
import type {InspectOptions} from '../../session/inspection.js';
import type {Progress} from '../../session/progress.js';
import {nodesFromFile} from '../../session/snapshot-file.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import {type NodeModel, nodeModelOf, unreadNode} from '../../snapshot/node.js';
import type {Drawings} from '../inspect/drawings.js';

const pauseBetweenLooks = 10_000;

export interface DoctorOptions extends Selection, InspectOptions {
  readonly from?: string | undefined;
  /** False: run only the checks that need no helper. */
  readonly helper: boolean;
  /** Repeat until no problems are left or `timeout` expires. */
  readonly wait: boolean;
  /** File with suppressions. */
  readonly config?: string | undefined;
  readonly failOn: FailOn;
  readonly verbose: boolean;
  /** Collects the nodes' networks for a report with drawings. */
  readonly drawings?: Drawings | undefined;
}

/** What `doctor` needs of the user interface. */
export interface DoctorPorts {
  /** Already shown when the command started, before this module was loaded; silent when a file is diagnosed. */
  readonly progress: Progress;
  /** Called with the findings so far, before each further inspection. */
  lookingAgain(report: DoctorReport): void;
}

/** `kubectl win doctor`: reads nodes, or a snapshot of them, and diagnoses what was read. */
export async function doctor(options: DoctorOptions, ports: DoctorPorts, signal: AbortSignal): Promise<DoctorReport> {
  refuseUnknownChecks(options);
  const suppressions = await readSuppressions(options.config);
  const {from} = options;
  if (from !== undefined) return fromFile(options, from, suppressions);
  const {keepHeapSmall} = await import('../../lib/small-heap.js');
  keepHeapSmall();
  const until = performance.now() + options.timeout;
  for (;;) {
    const report = await fromCluster(options, suppressions, ports.progress, signal);
    const again = options.wait && doctorExitCode(report, options) !== ExitCode.ok;
    if (!again || performance.now() + pauseBetweenLooks > until) return report;
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

/** Diagnoses each node as it is read, then discards its data, so memory use hardly grows with the number of nodes. */
async function fromCluster(
  options: DoctorOptions,
  suppressions: readonly Suppression[],
  progress: Progress,
  signal: AbortSignal,
): Promise<DoctorReport> {
  const {inspect} = await import('../../session/inspection.js');
  const now = new Date();
  const turns = new Turns();
  const read = new Set<string>();
  let fleet: FleetDiagnosis | undefined;
  const fleetOf = (cluster: ClusterModel) => {
    fleet ??= new FleetDiagnosis({
      cluster,
      selection: options,
      suppressions,
      remedies: remediesFor(options),
      now,
      parts: new SharedParts(),
    });
    return fleet;
  };
  const subject = (cluster: ClusterModel, node: NodeModel) =>
    subjectOf({cluster, nodes: new Map([[node.name, node]]), takenAt: now.getTime()}, node.name, now.getTime());
  const onRead: InspectOptions['onRead'] = (name, dump, {cluster, failure, ageMs}) =>
    turns.take(() => {
      const readNode = () => subject(cluster, nodeModelOf(name, dump()));
      const report = fleetOf(cluster).add({read: readNode, error: failure, readAt: readAt(ageMs)});
      read.add(name);
      if (progress.isWatched) tellFindings(report, progress);
    });
  const inspected = await inspect({...options, onRead, keep: false, keepObjects: false}, progress, signal);
  const {names, failures, context, noise, cluster} = inspected;
  if (options.verbose) tellNoise(noise, progress);
  const diagnosis = fleetOf(cluster);
  for (const name of names.filter(its => !read.has(its))) {
    const why = options.helper ? failures.get(name) : 'not inspected (--no-helper).';
    diagnosis.add({read: () => subject(cluster, unreadNode(name)), error: why});
  }
  return diagnosis.report(context);
}

/** A cleanup plan depends on all checks, even if only some were selected. */
function remediesFor({only, skip, drawings}: DoctorOptions): DiagnoseInput['remedies'] {
  const isWhole = only === undefined && skip === undefined;
  return (subject, results) => {
    drawings?.take(subject, results);
    return withPlannedRemedies(subject, results, () => (isWhole ? results : checkNode(subject, allChecks)));
  };
}

/** When a node was read, if that was before this run. */
const readAt = (ageMs: number | undefined) => (ageMs === undefined ? undefined : new Date(Date.now() - ageMs));

/** For live output. Causes in the cluster are known only at the end and appear in the report. */
function tellFindings({name, results}: NodeReport, progress: Progress): void {
  for (const {root} of byRootCause(results)) {
    const {id, severity, message} = root;
    progress.found(name, {id, severity: severity === 'error' ? 'error' : 'warning', message});
  }
}

/** A logon banner or profile output is harmless, so it is shown only with --verbose. */
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
  throw new WinError(`${flag}: unknown check "${unknown}".`, {
    next: [close ? `Did you mean "${close}"?` : 'See: kubectl win doctor --list-checks'],
  });
}
