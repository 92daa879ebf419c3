import type {NodeSubject} from '../model/check.js';
import {internalIps} from '../snapshot/cluster.js';
import {nodeAddressHolder} from './net/adapters.js';

/** Why nothing that is sent to a node over the API arrives there; undefined: nothing says so. */
export function unreachable({node, object}: Pick<NodeSubject, 'node' | 'object'>): string | undefined {
  const ready = object?.status?.conditions.find(({type}) => type === 'Ready');
  const isTainted = object?.spec?.taints.some(({key}) => key === 'node.kubernetes.io/unreachable') ?? false;
  if (ready?.status === 'Unknown' || isTainted) return `the API server has not heard from it${since(ready)}`;
  const isLost =
    node.netIPAddresses !== undefined && internalIps(object).length > 0 && !nodeAddressHolder(node, object);
  return isLost ? `no adapter holds its address ${internalIps(object).join(' or ')}` : undefined;
}

/** ` since <time>`, if the API reports it. */
export function since(condition: {readonly lastTransitionTime?: number | undefined} | undefined): string {
  const at = condition?.lastTransitionTime;
  return at === undefined || Number.isNaN(at) ? '' : ` since ${new Date(at).toISOString().replace('.000Z', 'Z')}`;
}
