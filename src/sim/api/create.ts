import {isObject, withoutNulls} from '../json.js';
import {nameSuffix, withDefaults} from './defaults.js';
import {type FieldChange, recordManager} from './managed-fields.js';
import type {ApiObject, Metadata} from './object.js';
import {shown} from './read.js';
import {type ApiAnswer, isDryRun, managerOf, type ResourceRequest} from './request.js';
import {apiVersionOf, type ResourceType} from './resource-types.js';
import {alreadyExists, badRequest} from './status.js';
import type {ObjectStore} from './store.js';
import {admitCreate, checkFields, type FieldValidation} from './validation/admission.js';
import {withLimits} from './validation/limits.js';

export async function createObject(
  store: ObjectStore,
  request: ResourceRequest,
  change: FieldChange = {manager: managerOf(request), operation: 'Update'},
): Promise<ApiAnswer> {
  const object = readObject(request);
  const {metadata} = object;
  if (!metadata.name && metadata.generateName) metadata.name = `${metadata.generateName}${nameSuffix()}`;
  request.warnings.push(...(await checkFields(object, fieldValidation(request), metadata.name, request.schema)));
  const filled = withDefaults(withLimits(store, request.type, withoutNulls(object) as ApiObject));
  admitCreate(store, request.type, filled, request.podSecurity);
  const noted = recordManager(filled, undefined, change);
  if (!isDryRun(request)) return {code: 201, body: shown(request, store.create(request.type, noted))};
  if (store.find(request.type, metadata.namespace, metadata.name)) throw alreadyExists(request.type, metadata.name);
  return {code: 201, body: shown(request, noted)};
}

export const fieldValidation = ({query}: ResourceRequest) =>
  (query.get('fieldValidation') ?? 'Warn') as FieldValidation;

/** The object in the request body, in the namespace of the path. */
export function readObject({body, type, namespace}: ResourceRequest): ApiObject {
  if (!isObject(body)) throw badRequest('the request body could not be decoded: expected an object');
  const {apiVersion = apiVersionOf(type), kind = type.kind} = body;
  if (apiVersion !== apiVersionOf(type) || kind !== type.kind) {
    const wanted = `${type.kind} in version "${type.version}"`;
    throw badRequest(`${kind} in version "${String(apiVersion)}" cannot be handled as a ${wanted}`);
  }
  const metadata = cleanMetadata(type, isObject(body.metadata) ? body.metadata : {}, namespace);
  return {...body, apiVersion: apiVersionOf(type), kind: type.kind, metadata};
}

function cleanMetadata(type: ResourceType, given: object, namespace: string | undefined): Metadata {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    managedFields: _managed,
    ...metadata
  } = given as Metadata;
  if (type.namespaced && metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const name = metadata.name ?? '';
  return {...metadata, name, ...(type.namespaced && namespace && {namespace})};
}
