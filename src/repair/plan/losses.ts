import {names} from '../../lib/names.js';
import {shellText} from '../../lib/quote.js';
import type {NodeSubject} from '../../model/check.js';
import {type Draft, type NodeRepair, type Refusal, refusal} from '../../model/plugin-cleanup.js';
import type {Pod} from '../../snapshot/cluster.js';
import {isEvictable, localEndpoints, mayBeAttached, ownerOf, podName} from '../node/endpoint-owners.js';
import {endpointsLostBy} from '../steps/all.js';

/** A running pod that loses its network when the plan runs. */
export interface Loss {
  readonly pod: Pod;
  readonly endpoint: string;
}

export interface Losses {
  readonly losses: readonly Loss[];
  /** Refusals that --force overrides, or that a drain avoids. */
  readonly refusals: readonly Refusal[];
}

/** Pods that lose their endpoints: with a network that is removed or recreated, individually, or when HNS stops. */
export function lossesOf(
  job: Pick<NodeRepair, 'subject' | 'force' | 'drain'>,
  {steps, remakes}: Pick<Draft, 'steps' | 'remakes'>,
): Losses {
  const {subject, force, drain} = job;
  const going = [...steps.flatMap(step => endpointsLostBy(step, subject)), ...localEndpoints(subject, remakes)];
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
        ? 'Delete them first (a drain does not evict them), or use --force.'
        : 'Evict them first with --drain, or use --force: it deletes them afterwards so that their controllers recreate them.',
      forcible: true,
    }),
  ];
}

function lostUnknown({node, cluster}: NodeSubject, unclear: readonly string[]): Refusal[] {
  if (unclear.length === 0) return [];
  const again = cluster?.lists.known
    ? 'Try again in a few minutes'
    : `Run kubectl win cleanup ${shellText(node.name)} against the cluster, because this snapshot does not record whether all pods were read`;
  return [
    refusal(`The plan would remove endpoints whose owner could not be determined: ${names(unclear)}.`, {
      next: `${again}, or use --force.`,
      forcible: true,
    }),
  ];
}
