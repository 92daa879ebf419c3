import type {KubeNode} from '../snapshot/cluster.js';

/**
 * Annotation with the id of the plan that cordoned a Node, so that the next run can recognise it if a run was killed.
 */
export const cordonMark = 'kubectl-win/cordoned-by';

/** The plan that left a node cordoned. Undefined if the node was cordoned by other means. */
export function cordonedBy(object: KubeNode | undefined): string | undefined {
  return object?.spec?.unschedulable ? object.metadata.annotations[cordonMark] : undefined;
}
