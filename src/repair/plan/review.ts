import type {NodeSubject} from '../../model/check.js';
import {type Refusal, refusal} from '../../model/cleanup.js';
import type {RepairPlan} from '../../model/repair-plan.js';
import {refusedUnread, unfinishedPlans} from './conditions.js';
import {markCuts} from './mark-cuts.js';
import {violations} from './refusals.js';
import {differences, hashOf, stateOf} from './state.js';

export type Review =
  | {readonly kind: 'ready'}
  /** The node is not what it was when the plan was made. */
  | {readonly kind: 'moved'; readonly differences: readonly string[]}
  | {readonly kind: 'refused'; readonly reasons: readonly Refusal[]};

/** Whether a plan from a file may run on the node as it is now. The file may be old, or changed manually. */
export function review(plan: RepairPlan, subject: NodeSubject, {force = false} = {}): Review {
  try {
    return reviewRead(plan, subject, force);
  } catch (error) {
    return refused(refusedUnread(error));
  }
}

function reviewRead(plan: RepairPlan, subject: NodeSubject, force: boolean): Review {
  if (plan.node !== subject.node.name)
    return refused(refusal(`The plan is for ${plan.node}, not for ${subject.node.name}.`));
  if (plan.forced && !force)
    return refused(refusal('The plan was made with --force, and runs only with --force.', {forcible: true}));
  if (hashOf(plan.state) !== plan.stateHash)
    return refused(
      refusal('The plan was changed manually: its state does not match its hash.', {next: 'Make a new one.'}),
    );
  const moved = differences(plan.state, stateOf(subject, plan));
  if (moved.length > 0) return {kind: 'moved', differences: moved};
  const reasons = [...unfinishedPlans(subject, force), ...violations(subject, plan), ...otherCuts(plan, subject)];
  return reasons.length > 0 ? refused(...reasons) : {kind: 'ready'};
}

/** A cut that the plan does not tell of would have no dead-man check behind it. */
function otherCuts({steps, remakes}: RepairPlan, subject: NodeSubject): Refusal[] {
  const networks = (subject.node.hnsNetworks ?? []).filter(({name}) => remakes.includes(name));
  return markCuts(subject, {steps, remakes: networks}).steps.flatMap((step, i) =>
    step.cuts && !steps[i]?.cuts
      ? [refusal(`Step ${i + 1} (${step.do}) cuts the network of the node, and the plan does not say so.`)]
      : [],
  );
}

function refused(...reasons: Refusal[]): Review {
  return {kind: 'refused', reasons};
}
