import type {Detection} from '../../src/model/plugin.js';
import {Scenario, scenario} from '../checks/support.js';

/** What a node is recognised as. */
export function detected(changed: Scenario, node?: string): Detection {
  const all = changed.run().detections;
  const found = node === undefined ? [...all.values()][0] : all.get(node);
  if (!found) throw new Error('the case has no such node');
  return found;
}

/** Only the cluster of a case: nothing was read on its nodes. */
export function clusterSide(name: string): Scenario {
  const changed = scenario(name);
  for (const node of Object.values(changed.document.nodes)) node.sections = {};
  return changed;
}

/** Only the nodes of a case: the cluster was not read. */
export function nodeSide(name: string): Scenario {
  const {cluster: _unread, ...document} = scenario(name).document;
  return new Scenario(document as Scenario['document']);
}
