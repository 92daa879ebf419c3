import type {NodeDump} from '../../snapshot/document.js';
import {isObject, type JsonObject} from '../json.js';

/** The whole state of a simulated node: exactly what a snapshot contains of a real one. */
export type NodeState = NodeDump;

/** Derives a new state from the current one where that is owned, and returns it. */
export type ChangeState = (change: (state: NodeState) => NodeState) => NodeState;

/** The rows of a section that is a list. */
export function rows(state: NodeState, section: string): JsonObject[] {
  const value = state.sections[section];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function setRows(state: NodeState, section: string, value: readonly unknown[]): void {
  state.sections[section] = value;
}

/** Replaces a section with the error of reading it. */
export function failSection(state: NodeState, section: string, kind: string, message: string): void {
  delete state.sections[section];
  state.errors[section] = {kind, message};
}

export const addressOwner = (state: NodeState, address: string): unknown =>
  rows(state, 'netIPAddresses').find(row => row.IPAddress === address)?.InterfaceAlias;
