import type {ObjectStore} from '../api/store.js';
import type {SimNode} from '../node/sim-node.js';
import type {ClusterPlan, NodePlan} from '../plan.js';

export interface World {
  cluster: ClusterPlan;
  store: ObjectStore;
  nodes: ReadonlyMap<string, SimNode>;
}

/** An event on one node: it changes the node's state, and what the cluster knows of the node. */
export interface Happening {
  world: World;
  node: SimNode;
  plan: NodePlan;
}
