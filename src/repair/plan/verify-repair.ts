import type {RepairPlan} from '../../model/repair-plan.js';
import type {Result} from '../../model/result.js';
import {isProblem} from './repairable-findings.js';

/** What a repair has come to, from the same checks before and after it. */
export interface Verification {
  /** Problems that are not there any more. */
  readonly gone: readonly Result[];
  /** Problems that are still there. */
  readonly stayed: readonly Result[];
  /** Problems that were not there before. */
  readonly fresh: readonly Result[];
  /** Problems that are undetermined yet: the node is still settling, or the check could not run. */
  readonly unclear: readonly Result[];
  /** Unclear ones may resolve themselves: inspect again before reporting a failure. */
  readonly verdict: 'repaired' | 'unclear' | 'failed';
}

/** Success is that what the plan was for is gone, and that no new error came instead. */
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

/** The same check about the same object: messages hold ages and counts that change. */
function has(results: readonly Result[], wanted: Result): boolean {
  return results.some(({id, evidence}) => id === wanted.id && evidence[0]?.object === wanted.evidence[0]?.object);
}

/** Right after a restart the engine tells a failure as information, "Still settling"; that is no pass. */
function leavesOpen({id, outcome, message}: Result, problem: Result): boolean {
  return id === problem.id && (outcome === 'unknown' || (outcome === 'info' && message.startsWith('Still settling')));
}
