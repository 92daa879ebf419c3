import type {Store} from '../api/store.js';
import type {SimNode} from '../node/sim-node.js';
import type {ClusterPlan, NodePlan} from '../plan.js';
import type {ScenarioEvent} from '../scenario.js';
import {hnsHangs, ovsExtensionOff, tunnelAnnotationWrong, vtepMacChanged} from './mishaps.js';
import {reboot} from './reboot.js';

export interface World {
  cluster: ClusterPlan;
  store: Store;
  nodes: ReadonlyMap<string, SimNode>;
}

/** Something that befalls one node: it changes the node's state, and what the cluster knows of the node. */
export interface Happening {
  world: World;
  node: SimNode;
  plan: NodePlan;
}

const events: Record<ScenarioEvent, (happening: Happening) => void> = {
  reboot,
  'ovs-extension-off': ovsExtensionOff,
  'hns-hangs': hnsHangs,
  'tunnel-annotation-wrong': tunnelAnnotationWrong,
  'vtep-mac-changed': vtepMacChanged,
};

export function happen(world: World, name: string, event: ScenarioEvent): void {
  const node = world.nodes.get(name);
  const plan = world.cluster.nodes.find(plan => plan.name === name);
  if (node?.os !== 'windows' || !plan) throw new Error(`There is no simulated Windows node ${name}.`);
  events[event]({world, node, plan});
}
