import type {NodeSubject} from '../../model/check.js';
import {type Refusal, refusal} from '../../model/plugin-cleanup.js';
import {planHash, type RepairPlan} from '../../model/repair-plan.js';
import {lossesOf} from './losses.js';
import {markCuts} from './mark-cuts.js';
import {refusedUnread, unfinishedPlans} from './plan-conditions.js';
import {violations} from './refusals.js';
import {differences, stateBehind} from './state-behind-plan.js';

export type Review =
  | {readonly kind: 'ready'}
  /** The node is not what it was when the plan was made. */
  | {readonly kind: 'moved'; readonly differences: readonly string[]}
  | {readonly kind: 'refused'; readonly reasons: readonly Refusal[]};

/** Whether a plan from a file may run on the node in its current state. The file may be old, or changed manually. */
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
    return refused(refusal('The plan was created with --force and requires --force.', {forcible: true}));
  if (planHash(plan) !== plan.hash)
    return refused(
      refusal('The plan was changed since it was made: it does not match its hash.', {next: 'Make a new one.'}),
    );
  const moved = differences(plan.state, stateBehind(subject, plan));
  if (moved.length > 0) return {kind: 'moved', differences: moved};
  const reasons = [
    ...unfinishedPlans(subject, force),
    ...violations(subject, plan),
    ...otherCuts(plan, subject),
    ...otherLosses(plan, subject),
  ];
  return reasons.length > 0 ? refused(...reasons) : {kind: 'ready'};
}

/** A cut that the plan does not tell of would have no dead-man check behind it. */
function otherCuts({steps, remakes}: RepairPlan, subject: NodeSubject): Refusal[] {
  const networks = (subject.node.hnsNetworks ?? []).filter(({name}) => remakes.includes(name));
  return markCuts(subject, {steps, remakes: networks}).steps.flatMap((step, i) =>
    step.cuts && !steps[i]?.cuts
      ? [refusal(`Step ${i + 1} (${step.do}) interrupts the node network, but is not marked so in the plan.`)]
      : [],
  );
}

/** Nor would anyone have agreed to the loss of a pod that the plan does not name. */
function otherLosses({before, steps, remakes, loses, forced}: RepairPlan, subject: NodeSubject): Refusal[] {
  const networks = (subject.node.hnsNetworks ?? []).filter(({name}) => remakes.includes(name));
  const drain = before.some(step => step.do === 'node.drain');
  const {losses} = lossesOf({subject, force: forced, drain}, {steps, remakes: networks});
  return losses
    .map(({pod}) => ({namespace: pod.metadata.namespace ?? 'default', pod: pod.metadata.name}))
    .filter(lost => !loses.some(({namespace, pod}) => namespace === lost.namespace && pod === lost.pod))
    .map(({namespace, pod}) =>
      refusal(`Pod ${namespace}/${pod} would lose its network, and the plan does not say so.`),
    );
}

function refused(...reasons: Refusal[]): Review {
  return {kind: 'refused', reasons};
}
