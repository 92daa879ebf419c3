import {ExitCode} from '../../lib/errors.js';
import {type StepCheck, unfinishedStates} from '../../model/plan.js';
import type {RepairPlan} from '../../model/repair-plan.js';
import type {Verification} from '../../repair/plan/verify-repair.js';
import type {Continuation} from './cleanup-ports.js';
import type {HistoryOfNode} from './history.js';
import type {PlansOfNode} from './plans-on-nodes.js';

/** The outcome for one node. */
export interface NodeOutcome {
  readonly node: string;
  readonly state: 'repaired' | 'nothing' | 'planned' | 'declined' | 'refused' | 'failed' | 'untouched' | 'uninspected';
  readonly message: string;
  readonly plan?: RepairPlan;
  readonly verification?: Verification;
}

/** A plan that is only shown, with the node's validation of each step for `--dry-run=server`. */
export interface PlannedRepair {
  readonly plan: RepairPlan;
  readonly answers?: readonly StepCheck[] | 'nothing to check';
}

/** The outcome of the unfinished plan of one node. */
export interface ContinuedPlan {
  readonly node: string;
  readonly state: 'no unfinished plan' | 'done' | 'declined';
  readonly plan?: string;
}

export type CleanupResult =
  /** No node needs a cleanup. */
  | {readonly kind: 'nothing to do'}
  | {readonly kind: 'planned'; readonly plans: readonly PlannedRepair[]; readonly outcomes: readonly NodeOutcome[]}
  | {readonly kind: 'run'; readonly outcomes: readonly NodeOutcome[]}
  | {readonly kind: 'status'; readonly nodes: readonly PlansOfNode[]}
  | {readonly kind: 'history'; readonly nodes: readonly HistoryOfNode[]}
  | {readonly kind: 'continued'; readonly how: Continuation; readonly nodes: readonly ContinuedPlan[]};

export function cleanupExitCode(result: CleanupResult): ExitCode {
  switch (result.kind) {
    case 'nothing to do':
      return ExitCode.ok;
    case 'status':
      return statusExitCode(result.nodes);
    case 'history':
      return result.nodes.some(({error}) => error !== undefined) ? ExitCode.uninspected : ExitCode.ok;
    case 'continued':
      return result.nodes.some(({state}) => state === 'declined') ? ExitCode.usage : ExitCode.ok;
    case 'planned':
    case 'run':
      return outcomesExitCode(result.outcomes);
  }
}

function outcomesExitCode(outcomes: readonly NodeOutcome[]): ExitCode {
  const has = (...wanted: NodeOutcome['state'][]) => outcomes.some(({state}) => wanted.includes(state));
  if (has('failed')) return ExitCode.problems;
  if (has('uninspected')) return ExitCode.uninspected;
  if (has('refused', 'declined')) return ExitCode.usage;
  return ExitCode.ok;
}

function statusExitCode(nodes: readonly PlansOfNode[]): ExitCode {
  if (nodes.some(({plans}) => plans.some(({state}) => unfinishedStates.has(state)))) return ExitCode.problems;
  return nodes.some(({error}) => error !== undefined) ? ExitCode.uninspected : ExitCode.ok;
}

/** Whether a plan ran on any node, successfully or not. */
export const hasRunPlan = (result: CleanupResult): boolean =>
  result.kind === 'run' && result.outcomes.some(({state}) => state === 'repaired' || state === 'failed');
