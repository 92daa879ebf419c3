import type {SimNode} from './sim-node.js';
import {type ChangeState, failSection, type NodeState} from './state.js';

/** The state that the helper can read: the scenario can make sections fail. */
export function readable(node: SimNode, truth = node.state): NodeState {
  const failures = Object.entries(node.faults.sectionErrors);
  if (failures.length === 0) return truth;
  const state = {sections: {...truth.sections}, errors: {...truth.errors}};
  for (const [section, {kind, message}] of failures) {
    failSection(state, section, kind, message || `${section} could not be read: ${kind}`);
  }
  return state;
}

/** A changed state, with the unreadable sections restored from the actual state. */
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

/** Wraps a state owner whose reader cannot read all sections. */
export function behindFaults(node: SimNode, elsewhere: ChangeState): ChangeState {
  return change => {
    let changed = node.state;
    elsewhere(found => {
      changed = change(withoutFaults(node, found));
      return readable(node, changed);
    });
    return changed;
  };
}
