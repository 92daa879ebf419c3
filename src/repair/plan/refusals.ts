import type {NodeSubject} from '../../model/check.js';
import {type Refusal, refusal} from '../../model/plugin-cleanup.js';
import type {ClientStep, PlanStep} from '../../model/step.js';
import {localEndpoints, ownerOf, podName} from '../node/endpoint-owners.js';
import {clientRefusalOf, endpointsTakenBy, refusalOf} from '../steps/all.js';
import {agentHandle, kubeProxyHandle} from './restart.js';

interface Steps {
  readonly before: readonly ClientStep[];
  readonly steps: readonly PlanStep[];
  readonly after: readonly ClientStep[];
  readonly remakes: readonly string[];
  readonly forced: boolean;
}

/**
 * Why these steps must not run, with force or without; empty if nothing forbids them. It is inspected in the
 * finished steps: nothing here trusts a plugin's cleanup, nor a plan that comes from a file.
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
      step => `${step.do} is not a step for ${placeOf[step.do] === 'before' ? 'after' : 'before'} the node's own.`,
    ),
    ...(!plan.forced && plan.before.some(step => step.do === 'node.drain' && step.with.force)
      ? ['Only a plan made with --force evicts pods that have no controller.']
      : []),
  ];
}

/** The client restarts the agent and kube-proxy of the node, and pods that lose their network by the plan: no other. */
function otherPods(subject: NodeSubject, {steps, after, remakes}: Steps): string[] {
  const networks = (subject.node.hnsNetworks ?? []).filter(({name}) => remakes.includes(name));
  const handles = [agentHandle(subject), kubeProxyHandle(subject)];
  const lost = [...steps.flatMap(step => endpointsTakenBy(step, subject)), ...localEndpoints(subject, networks)];
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
          `Pod ${namespace}/${name} is neither an agent of ${subject.node.name} nor loses its network, so it is left alone.`,
        ];
  });
}

/** The same for the steps of a node alone. */
export function nodeViolations(subject: NodeSubject, steps: readonly PlanStep[]): Refusal[] {
  const removed = steps.flatMap(step => (step.do === 'hns.removeNetwork' ? [step.with.id.toLowerCase()] : []));
  const left = (subject.node.hnsNetworks ?? []).filter(({id}) => !removed.includes(id.toLowerCase()));
  return steps.flatMap(step => refusalOf(step, subject, left) ?? []).map(reason => refusal(reason));
}
