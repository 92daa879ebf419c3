import type {NodeSubject} from '../model/check.js';
import {internalIps} from '../snapshot/cluster.js';
import {nodeAddressHolder} from './net/adapters.js';

/** Why requests over the API cannot reach a node; undefined: no evidence of that. */
export function unreachable({node, object}: Pick<NodeSubject, 'node' | 'object'>): string | undefined {
  const ready = object?.status?.conditions.find(({type}) => type === 'Ready');
  const isTainted = object?.spec?.taints.some(({key}) => key === 'node.kubernetes.io/unreachable') ?? false;
  if (ready?.status === 'Unknown' || isTainted) return `it has not reported to the API server${since(ready)}`;
  const isLost =
    node.netIPAddresses !== undefined && internalIps(object).length > 0 && !nodeAddressHolder(node, object);
  return isLost ? `no adapter has its address ${internalIps(object).join(' or ')}` : undefined;
}

/** ` since <time>`, if the API reports it. */
export function since(condition: {readonly lastTransitionTime?: number | undefined} | undefined): string {
  const at = condition?.lastTransitionTime;
  return at === undefined || Number.isNaN(at) ? '' : ` since ${new Date(at).toISOString().replace('.000Z', 'Z')}`;
}
