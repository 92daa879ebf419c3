import {isObject, type JsonObject, sameJson} from '../json.js';
import {badRequest, StatusError} from './status.js';

/** RFC 7386. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? {...target} : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** Lists that merge by a key according to the Kubernetes types. All other lists are replaced. */
const mergeKeys: Record<string, string> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  volumes: 'name',
  env: 'name',
  imagePullSecrets: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  conditions: 'type',
  addresses: 'type',
  ownerReferences: 'uid',
  hostAliases: 'ip',
};

const portKey = (parent: string) => (parent === 'containers' ? 'containerPort' : 'port');
const primitiveSets = new Set(['finalizers']);

export function strategicMergePatch(target: unknown, patch: unknown, parent = ''): unknown {
  if (!isObject(patch)) return patch;
  if (patch.$patch === 'replace') return withoutDirectives(patch);
  const result: JsonObject = isObject(target) ? {...target} : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$deleteFromPrimitiveList/')) {
      const list = key.slice('$deleteFromPrimitiveList/'.length);
      const gone = Array.isArray(value) ? value : [];
      if (Array.isArray(result[list])) result[list] = result[list].filter(item => !gone.includes(item));
    } else if (key === '$retainKeys' && Array.isArray(value)) {
      for (const name of Object.keys(result)) if (!value.includes(name)) delete result[name];
    } else if (key.startsWith('$')) {
    } else if (value === null) {
      delete result[key];
    } else if (Array.isArray(value)) {
      result[key] = mergeList(result[key], value, key, parent);
    } else {
      result[key] = strategicMergePatch(result[key], value, key);
    }
  }
  return result;
}

function mergeList(target: unknown, patch: unknown[], key: string, parent: string): unknown[] {
  const present = Array.isArray(target) ? target : [];
  if (primitiveSets.has(key)) return [...new Set([...present, ...patch])];
  const mergeKey = key === 'ports' ? portKey(parent) : mergeKeys[key];
  if (!mergeKey || patch.some(item => !isObject(item))) return patch;
  if (patch.some(item => isObject(item) && item.$patch === 'replace' && !(mergeKey in item))) {
    return patch.filter(item => isObject(item) && mergeKey in item).map(withoutDirectives);
  }
  let merged = [...present];
  for (const item of patch) {
    if (!isObject(item)) continue;
    const index = merged.findIndex(other => isObject(other) && other[mergeKey] === item[mergeKey]);
    if (item.$patch === 'delete') merged = merged.filter((_, at) => at !== index);
    else if (index < 0) merged.push(withoutDirectives(item));
    else merged[index] = strategicMergePatch(merged[index], item, key);
  }
  return merged;
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key, child]) => !key.startsWith('$') && child !== null);
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutDirectives(child)]));
}

interface Operation {
  op: string;
  path: string;
  value?: unknown;
  from?: string;
}

const unprocessable = (message: string) => new StatusError(422, 'Invalid', message, {});

/** RFC 6902. */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch))
    throw badRequest('error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  let result = structuredClone(target);
  for (const operation of patch as Operation[]) {
    const path = pointer(operation.path);
    if (operation.op === 'add') result = put(result, path, operation.value, true);
    else if (operation.op === 'replace') result = put(result, path, operation.value, false);
    else if (operation.op === 'remove') result = take(result, path);
    else if (operation.op === 'test') {
      if (!sameJson(valueAt(result, path), operation.value)) {
        throw unprocessable(`the server rejected our request due to an error in our request`);
      }
    } else if (operation.op === 'move' || operation.op === 'copy') {
      const from = pointer(operation.from ?? '');
      const value = structuredClone(valueAt(result, from));
      if (operation.op === 'move') result = take(result, from);
      result = put(result, path, value, true);
    } else throw badRequest(`Unexpected kind: ${operation.op}`);
  }
  return result;
}

const pointer = (path: string) =>
  path
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));

function valueAt(target: unknown, path: readonly string[]): unknown {
  let here = target;
  for (const part of path) {
    if (Array.isArray(here)) here = here[Number(part)];
    else if (isObject(here)) here = here[part];
    else return undefined;
  }
  return here;
}

function put(target: unknown, path: readonly string[], value: unknown, add: boolean): unknown {
  const last = path.at(-1);
  if (last === undefined) return value;
  const parent = valueAt(target, path.slice(0, -1));
  if (Array.isArray(parent)) {
    if (last === '-') parent.push(value);
    else parent.splice(Number(last), add ? 0 : 1, value);
  } else if (isObject(parent) && (add || last in parent)) parent[last] = value;
  else throw unprocessable('the server rejected our request due to an error in our request');
  return target;
}

function take(target: unknown, path: readonly string[]): unknown {
  const last = path.at(-1) ?? '';
  const parent = valueAt(target, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isObject(parent) && last in parent) delete parent[last];
  else throw unprocessable('the server rejected our request due to an error in our request');
  return target;
}
