import {plansOn} from '../../helper/plan-requests.js';
import {nameOfNode, selectNodes} from '../../kube/select-nodes.js';
import {WinError} from '../../lib/errors.js';
import {inParallel} from '../../lib/in-parallel.js';
import type {PlanOnNode} from '../../model/plan.js';
import type {Inspection, InspectOptions} from '../../session/inspection.js';
import {phaseLimits} from '../../session/phases.js';
import {withHelperOn} from './node-connection.js';

/** The plans that a node has kept, and how far each has come. */
export interface PlansOfNode {
  readonly node: string;
  readonly plans: readonly PlanOnNode[];
  /** Why the node could not be inspected: that must not hide what the others say. */
  readonly error?: string;
}

/** `--status`: the plans that are on the nodes. */
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
