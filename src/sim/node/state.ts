import type {NodeDump} from '../../snapshot/document.js';
import {isObject, type JsonObject} from '../json.js';

/** All that a simulated node is: exactly what a snapshot holds of a real one. */
export type NodeState = NodeDump;

/** Makes another state of the present one, where that is kept, and gives it. */
export type ChangeState = (change: (state: NodeState) => NodeState) => NodeState;

/** The rows of a section that is a list, to be read or replaced. */
export function rows(state: NodeState, section: string): JsonObject[] {
  const value = state.sections[section];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function setRows(state: NodeState, section: string, value: readonly unknown[]): void {
  state.sections[section] = value;
}

/** Replaces a section by the reason why it cannot be read. */
export function failSection(state: NodeState, section: string, kind: string, message: string): void {
  delete state.sections[section];
  state.errors[section] = {kind, message};
}

/** The adapter that holds an address. */
export const addressOwner = (state: NodeState, address: string): unknown =>
  rows(state, 'netIPAddresses').find(row => row.IPAddress === address)?.InterfaceAlias;
