import {isObject, type JsonObject, sameJson} from '../json.js';
import {type ApiObject, type ManagedFields, timestamp} from './object.js';

const separator = '\0';
const unmanaged = new Set(['apiVersion', 'kind', 'metadata.name', 'metadata.namespace', 'metadata.generateName']);
const serverOwned = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
]);

type Leaves = Map<string, unknown>;

/** Every value of an object by path. A list counts as one value. */
export function leavesOf(value: unknown, path: readonly string[] = [], into: Leaves = new Map()): Leaves {
  if (isObject(value) && Object.keys(value).length > 0) {
    for (const [key, child] of Object.entries(value)) {
      if (path.length === 1 && path[0] === 'metadata' && serverOwned.has(key)) continue;
      leavesOf(child, [...path, key], into);
    }
  } else if (path.length > 0 && !unmanaged.has(path.join('.'))) into.set(path.join(separator), value);
  return into;
}

function treeOf(paths: Iterable<string>): JsonObject {
  const tree: JsonObject = {};
  for (const path of paths) {
    let here = tree;
    for (const part of path.split(separator)) {
      const key = `f:${part}`;
      here[key] ??= {};
      here = here[key] as JsonObject;
    }
  }
  return tree;
}

function pathsOf(tree: JsonObject, path: readonly string[] = []): string[] {
  return Object.entries(tree).flatMap(([key, child]) => {
    const here = [...path, key.slice(2)];
    return isObject(child) && Object.keys(child).length > 0 ? pathsOf(child, here) : [here.join(separator)];
  });
}

export interface FieldChange {
  manager: string;
  operation: ManagedFields['operation'];
  subresource?: string | undefined;
  /** With Apply: the fields in the manager's request, changed or not. */
  applied?: Leaves;
}

/** The object with the field manager recorded. */
export function recordManager(next: ApiObject, previous: ApiObject | undefined, change: FieldChange): ApiObject {
  const before = leavesOf(previous);
  const after = leavesOf(next);
  const changed = [...after].filter(([path, value]) => !sameJson(before.get(path), value)).map(([path]) => path);
  const owned = change.applied ? [...change.applied.keys()].filter(path => after.has(path)) : changed;
  const lost = [...before.keys()].filter(path => !after.has(path));
  if (owned.length === 0 && lost.length === 0) return next;

  const isSame = (entry: ManagedFields) =>
    entry.manager === change.manager &&
    entry.operation === change.operation &&
    (entry.subresource ?? '') === (change.subresource ?? '');
  const entries = next.metadata.managedFields ?? [];
  const mine = change.applied ? [] : entries.filter(isSame).flatMap(entry => pathsOf(entry.fieldsV1));
  const others = entries
    .filter(entry => !isSame(entry))
    .map(entry => ({
      ...entry,
      paths: pathsOf(entry.fieldsV1).filter(path => !changed.includes(path) && after.has(path)),
    }))
    .filter(entry => entry.paths.length > 0)
    .map(({paths, ...entry}) => ({...entry, fieldsV1: treeOf(paths)}));
  const paths = [...new Set([...mine, ...owned])].filter(path => after.has(path));
  const entry: ManagedFields = {
    manager: change.manager,
    operation: change.operation,
    apiVersion: next.apiVersion,
    time: timestamp(),
    fieldsType: 'FieldsV1',
    fieldsV1: treeOf(paths),
    ...(change.subresource && {subresource: change.subresource}),
  };
  const managedFields = paths.length > 0 ? [...others, entry] : others;
  return {...next, metadata: {...next.metadata, managedFields}};
}

/** The other managers that own an applied field with a different value. */
export function applyConflicts(
  present: ApiObject,
  applied: Leaves,
  manager: string,
): {manager: string; field: string}[] {
  const now = leavesOf(present);
  return (present.metadata.managedFields ?? [])
    .filter(entry => entry.manager !== manager || entry.operation !== 'Apply')
    .flatMap(entry =>
      pathsOf(entry.fieldsV1)
        .filter(path => applied.has(path) && !sameJson(applied.get(path), now.get(path)))
        .map(path => ({manager: entry.manager, field: `.${path.split(separator).join('.')}`})),
    );
}

/** The object without the fields that a manager applied before and no longer applies. */
export function withoutAbandoned(present: ApiObject, applied: Leaves, manager: string): ApiObject {
  const entries = present.metadata.managedFields ?? [];
  const mine = entries.filter(entry => entry.manager === manager && entry.operation === 'Apply');
  const others = entries.filter(entry => !mine.includes(entry)).flatMap(entry => pathsOf(entry.fieldsV1));
  const abandoned = mine
    .flatMap(entry => pathsOf(entry.fieldsV1))
    .filter(path => !applied.has(path) && !others.includes(path));
  const result = structuredClone(present);
  for (const path of abandoned) {
    const parts = path.split(separator);
    const last = parts.pop() ?? '';
    let here: unknown = result;
    for (const part of parts) here = isObject(here) ? here[part] : undefined;
    if (isObject(here)) delete here[last];
  }
  return result;
}
