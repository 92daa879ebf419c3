import {randomUUID} from 'node:crypto';
import {at, type JsonObject} from '../../json.js';
import {addRows, removeRows} from '../../node/edit.js';
import {fileAt, filesIn, writeFile} from '../../node/files.js';
import {rows} from '../../node/state.js';
import {noFile} from '../../node/windows.js';
import {fullPath, refusalOf} from '../removable.js';
import {blocked, StepError, type StepKind, same} from '../step.js';

/** Moves the file to the folder of the plan, so that an undo can restore it. */
export const removeFileStep: StepKind<'file.remove'> = {
  atBoot: true,
  inspect({state}, {path}) {
    const refusal =
      refusalOf(state, path) ?? (filesIn(state, fullPath(path)).size > 0 ? `${path} is a folder.` : undefined);
    if (refusal !== undefined) return blocked(refusal);
    const full = fullPath(path);
    if (!fileAt(state, full)) return {done: true, about: `File ${path} does not exist.`};
    const kept = `${randomUUID().replaceAll('-', '')}-${full.slice(full.lastIndexOf('\\') + 1)}`;
    return {done: false, saved: {kept}, about: `File ${path} exists.`};
  },
  apply({state, folder}, {path}, saved) {
    const refusal = refusalOf(state, path);
    if (refusal !== undefined) throw new StepError('Blocked', refusal);
    const file = fileAt(state, fullPath(path));
    if (!file) return;
    folder?.removed.set(String(at(saved, 'kept')), file);
    writeFile(state, noFile(String(file.Path)));
  },
  undo({state, folder}, {path}, saved) {
    const name = String(at(saved, 'kept'));
    const kept = folder?.removed.get(name);
    if (!kept || fileAt(state, fullPath(path))) return;
    writeFile(state, kept);
    folder?.removed.delete(name);
  },
};

const bootTime = {path: 'HKLM:\\Software\\Tigera\\Calico', name: 'LastBootTime'};

/** Without this value Calico starts as after a reboot. A plan may remove no other value. */
export const removeValueStep: StepKind<'registry.removeValue'> = {
  atBoot: false,
  inspect({state}, {path, name}) {
    const target = `registry value ${path}\\${name}`;
    if (!same(path, bootTime.path) || !same(name, bootTime.name))
      return blocked(`${target} is not among the values that a plan may remove.`);
    const value = rows(state, 'registry').find(row => isMeant(row, path, name))?.Value;
    const exists = value !== undefined ? 'True' : 'False';
    return {done: value === undefined, saved: {value: value ?? null}, about: `${target} exists: ${exists}.`};
  },
  apply: ({state}, {path, name}) => removeRows(state, 'registry', row => isMeant(row, path, name)),
  undo({state}, {path, name}, saved) {
    if (saved == null || rows(state, 'registry').some(row => isMeant(row, path, name))) return;
    addRows(state, 'registry', {Path: path, Name: name, Value: String(at(saved, 'value'))});
  },
};

const isMeant = (row: JsonObject, path: string, name: string): boolean => same(row.Path, path) && same(row.Name, name);
