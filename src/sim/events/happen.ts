import type {ScenarioEvent} from '../scenario.js';
import {externalNetworkRemoved, hnsHangs, ovsExtensionOff, tunnelAnnotationWrong, vtepMacChanged} from './mishaps.js';
import {reboot} from './reboot.js';
import type {EventContext, World} from './world.js';

const events: Record<ScenarioEvent, (context: EventContext) => void> = {
  reboot,
  'ovs-extension-off': ovsExtensionOff,
  'hns-hangs': hnsHangs,
  'tunnel-annotation-wrong': tunnelAnnotationWrong,
  'vtep-mac-changed': vtepMacChanged,
  'external-network-removed': externalNetworkRemoved,
};

export function happen(world: World, name: string, event: ScenarioEvent): void {
  const node = world.nodes.get(name);
  const plan = world.cluster.nodes.find(plan => plan.name === name);
  if (node?.os !== 'windows' || !plan) throw new Error(`No simulated Windows node ${name}.`);
  events[event]({world, node, plan});
}
