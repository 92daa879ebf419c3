import {commonChecks} from '../checks/common.js';
import {unreachable} from '../checks/reachable.js';
import {settling} from '../checks/still-starting.js';
import {eachInTime} from '../lib/time-limit.js';
import type {Check, Fleet, Need, NodeCheck, NodeSubject, Severity} from '../model/check.js';
import type {CheckedNode, Result} from '../model/result.js';
import {unknown, Verdict} from '../model/verdict.js';
import {plugins} from '../plugins/all.js';
import {ClusterModel} from '../snapshot/cluster.js';
import {type NodeModel, unreadNode} from '../snapshot/node.js';
import {NotRead} from '../snapshot/not-read.js';
import type {Snapshot} from '../snapshot/snapshot.js';
import {withAgreeingRemedies} from './agreement.js';
import {withArrivingRemedies} from './arriving-remedies.js';
import {asSevereAsEffects, type Linked, noLinks, withCauses} from './causes.js';
import {detect} from './detect.js';

/** All checks: the common ones and those of each plugin. */
export const allChecks: readonly Check[] = [...commonChecks, ...plugins.flatMap(plugin => plugin.checks)].sort(
  (one, other) => (one.id < other.id ? -1 : 1),
);

export interface Selection {
  /** Check ids, or areas such as `ovs`; empty: all. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
}

export function selectChecks({only = [], skip = []}: Selection): readonly Check[] {
  const matches = (id: string, names: readonly string[]) =>
    names.some(name => id === name || id.startsWith(`${name}/`));
  return allChecks.filter(({id}) => (only.length === 0 || matches(id, only)) && !matches(id, skip));
}

/** The input for the checks of one node. `now` is used if neither the node nor the snapshot has a time. */
export function subjectOf(snapshot: Snapshot, name: string, now: number): NodeSubject {
  const node: NodeModel = snapshot.nodes.get(name) ?? unreadNode(name);
  const object = snapshot.cluster?.node(name);
  return {
    node,
    object,
    cluster: snapshot.cluster,
    plugin: detect({cluster: snapshot.cluster, object, node}),
    now: node.os?.clock ?? snapshot.takenAt ?? now,
  };
}

/**
 * Diagnoses one node. Pure: the same subject gives the same results, independent of the order of the checks.
 * `elsewhere` are findings of the cluster, which may explain findings of this node.
 */
export function checkNode(subject: NodeSubject, checks: readonly Check[], elsewhere: readonly Result[] = []): Result[] {
  return concluded(runNodeChecks(subject, checks), about(subject), elsewhere);
}

/** The results of each check, before they are related to each other. */
export function runNodeChecks(subject: NodeSubject, checks: readonly Check[]): Linked[] {
  const ofNode = checks.filter(check => check.scope === 'node');
  const all = eachInTime(
    ofNode,
    check => ({check, verdicts: runNodeCheck(check, subject)}),
    (check, seconds) => ({check, verdicts: [unknown(`Undetermined: the check did not finish within ${seconds} s.`)]}),
  );
  return all.flatMap(({check, verdicts}) =>
    verdicts.map(verdict => ({result: toResult(check, verdict), links: verdict.links})),
  );
}

/** What the findings of a node are adjusted to, besides each other. */
export interface AboutNode {
  readonly subject: Pick<NodeSubject, 'plugin'> & {readonly node: {readonly name: string}};
  /** Why requests cannot reach the node. */
  readonly unreachable: string | undefined;
}

export const about = (subject: NodeSubject): AboutNode => ({subject, unreachable: unreachable(subject)});

/** Relates the findings to each other: which explains which, and which remedies remain. */
export function concluded(
  found: readonly Linked[],
  {subject, unreachable: reason}: AboutNode,
  elsewhere: readonly Result[],
): Result[] {
  const results = inOrder(withCauses(found, checksById, elsewhere));
  return withArrivingRemedies(withAgreeingRemedies(results, subject, elsewhere), reason, checksById);
}

/** One node with all its findings, and the findings of the cluster that explain them. */
export function checkedNode(subject: NodeSubject): CheckedNode {
  const cluster = checkCluster(subject.cluster, [subject], allChecks);
  const results = checkNode(subject, allChecks, cluster);
  const causes = new Set(results.flatMap(({causedBy = []}) => causedBy));
  const ofCluster = cluster.filter(({id, outcome}) => outcome === 'fail' && causes.has(id));
  return {subject, results, ofCluster: asSevereAsEffects(ofCluster, results)};
}

/** Runs the checks of the cluster. */
export function checkCluster(
  cluster: ClusterModel | undefined,
  subjects: readonly NodeSubject[],
  checks: readonly Check[],
): Result[] {
  const fleet: Fleet = {cluster: cluster ?? new ClusterModel(), known: plugins, subjects};
  const results = checks
    .filter(check => check.scope === 'cluster')
    .flatMap(check => {
      const verdicts =
        cluster === undefined
          ? [unknown('The cluster was not read.')]
          : guarded(() => (check.appliesTo(fleet) ? check.run(fleet) : notApplicable()));
      return verdicts.map(verdict => ({result: toResult(check, verdict), links: noLinks}));
    });
  return inOrder(withCauses(results, checksById));
}

function runNodeCheck(check: NodeCheck, subject: NodeSubject): readonly Verdict[] {
  return guarded(() => (check.appliesTo(subject) ? verdictsOf(check, subject) : notApplicable()));
}

function verdictsOf(check: NodeCheck, subject: NodeSubject): readonly Verdict[] {
  const missing = check.needs.map(need => missingReason(need, subject)).filter(reason => reason !== undefined);
  if (missing.length > 0) return [unknown(`Undetermined: ${missing.join('; ')}.`)];
  const verdicts = guarded(() => check.run(subject as NodeSubject<Need>));
  if (!check.settles || !verdicts.some(({outcome}) => outcome === 'fail')) return verdicts;
  const reason = settling(subject);
  if (reason === undefined) return verdicts;
  return verdicts.map(verdict =>
    verdict.outcome === 'fail' ? verdict.asInfo(`Still settling (${reason}): ${verdict.message}`) : verdict,
  );
}

function missingReason(need: Need, {node, object, cluster}: NodeSubject): string | undefined {
  if (need === 'cluster') return cluster ? undefined : 'the cluster was not read';
  if (need === 'nodeObject') return object ? undefined : `Node object ${node.name} does not exist`;
  if (node[need] !== undefined) return undefined;
  const failure = node.errors[need];
  return failure ? `${need}: ${failure.message || failure.kind}` : `${need} was not collected`;
}

/** An exception in a check must neither stop the other checks nor count as a pass. */
function guarded(run: () => Verdict | readonly Verdict[] | undefined): readonly Verdict[] {
  try {
    const verdicts = run() ?? [];
    const all = verdicts instanceof Verdict ? [verdicts] : verdicts;
    return all.length > 0 ? all : [new Verdict('pass', 'OK.')];
  } catch (error) {
    return [broken(error)];
  }
}

/** Prefix of the message if the check itself threw an error. */
export const checkFault = 'The check failed: ';

function broken(error: unknown): Verdict {
  if (error instanceof NotRead) return unknown(`Undetermined: ${error.message}.`);
  return unknown(`${checkFault}${error instanceof Error ? error.message : String(error)}.`);
}

function notApplicable(): Verdict {
  return new Verdict('skipped', 'Not applicable.');
}

function toResult(check: Check, verdict: Verdict): Result {
  const said = {
    id: check.id,
    outcome: verdict.outcome,
    severity: verdict.outcome === 'fail' ? (verdict.severity ?? check.severity) : ('info' as const),
    title: verdict.outcome === 'fail' ? check.failure : check.title,
    message: verdict.message,
    evidence: verdict.evidence,
    ...(verdict.remedy && {remedy: verdict.remedy}),
    docs: `kubectl win explain ${check.id}`,
  };
  const saysLittle = verdict.outcome !== 'fail' && verdict.evidence.length === 0 && !verdict.remedy;
  return saysLittle ? shared(said) : said;
}

/** Most results are equal on most nodes: in a fleet, they share one object. */
const sharedResults = new Map<string, Result>();
const mostShared = 5000;

function shared(result: Result): Result {
  const key = `${result.id} ${result.outcome} ${result.message}`;
  const known = sharedResults.get(key);
  if (known) return known;
  if (sharedResults.size < mostShared) sharedResults.set(key, Object.freeze(result));
  return result;
}

const checksById: ReadonlyMap<string, Check> = new Map(allChecks.map(check => [check.id, check]));

const severityRank: Record<Severity, number> = {error: 0, warning: 1, info: 2};

/** Stable: by severity, then id, then message. */
function inOrder(results: readonly Result[]): Result[] {
  return [...results].sort(
    (one, other) =>
      severityRank[one.severity] - severityRank[other.severity] ||
      compare(one.id, other.id) ||
      compare(one.message, other.message),
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
