import type {JsonObject} from '../json.js';
import {type NodeState, rows, setRows} from './state.js';

// Changes to the lists of a state, row by row.

export function addRows(state: NodeState, section: string, ...added: readonly JsonObject[]): void {
  setRows(state, section, [...rows(state, section), ...added]);
}

export function removeRows(state: NodeState, section: string, picks: (row: JsonObject) => boolean): void {
  const kept = rows(state, section).filter(row => !picks(row));
  if (kept.length < rows(state, section).length) setRows(state, section, kept);
}

/** Replaces columns of the selected rows. */
export function editRows(
  state: NodeState,
  section: string,
  picks: (row: JsonObject) => boolean,
  columns: (row: JsonObject) => JsonObject,
): void {
  const edited = rows(state, section).map(row => (picks(row) ? {...row, ...columns(row)} : row));
  if (edited.length > 0) setRows(state, section, edited);
}
