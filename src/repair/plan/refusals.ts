import type {NodeSubject} from '../../model/check.js';
import {type Refusal, refusal} from '../../model/plugin-cleanup.js';
import type {ClientStep, PlanStep} from '../../model/step.js';
import {localEndpoints, ownerOf, podName} from '../node/endpoint-owners.js';
import {clientRefusalOf, endpointsLostBy, refusalOf} from '../steps/all.js';
import {agentHandle, kubeProxyHandle} from './restart.js';

interface Steps {
  readonly before: readonly ClientStep[];
  readonly steps: readonly PlanStep[];
  readonly after: readonly ClientStep[];
  readonly remakes: readonly string[];
  readonly forced: boolean;
}

/**
 * Why these steps must not run, even with --force; empty if they may run. Validates the final steps, because neither a
 * plugin's cleanup nor a plan from a file is trusted.
 */
export function violations(subject: NodeSubject, plan: Steps): Refusal[] {
  const {before, steps, after} = plan;
  const reasons = [...before, ...after].flatMap(step => clientRefusalOf(step, subject) ?? []);
  return [
    ...nodeViolations(subject, steps),
    ...[...reasons, ...misplaced(plan), ...otherPods(subject, plan)].map(reason => refusal(reason)),
  ];
}

const placeOf: Readonly<Record<ClientStep['do'], 'before' | 'after'>> = {
  'node.cordon': 'before',
  'node.drain': 'before',
  'pod.delete': 'after',
  'node.uncordon': 'after',
};

function misplaced(plan: Steps): string[] {
  const wrong = (['before', 'after'] as const).flatMap(place => plan[place].filter(step => placeOf[step.do] !== place));
  return [
    ...wrong.map(
      step => `${step.do} must not run ${placeOf[step.do] === 'before' ? 'after' : 'before'} the steps of the node.`,
    ),
    ...(!plan.forced && plan.before.some(step => step.do === 'node.drain' && step.with.force)
      ? ['Only a plan created with --force may evict pods that have no controller.']
      : []),
  ];
}

/**
 * The client may delete only the agent and kube-proxy pods of the node, and pods that lose their network through the
 * plan.
 */
function otherPods(subject: NodeSubject, {steps, after, remakes}: Steps): string[] {
  const networks = (subject.node.hnsNetworks ?? []).filter(({name}) => remakes.includes(name));
  const handles = [agentHandle(subject), kubeProxyHandle(subject)];
  const lost = [...steps.flatMap(step => endpointsLostBy(step, subject)), ...localEndpoints(subject, networks)];
  const owners = lost.map(endpoint => ownerOf(subject, endpoint));
  const own = new Set([
    ...handles.flatMap(handle => (handle?.kind === 'pod' ? podName(handle.pod) : [])),
    ...owners.flatMap(owner => (owner.kind === 'pod' ? podName(owner.pod) : [])),
  ]);
  return after.flatMap(step => {
    if (step.do !== 'pod.delete') return [];
    const {namespace, name} = step.with;
    return own.has(`${namespace}/${name}`)
      ? []
      : [
          `Pod ${namespace}/${name} is not an agent of ${subject.node.name} and does not lose its network, so it is not deleted.`,
        ];
  });
}

/** The same for only the steps of the node. */
export function nodeViolations(subject: NodeSubject, steps: readonly PlanStep[]): Refusal[] {
  const removed = steps.flatMap(step => (step.do === 'hns.removeNetwork' ? [step.with.id.toLowerCase()] : []));
  const left = (subject.node.hnsNetworks ?? []).filter(({id}) => !removed.includes(id.toLowerCase()));
  return steps.flatMap(step => refusalOf(step, subject, left) ?? []).map(reason => refusal(reason));
}
