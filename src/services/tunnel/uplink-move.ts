import {randomUUID} from 'node:crypto';
import {detect} from '../../diagnose/detect.js';
import {allChecks, checkNode} from '../../diagnose/engine.js';
import type {NodeSubject} from '../../model/check.js';
import {cutsNetwork} from '../../model/repair-plan.js';
import {tunnelAnnotation} from '../../plugins/annotated-tunnel.js';
import {type PlanOutcome, planFor} from '../../repair/plan/plan-for-node.js';
import {describe} from '../../repair/steps/all.js';

/**
 * The cleanup plan that makes an existing network follow the annotation. If only the tunnel address changes, kube-ovn is
 * restarted; if the network is on another adapter, it is removed and recreated.
 */
export function sequenceOf(subject: NodeSubject, adapter: string): PlanOutcome {
  const annotated = asAnnotated(subject, adapter);
  const results = checkNode(annotated, allChecks);
  return planFor(annotated, results, {level: 'auto', drain: true, id: randomUUID(), now: new Date(annotated.now)});
}

/** The node as it will be once it is annotated. */
function asAnnotated(subject: NodeSubject, adapter: string): NodeSubject {
  const {cluster, node, object} = subject;
  if (!object) return subject;
  const annotations = {...object.metadata.annotations, [tunnelAnnotation]: adapter};
  const annotated = {...object, metadata: {...object.metadata, annotations}};
  return {...subject, object: annotated, plugin: detect({cluster, node, object: annotated})};
}

/** The steps as text, in order; or why there are none. */
export function sequenceText(outcome: PlanOutcome): string[] {
  if (outcome.kind === 'nothing') return [outcome.why];
  if (outcome.kind === 'refused')
    return outcome.reasons.flatMap(({reason, next}) => (next ? [reason, next] : [reason]));
  const {before, steps, after} = outcome.plan;
  return [
    ...[...before, ...steps, ...after].map(
      (step, index) => `${index + 1}. ${describe(step).changes}${step.cuts ? ' [cuts]' : ''}`,
    ),
    ...(cutsNetwork(outcome.plan) ? ["[cuts]: briefly interrupts the node's network."] : []),
  ];
}
