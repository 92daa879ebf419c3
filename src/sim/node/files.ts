import type {JsonObject} from '../json.js';
import {nodeTime} from '../time.js';
import {addRows, editRows, removeRows} from './edit.js';
import {type NodeState, rows} from './state.js';

const at = (path: string) => (row: JsonObject) => String(row.Path).toLowerCase() === path.toLowerCase();

export function fileAt(state: NodeState, path: string): JsonObject | undefined {
  return rows(state, 'files').find(row => at(path)(row) && row.Exists === true);
}

export const contentOf = (state: NodeState, path: string): string => String(fileAt(state, path)?.Content ?? '');

export function filesIn(state: NodeState, folder: string): Map<string, JsonObject> {
  const prefix = `${folder.toLowerCase()}\\`;
  const inside = rows(state, 'files').filter(
    ({Path, Exists}) => Exists === true && String(Path).toLowerCase().startsWith(prefix),
  );
  return new Map(inside.map(row => [String(row.Path).slice(prefix.length), row]));
}

/** Replaces a file, or appends it to the list. */
export function writeFile(state: NodeState, file: JsonObject): void {
  const isIt = at(String(file.Path));
  if (rows(state, 'files').some(isIt)) editRows(state, 'files', isIt, () => file);
  else addRows(state, 'files', file);
}

export const removeFile = (state: NodeState, path: string): void => removeRows(state, 'files', at(path));

export function writeLog(state: NodeState, entry: JsonObject): void {
  const isIt = at(String(entry.Path));
  if (rows(state, 'logs').some(isIt)) editRows(state, 'logs', isIt, () => entry);
  else addRows(state, 'logs', entry);
}

/** Appends lines to an existing log. */
export function appendLog(state: NodeState, path: string, written: Date, ...lines: readonly string[]): void {
  const added = lines.map(line => `\n${line}`).join('');
  editRows(state, 'logs', at(path), ({Tail, Length}) => ({
    Tail: `${Tail}${added}`,
    Length: Number(Length) + added.length,
    LastWriteTime: nodeTime(written),
  }));
}
