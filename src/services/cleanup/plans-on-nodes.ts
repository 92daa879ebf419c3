import {plansOn} from '../../helper/plan-requests.js';
import {nameOfNode, selectNodes} from '../../kube/select-nodes.js';
import {WinError} from '../../lib/errors.js';
import {inParallel} from '../../lib/in-parallel.js';
import type {PlanOnNode} from '../../model/plan.js';
import type {Inspection, InspectOptions} from '../../session/inspection.js';
import {phaseLimits} from '../../session/phases.js';
import {withHelperOn} from './node-connection.js';

/** The plans stored on a node, with their state. */
export interface PlansOfNode {
  readonly node: string;
  readonly plans: readonly PlanOnNode[];
  /** Why the node could not be inspected. Other nodes are still reported. */
  readonly error?: string;
}

/** `--status`: the plans stored on the nodes. */
export async function plansOnNodes(inspection: Inspection, options: InspectOptions): Promise<PlansOfNode[]> {
  const nodes = await selectNodes(inspection.client, options, {signal: inspection.signal});
  const {reading} = phaseLimits(nodes.length, options.concurrency);
  return inParallel(nodes, reading, node => plansOf(inspection, nameOfNode(node)));
}

async function plansOf(inspection: Inspection, node: string): Promise<PlansOfNode> {
  try {
    const plans = await withHelperOn(inspection, node, session => plansOn(session, inspection.signal));
    return {node, plans};
  } catch (error) {
    inspection.signal.throwIfAborted();
    if (!(error instanceof WinError)) throw error;
    return {node, plans: [], error: [error.message, ...error.next].join(' ')};
  }
}
