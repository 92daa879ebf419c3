import type {Result} from '../model/result.js';
import {problems} from './report.js';

/** A problem with the other problems of the node that it explains. */
export interface Finding {
  readonly root: Result;
  readonly explains: readonly Result[];
}

/** Puts each root cause on top and folds its consequences under it. */
export function byRootCause(results: readonly Result[]): Finding[] {
  const failed = problems(results);
  const firstOf = new Map<string, Result>();
  for (const result of failed) if (!firstOf.has(result.id)) firstOf.set(result.id, result);
  const explained = new Map<Result, Result[]>();
  for (const result of failed) {
    const root = rootOf(result, firstOf);
    const group = explained.get(root) ?? [];
    if (root !== result) group.push(result);
    explained.set(root, group);
  }
  return [...explained].map(([root, explains]) => ({root, explains})).sort(byWeight);
}

/** Follows the causes up. Two checks that name each other stop at the first that was seen before. */
function rootOf(result: Result, firstOf: ReadonlyMap<string, Result>): Result {
  const seen = new Set<Result>([result]);
  let current = result;
  for (;;) {
    const cause = current.causedBy?.map(id => firstOf.get(id)).find(candidate => candidate && !seen.has(candidate));
    if (!cause) return current;
    seen.add(cause);
    current = cause;
  }
}

/** Errors before warnings; of those, what explains most comes first. */
function byWeight(one: Finding, other: Finding): number {
  const rank = (finding: Finding) => (finding.root.severity === 'error' ? 0 : 1);
  return rank(one) - rank(other) || other.explains.length - one.explains.length;
}
