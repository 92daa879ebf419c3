import type {NodeSubject} from '../../model/check.js';
import type {PlanStep} from '../../model/step.js';
import type {Network} from '../../snapshot/hns.js';
import {cutsOwnNetwork} from '../steps/all.js';
import {TracedNetwork} from './own-network.js';

/** A draft's steps with what they do to the node's own network. */
export interface Marked {
  readonly steps: readonly PlanStep[];
  /**
   * Whether a restart of the agent after these steps creates or recreates the switch that carries the node's address.
   */
  readonly agentCuts: boolean;
}

/**
 * Marks the steps that may cut the node's network, by simulating them in order. In doubt, a step counts as cutting: the
 * reachability check then covers it.
 */
export function markCuts(
  subject: NodeSubject,
  draft: {readonly steps: readonly PlanStep[]; readonly remakes: readonly Network[]},
): Marked {
  const network = new TracedNetwork(subject, draft.remakes);
  const steps = draft.steps.map((step): PlanStep => {
    const {cuts: _, ...bare} = step;
    return cutsOwnNetwork(step, network) ? {...step, cuts: true} : (bare as PlanStep);
  });
  return {steps, agentCuts: network.agentCuts()};
}
