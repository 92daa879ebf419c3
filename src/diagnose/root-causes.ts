import type {Result} from '../model/result.js';
import {problems} from './failures.js';

/** A problem with the other problems of the node that it explains. */
export interface Finding {
  readonly root: Result;
  readonly explains: readonly Result[];
  /** Whether the root is a finding of the cluster, shown here because of what it causes on the node. */
  readonly ofCluster: boolean;
}

/**
 * Groups consequences under their root cause. `elsewhere` are the results of the cluster: those that explain a finding
 * here are included.
 */
export function byRootCause(results: readonly Result[], elsewhere: readonly Result[] = []): Finding[] {
  const failed = problems(results);
  const byId = Map.groupBy([...failed, ...problems(elsewhere)], ({id}) => id);
  const explained = new Map<Result, Result[]>();
  for (const result of failed) {
    const root = rootOf(result, byId);
    const group = explained.get(root) ?? [];
    if (root !== result) group.push(result);
    explained.set(root, group);
  }
  return [...explained].map(([root, explains]) => ({root, explains, ofCluster: !failed.includes(root)})).sort(byWeight);
}

/** Follows the causes to the root. A cycle ends at the first result that was already visited. */
function rootOf(result: Result, byId: ReadonlyMap<string, readonly Result[]>): Result {
  const seen = new Set<Result>([result]);
  let current = result;
  for (;;) {
    const cause = current.causedBy
      ?.map(id => causeNamed(byId.get(id) ?? [], current))
      .find(candidate => candidate && !seen.has(candidate));
    if (!cause) return current;
    seen.add(cause);
    current = cause;
  }
}

/** Of several findings of a check, the one that explains this result. */
function causeNamed(candidates: readonly Result[], {id}: Result): Result | undefined {
  return candidates.find(({explains}) => explains?.includes(id)) ?? candidates[0];
}

/** Errors, and causes of errors, before warnings; then by the number of consequences. */
function byWeight(one: Finding, other: Finding): number {
  // An unfinished plan comes first: nothing else can be repaired before it is resolved.
  const rank = ({root, explains}: Finding) =>
    root.id === 'repair/unfinished-plan' ? -1 : [root, ...explains].some(({severity}) => severity === 'error') ? 0 : 1;
  return rank(one) - rank(other) || other.explains.length - one.explains.length;
}
