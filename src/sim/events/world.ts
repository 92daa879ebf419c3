import type {ObjectStore} from '../api/store.js';
import type {SimNode} from '../node/sim-node.js';
import type {ClusterPlan, NodePlan} from '../plan.js';

export interface World {
  cluster: ClusterPlan;
  store: ObjectStore;
  nodes: ReadonlyMap<string, SimNode>;
}

/** An event on one node. It changes the state of the node and its objects in the cluster. */
export interface EventContext {
  world: World;
  node: SimNode;
  plan: NodePlan;
}
