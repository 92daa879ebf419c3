import type {KubeNode} from '../snapshot/cluster.js';

/** On a Node that a plan of this tool has cordoned, with the id of the plan: a run that was killed could not say so itself. */
export const cordonMark = 'kubectl-win/cordoned-by';

/** The plan that has cordoned a node and left it so. A node that a person has cordoned has no such plan. */
export function cordonedBy(object: KubeNode | undefined): string | undefined {
  return object?.spec?.unschedulable ? object.metadata.annotations[cordonMark] : undefined;
}
