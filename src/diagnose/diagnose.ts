import {type Parts, unshared} from '../lib/shared-parts.js';
import {inOneLimit, inSharedLimits} from '../lib/time-limit.js';
import type {Check, NodeSubject} from '../model/check.js';
import type {Result} from '../model/result.js';
import type {ClusterModel} from '../snapshot/cluster.js';
import type {Snapshot} from '../snapshot/snapshot.js';
import {asSevereAsEffects, type Linked, noLinks} from './causes.js';
import {incompleteness} from './completeness.js';
import {
  type AboutNode,
  about,
  checkCluster,
  concluded,
  runNodeChecks,
  type Selection,
  selectChecks,
  subjectOf,
} from './engine.js';
import {forPeers} from './peer-facts.js';
import {comparePeers} from './peers.js';
import {buildReport, cniOf, type DoctorReport, isoSeconds, type NodeReport} from './report.js';
import {SharedResults} from './shared-results.js';
import {suppress} from './suppress.js';
import type {Suppression} from './suppressions.js';

export interface DiagnoseInput {
  readonly snapshot: Snapshot;
  readonly names: readonly string[];
  /** Why a node could not be inspected, by its name. */
  readonly failures: ReadonlyMap<string, string>;
  readonly selection: Selection;
  readonly suppressions?: readonly Suppression[] | undefined;
  readonly context?: string | undefined;
  /** Replaces the remedies of an inspected node's findings with those that its state allows. */
  readonly remedies?: ((subject: NodeSubject, results: readonly Result[]) => readonly Result[]) | undefined;
  readonly now: Date;
}

/** The report for a snapshot. Pure: the same input gives the same report. */
export function diagnose(input: DiagnoseInput): DoctorReport {
  const {snapshot, names, failures, now} = input;
  const fleet = new FleetDiagnosis({...input, cluster: snapshot.cluster});
  fleet.addAll(names.map(name => ({read: () => subjectOf(snapshot, name, now.getTime()), error: failures.get(name)})));
  return fleet.report(input.context);
}

export interface FleetInput extends Omit<DiagnoseInput, 'snapshot' | 'names' | 'failures' | 'context'> {
  readonly cluster: ClusterModel | undefined;
  /** Stores what is kept of each node. */
  readonly parts?: Parts | undefined;
}

/** A node to diagnose. */
interface NewNode {
  readonly read: () => NodeSubject;
  /** Why it could not be inspected. */
  readonly error?: string | undefined;
  /** When it was read, if that was before this run. */
  readonly readAt?: Date | undefined;
}

/** What is kept of a diagnosed node. */
interface KeptNode {
  readonly report: NodeReport;
  /** Its failures with their links, until the findings of the cluster are known. */
  readonly failed: readonly Linked[];
  readonly about: AboutNode;
  /** For the checks that cover all nodes. */
  readonly subject: NodeSubject;
}

/** Diagnoses nodes one by one as they are read, and keeps only results and a few facts of each. */
export class FleetDiagnosis {
  readonly #input: FleetInput;
  readonly #checks: readonly Check[];
  readonly #nodes: KeptNode[] = [];
  readonly #shared = new SharedResults();
  readonly #parts: Parts;

  constructor(input: FleetInput) {
    this.#input = input;
    this.#checks = selectChecks(input.selection);
    this.#parts = input.parts ?? unshared;
  }

  /** The report of this node alone. Causes in the cluster and peers are only known at the end. */
  add(node: NewNode): NodeReport {
    const diagnosed = inOneLimit(() => this.#diagnose(node));
    this.#nodes.push(diagnosed);
    return this.#suppressed(diagnosed.report);
  }

  /** The same for nodes that were all read before. */
  addAll(nodes: readonly NewNode[]): void {
    for (const diagnosed of inSharedLimits(nodes, node => this.#diagnose(node))) this.#nodes.push(diagnosed);
  }

  /** What is kept of a node. Repeated if it takes too long, so it changes nothing but what is shared. */
  #diagnose({read, error, readAt}: NewNode): KeptNode {
    const subject = read();
    const found = runNodeChecks(subject, this.#checks);
    const alone = concluded(found, about(subject), []);
    const {remedies} = this.#input;
    const results = error === undefined && remedies ? remedies(subject, alone) : alone;
    const incomplete = incompleteness(subject, results);
    const report = {
      name: subject.node.name,
      cni: cniOf(subject.plugin),
      inspected: error === undefined,
      ...(error !== undefined && {error}),
      ...(readAt !== undefined && {readAt: isoSeconds(readAt)}),
      ...(error === undefined && incomplete !== undefined && {incomplete}),
      results: this.#shared.all(results),
    };
    const kept = forPeers(subject, this.#parts);
    return {
      report,
      failed: found.filter(({result}) => result.outcome === 'fail').map(planned(alone, results)),
      about: {...about(subject), subject: kept},
      subject: kept,
    };
  }

  report(context?: string): DoctorReport {
    const {cluster, suppressions = [], now} = this.#input;
    // Sorted by name, because nodes are read in any order.
    const inOrder = this.#nodes.toSorted((one, other) => (one.report.name < other.report.name ? -1 : 1));
    const clusterResults = checkCluster(
      cluster,
      inOrder.map(({subject}) => subject),
      this.#checks,
    );
    const {nodes, shared} = comparePeers(inOrder.map(node => this.#suppressed(explained(node, clusterResults))));
    const all = nodes.flatMap(({results}) => results.filter(({outcome}) => outcome === 'fail'));
    return buildReport({
      generatedAt: now,
      version: cluster?.version,
      context,
      clusterResults: [...suppress(asSevereAsEffects(clusterResults, all), suppressions, undefined), ...shared],
      unread: cluster?.lists.unreadTogether.map(({name, error}) => `${name}: ${error}`),
      nodes,
    });
  }

  #suppressed(report: NodeReport): NodeReport {
    const {suppressions = [], cluster} = this.#input;
    if (suppressions.length === 0) return report;
    const labels = cluster?.node(report.name)?.metadata.labels ?? {};
    return {...report, results: suppress(report.results, suppressions, labels)};
  }
}

const key = ({id, message}: Result) => `${id} ${message}`;

/** Replaces the remedy of a failure with the one that the state of the whole node allows. */
function planned(before: readonly Result[], after: readonly Result[]): (linked: Linked) => Linked {
  if (before === after) return linked => linked;
  const old = new Map(before.map(result => [key(result), result.remedy]));
  const changed = new Map(
    after.filter(result => result.remedy !== old.get(key(result))).map(result => [key(result), result.remedy]),
  );
  return linked => {
    const remedy = changed.get(key(linked.result));
    return remedy ? {...linked, result: {...linked.result, remedy}} : linked;
  };
}

/** A node's report, linked to findings of the cluster that explain its failures. */
function explained({report, failed, about: its}: KeptNode, cluster: readonly Result[]): NodeReport {
  if (failed.length === 0 || !cluster.some(({outcome}) => outcome === 'fail')) return report;
  const others = report.results.filter(({outcome}) => outcome !== 'fail').map(result => ({result, links: noLinks}));
  return {...report, results: concluded([...failed, ...others], its, cluster)};
}
