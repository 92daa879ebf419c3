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
  /** The node has changed since the plan was created. */
  | {readonly kind: 'changed'; readonly differences: readonly string[]}
  | {readonly kind: 'refused'; readonly reasons: readonly Refusal[]};

/** Whether a plan from a file may run on the node in its current state. The file may be outdated or edited. */
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
      refusal('The plan was modified after it was created: it does not match its hash.', {next: 'Create a new plan.'}),
    );
  const moved = differences(plan.state, stateBehind(subject, plan));
  if (moved.length > 0) return {kind: 'changed', differences: moved};
  const reasons = [
    ...unfinishedPlans(subject, force),
    ...violations(subject, plan),
    ...otherCuts(plan, subject),
    ...otherLosses(plan, subject),
  ];
  return reasons.length > 0 ? refused(...reasons) : {kind: 'ready'};
}

/** A cut that the plan does not declare would not be covered by a reachability check. */
function otherCuts({steps, remakes}: RepairPlan, subject: NodeSubject): Refusal[] {
  const networks = (subject.node.hnsNetworks ?? []).filter(({name}) => remakes.includes(name));
  return markCuts(subject, {steps, remakes: networks}).steps.flatMap((step, i) =>
    step.cuts && !steps[i]?.cuts
      ? [refusal(`Step ${i + 1} (${step.do}) interrupts the node network, but the plan does not mark it as a cut.`)]
      : [],
  );
}

/** The user has not agreed to the loss of pods that the plan does not list. */
function otherLosses({before, steps, remakes, loses, forced}: RepairPlan, subject: NodeSubject): Refusal[] {
  const networks = (subject.node.hnsNetworks ?? []).filter(({name}) => remakes.includes(name));
  const drain = before.some(step => step.do === 'node.drain');
  const {losses} = lossesOf({subject, force: forced, drain}, {steps, remakes: networks});
  return losses
    .map(({pod}) => ({namespace: pod.metadata.namespace ?? 'default', pod: pod.metadata.name}))
    .filter(lost => !loses.some(({namespace, pod}) => namespace === lost.namespace && pod === lost.pod))
    .map(({namespace, pod}) =>
      refusal(`Pod ${namespace}/${pod} would lose its network, but the plan does not list it.`),
    );
}

function refused(...reasons: Refusal[]): Review {
  return {kind: 'refused', reasons};
}
