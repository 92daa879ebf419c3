import type {NodeSubject} from '../../model/check.js';
import {type Refusal, refusal} from '../../model/cleanup.js';
import type {ClientStep, PlanStep} from '../../model/step.js';
import {clientRefusalOf, refusalOf} from '../steps/all.js';

interface Steps {
  readonly before: readonly ClientStep[];
  readonly steps: readonly PlanStep[];
  readonly after: readonly ClientStep[];
}

/**
 * Why these steps must not be carried out, force or not; empty where nothing speaks against them. It is inspected in the
 * finished steps: nothing here trusts a plugin's cleanup, nor a plan that comes from a file.
 */
export function violations(subject: NodeSubject, {before, steps, after}: Steps): Refusal[] {
  return [
    ...nodeViolations(subject, steps),
    ...[...before, ...after].flatMap(step => clientRefusalOf(step, subject) ?? []).map(reason => refusal(reason)),
  ];
}

/** The same for the steps of a node alone. */
export function nodeViolations(subject: NodeSubject, steps: readonly PlanStep[]): Refusal[] {
  const removed = steps.flatMap(step => (step.do === 'hns.removeNetwork' ? [step.with.id.toLowerCase()] : []));
  const left = (subject.node.hnsNetworks ?? []).filter(({id}) => !removed.includes(id.toLowerCase()));
  return steps.flatMap(step => refusalOf(step, subject, left) ?? []).map(reason => refusal(reason));
}
