import type {RepairPlan} from '../../model/repair-plan.js';
import type {Result} from '../../model/result.js';
import {isProblem} from './repairable-findings.js';

/** The outcome of a repair, from the results of the same checks before and after it. */
export interface Verification {
  /** Resolved problems. */
  readonly gone: readonly Result[];
  /** Remaining problems. */
  readonly stayed: readonly Result[];
  /** New problems. */
  readonly fresh: readonly Result[];
  /** Problems that are still undetermined: the node is settling, or the check could not run. */
  readonly unclear: readonly Result[];
  /** Unclear problems may resolve on their own: inspect again before reporting a failure. */
  readonly verdict: 'repaired' | 'unclear' | 'failed';
}

/** A repair succeeds if the problems it addresses are resolved and no new error appeared. */
export function verify(
  before: readonly Result[],
  after: readonly Result[],
  plan?: Pick<RepairPlan, 'repairs'>,
): Verification {
  const problems = before.filter(isProblem);
  const left = after.filter(isProblem);
  const unclear = problems.filter(problem => !has(left, problem) && after.some(result => leavesOpen(result, problem)));
  const stayed = left.filter(problem => has(problems, problem));
  const fresh = left.filter(problem => !has(problems, problem));
  const gone = problems.filter(problem => !has(left, problem) && !unclear.includes(problem));
  const concerns = ({id}: Result) => plan === undefined || plan.repairs.includes(id);
  const failed = [...stayed, ...fresh.filter(({id}) => problems.some(problem => problem.id === id))].some(concerns);
  const isWorse = fresh.some(({severity, id}) => severity === 'error' && !problems.some(problem => problem.id === id));
  return {
    gone,
    stayed,
    fresh,
    unclear,
    verdict: failed || isWorse ? 'failed' : unclear.some(concerns) ? 'unclear' : 'repaired',
  };
}

/** Compares check and object, because messages contain ages and counts that change. */
function has(results: readonly Result[], wanted: Result): boolean {
  return results.some(({id, evidence}) => id === wanted.id && evidence[0]?.object === wanted.evidence[0]?.object);
}

/** Right after a restart, the engine reports a failure as information ("Still settling"); that is not a pass. */
function leavesOpen({id, outcome, message}: Result, problem: Result): boolean {
  return id === problem.id && (outcome === 'unknown' || (outcome === 'info' && message.startsWith('Still settling')));
}
