import type {SimNode} from './sim-node.js';
import {failSection, type NodeState} from './state.js';

/** The node's state as the helper can read it now: some sections fail where the scenario says so. */
export function readable(node: SimNode): NodeState {
  const failures = Object.entries(node.faults.sectionErrors);
  if (failures.length === 0) return node.state;
  const state = {sections: {...node.state.sections}, errors: {...node.state.errors}};
  for (const [section, {kind, message}] of failures) {
    failSection(state, section, kind, message || `${section} could not be read: ${kind}`);
  }
  return state;
}

/** A state that somebody changed, with the sections that he could not read as they are in truth. */
export function withoutFaults(node: SimNode, changed: NodeState): NodeState {
  const state = {sections: {...changed.sections}, errors: {...changed.errors}};
  for (const section of Object.keys(node.faults.sectionErrors)) {
    delete state.errors[section];
    const [value, error] = [node.state.sections[section], node.state.errors[section]];
    if (value !== undefined) state.sections[section] = value;
    if (error) state.errors[section] = error;
  }
  return state;
}
