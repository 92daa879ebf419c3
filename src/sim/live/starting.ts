import {nodeType, podType} from '../api/resource-types.js';
import type {ObjectStore} from '../api/store.js';
import {isReady} from '../cluster/pod-status.js';
import {servicesOf} from '../cluster/service-table.js';
import {textAt} from '../json.js';
import type {NodeState} from '../node/state.js';
import type {ClusterPlan, NodePlan} from '../plan.js';
import type {Starting} from '../plugins/plugin.js';
import type {LiveNode} from './live-node.js';

/** The cluster as seen by programs on its nodes. */
export interface Surroundings {
  cluster: ClusterPlan;
  store: ObjectStore;
  lives: ReadonlyMap<string, LiveNode>;
}

export const planOf = ({cluster}: Surroundings, name: string): NodePlan | undefined =>
  cluster.nodes.find(plan => plan.name === name);

export function starting({cluster, store}: Surroundings, node: NodePlan, live: LiveNode, state: NodeState): Starting {
  return {
    cluster,
    node,
    state,
    now: new Date(),
    random: live.random(),
    // Getters, because most programs need neither and both read the whole store.
    get services() {
      const ready = new Set([...store.all(podType)].filter(isReady).map(pod => textAt(pod, 'status', 'podIP')));
      return servicesOf(cluster).map(service => ({
        ...service,
        backends: service.backends.filter(({address, onHost}) => onHost || ready.has(address)),
      }));
    },
    get annotations() {
      return new Map([...store.all(nodeType)].map(({metadata}) => [metadata.name, metadata.annotations ?? {}]));
    },
  };
}
