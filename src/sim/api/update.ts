import {isObject, withoutNulls} from '../json.js';
import {createObject, fieldValidation, readObject} from './create.js';
import {applyConflicts, type FieldChange, leavesOf, recordManager, withoutAbandoned} from './managed-fields.js';
import type {ApiObject} from './object.js';
import {jsonPatch, mergePatch, strategicMergePatch} from './patch.js';
import {shown} from './read.js';
import {type ApiAnswer, isDryRun, managerOf, type ResourceRequest} from './request.js';
import {badRequest, conflict, StatusError, unsupportedMediaType} from './status.js';
import type {ObjectStore} from './store.js';
import {admitUpdate, checkFields} from './validation/admission.js';

const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

export async function replaceObject(store: ObjectStore, request: ResourceRequest): Promise<ApiAnswer> {
  const previous = store.get(request.type, request.namespace, request.name ?? '');
  const given = readObject(request);
  if (given.metadata.name !== request.name) {
    throw badRequest('the name of the object does not match the name on the URL');
  }
  const version = isObject(request.body) && isObject(request.body.metadata) && request.body.metadata.resourceVersion;
  return save(store, request, previous, given, version ? String(version) : undefined);
}

export async function patchObject(store: ObjectStore, request: ResourceRequest): Promise<ApiAnswer> {
  const media = request.contentType.split(';')[0]?.trim() ?? '';
  if (media === 'application/apply-patch+yaml') return applyObject(store, request);
  const previous = store.get(request.type, request.namespace, request.name ?? '');
  const patched = patchWith(media, previous, request.body, request.type.custom ?? false);
  if (!isObject(patched) || !isObject(patched.metadata)) throw badRequest('the patch does not yield an object');
  const version = (patched as ApiObject).metadata.resourceVersion;
  return save(store, request, previous, patched as ApiObject, version);
}

function patchWith(media: string, target: ApiObject, patch: unknown, custom: boolean): unknown {
  if (media === 'application/json-patch+json') return jsonPatch(target, patch);
  if (media === 'application/merge-patch+json') return mergePatch(target, patch);
  if (media === 'application/strategic-merge-patch+json' && !custom) return strategicMergePatch(target, patch);
  throw unsupportedMediaType(patchTypes);
}

async function applyObject(store: ObjectStore, request: ResourceRequest): Promise<ApiAnswer> {
  const {type, namespace, name = '', body, query} = request;
  const manager = query.get('fieldManager');
  if (!manager)
    throw badRequest(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  const given = readObject({...request, body});
  const applied = leavesOf(withoutNulls(given));
  const previous = store.find(type, namespace, name);
  if (!previous) {
    const named = {...given, metadata: {...given.metadata, name}};
    return createObject(store, {...request, body: named}, {manager, operation: 'Apply', applied});
  }
  const conflicts = query.get('force') === 'true' ? [] : applyConflicts(previous, applied, manager);
  const [first] = conflicts;
  if (first) {
    const list = conflicts.map(({manager, field}) => `conflict with "${manager}": ${field}`).join('\n');
    const count = `Apply failed with ${conflicts.length} conflict${conflicts.length === 1 ? '' : 's'}`;
    throw new StatusError(409, 'Conflict', `${count}: ${list}`, {
      causes: conflicts.map(({manager, field}) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with "${manager}"`,
        field,
      })),
    });
  }
  const base = withoutAbandoned(previous, applied, manager);
  const merged = (type.custom ? mergePatch(base, given) : strategicMergePatch(base, given)) as ApiObject;
  return save(store, request, previous, merged, undefined, {manager, operation: 'Apply', applied});
}

async function save(
  store: ObjectStore,
  request: ResourceRequest,
  previous: ApiObject,
  given: ApiObject,
  expected: string | undefined,
  change: FieldChange = {manager: managerOf(request), operation: 'Update', subresource: request.subresource},
): Promise<ApiAnswer> {
  const {type, subresource} = request;
  if (expected && expected !== previous.metadata.resourceVersion) throw conflict(type, previous.metadata.name);
  const next = merged(previous, withoutNulls(given) as ApiObject, subresource);
  const checked = await checkFields(next, fieldValidation(request), next.metadata.name, request.schema);
  request.warnings.push(...checked);
  if (subresource !== 'status') admitUpdate(type, next, previous);
  const noted = recordManager(withGeneration(next, previous), previous, change);
  if (isDryRun(request)) return {code: 200, body: shown(request, noted)};
  return {code: 200, body: shown(request, store.update(type, noted))};
}

/** An update of the object keeps the status; an update of the status keeps everything else. */
function merged(previous: ApiObject, given: ApiObject, subresource: string | undefined): ApiObject {
  if (subresource === 'status') return {...previous, status: given.status};
  const {uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, managedFields, resourceVersion} =
    previous.metadata;
  const kept = {uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, managedFields, resourceVersion};
  const metadata = {...given.metadata, ...(withoutNulls(kept) as object)};
  return {...given, metadata, ...('status' in previous && {status: previous.status})};
}

function withGeneration(next: ApiObject, previous: ApiObject): ApiObject {
  const {generation} = previous.metadata;
  if (generation === undefined || JSON.stringify(next.spec) === JSON.stringify(previous.spec)) return next;
  return {...next, metadata: {...next.metadata, generation: generation + 1}};
}
