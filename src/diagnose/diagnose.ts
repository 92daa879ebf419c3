import type {NodeSubject} from '../model/check.js';
import type {Result} from '../model/result.js';
import {listName} from '../snapshot/cluster-lists.js';
import type {Snapshot} from '../snapshot/snapshot.js';
import {asSevereAsEffects} from './causes.js';
import {incompleteness} from './completeness.js';
import {checkCluster, checkNode, type Selection, selectChecks, subjectOf} from './engine.js';
import {comparePeers} from './peers.js';
import {buildReport, cniOf, type DoctorReport, type NodeReport} from './report.js';
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
  /** Gives findings of a node that was read the remedies that its state allows. */
  readonly remedies?: ((subject: NodeSubject, results: readonly Result[]) => readonly Result[]) | undefined;
  readonly now: Date;
}

/** A snapshot's report. Pure, the clock aside: the same snapshot gives the same report. */
export function diagnose(input: DiagnoseInput): DoctorReport {
  const {snapshot, names, failures, selection, suppressions = [], context, now, remedies} = input;
  const checks = selectChecks(selection);
  const subjects = names.map(name => subjectOf(snapshot, name, now.getTime()));
  const clusterResults = checkCluster(snapshot.cluster, subjects, checks);
  const {nodes, shared} = comparePeers(
    subjects.map((subject): NodeReport => {
      const error = failures.get(subject.node.name);
      const found = checkNode(subject, checks, clusterResults);
      const results = error === undefined && remedies ? remedies(subject, found) : found;
      const incomplete = incompleteness(subject, results);
      return {
        name: subject.node.name,
        cni: cniOf(subject.plugin),
        inspected: error === undefined,
        ...(error !== undefined && {error}),
        ...(error === undefined && incomplete !== undefined && {incomplete}),
        results: suppress(results, suppressions, subject.object?.metadata.labels ?? {}),
      };
    }),
  );
  return buildReport({
    generatedAt: now,
    version: snapshot.cluster?.version,
    context,
    clusterResults: [
      ...suppress(
        asSevereAsEffects(
          clusterResults,
          nodes.flatMap(({results}) => results),
        ),
        suppressions,
        undefined,
      ),
      ...shared,
    ],
    unread: snapshot.cluster?.lists.unread.map(list => `${listName(list)}: ${list.error}`),
    nodes,
  });
}
