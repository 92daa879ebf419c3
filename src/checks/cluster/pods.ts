import {unknown, type Verdict} from '../../model/verdict.js';
import type {ClusterModel} from '../../snapshot/cluster.js';

/** Why nothing can be said about the absence of pods: none were read, though every cluster has some, or not all of them. */
export function podsUnread(cluster: ClusterModel): Verdict | undefined {
  if (cluster.unreadable.includes('Pod')) return unknown('Some pods could not be read.');
  return cluster.all('Pod').length === 0 ? unknown('The pods of the cluster were not read.') : undefined;
}
