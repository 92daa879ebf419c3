import {names} from '../../lib/names.js';
import {shellText} from '../../lib/quote.js';
import type {NodeSubject} from '../../model/check.js';
import {type Draft, type NodeRepair, type Refusal, refusal} from '../../model/plugin-cleanup.js';
import type {Pod} from '../../snapshot/cluster.js';
import {isEvictable, localEndpoints, mayBeAttached, ownerOf, podName} from '../node/endpoint-owners.js';
import {endpointsTakenBy} from '../steps/all.js';

/** A running pod that has no network any more when the plan is through. */
export interface Loss {
  readonly pod: Pod;
  readonly endpoint: string;
}

export interface Losses {
  readonly losses: readonly Loss[];
  /** What only --force, or a drain before, lets pass. */
  readonly refusals: readonly Refusal[];
}

/** Whose endpoints go: with a network that is removed or recreated, one by one, or with HNS itself. */
export function lossesOf(
  job: Pick<NodeRepair, 'subject' | 'force' | 'drain'>,
  {steps, remakes}: Pick<Draft, 'steps' | 'remakes'>,
): Losses {
  const {subject, force, drain} = job;
  const going = [...steps.flatMap(step => endpointsTakenBy(step, subject)), ...localEndpoints(subject, remakes)];
  const losses: Loss[] = [];
  const unclear: string[] = [];
  for (const endpoint of new Set(going)) {
    const owner = ownerOf(subject, endpoint);
    if (owner.kind === 'unclear' && mayBeAttached(endpoint)) unclear.push(`${endpoint.name} (${owner.why})`);
    if (owner.kind !== 'pod' || !owner.running || (drain && isEvictable(owner.pod, force))) continue;
    losses.push({pod: owner.pod, endpoint: endpoint.name});
  }
  return {losses, refusals: force ? [] : [...lostPods(job, losses), ...lostUnknown(subject, unclear)]};
}

function lostPods({drain}: Pick<NodeRepair, 'drain'>, losses: readonly Loss[]): Refusal[] {
  if (losses.length === 0) return [];
  const pods = names(losses.map(({pod}) => podName(pod)));
  return [
    refusal(`Running pods would lose their network: ${pods}.`, {
      next: drain
        ? 'Delete them first (drain does not evict them), or use --force.'
        : 'Evict them first with --drain, or use --force: they are deleted afterwards, so that they are recreated.',
      forcible: true,
    }),
  ];
}

function lostUnknown({node, cluster}: NodeSubject, unclear: readonly string[]): Refusal[] {
  if (unclear.length === 0) return [];
  const again = cluster?.lists.known
    ? 'Try again in a few minutes'
    : `Run kubectl win cleanup ${shellText(node.name)} against the cluster, since this snapshot does not say whether all pods were read`;
  return [
    refusal(`The plan would remove endpoints whose owner could not be determined: ${names(unclear)}.`, {
      next: `${again}, or use --force.`,
      forcible: true,
    }),
  ];
}
