import {isObject, numberAt, textAt} from '../json.js';
import {type ApiObject, timestamp} from './object.js';
import {selectionOf} from './read.js';
import {type ApiAnswer, isDryRun, type ResourceRequest} from './request.js';
import {apiVersionOf, namespaceType, podType, type ResourceType} from './resource-types.js';
import {conflict, success} from './status.js';
import type {ObjectStore} from './store.js';

interface DeleteOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: string;
  preconditions?: {uid?: string; resourceVersion?: string};
  dryRun?: string[];
}

function optionsOf({body, query}: ResourceRequest): DeleteOptions {
  const given = (isObject(body) ? body : {}) as DeleteOptions;
  const grace = query.get('gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  return {
    ...given,
    ...(grace !== null && {gracePeriodSeconds: Number(grace)}),
    ...(policy !== null && {propagationPolicy: policy}),
  };
}

export function deleteObject(store: ObjectStore, request: ResourceRequest): ApiAnswer {
  const {type} = request;
  const object = store.get(type, request.namespace, request.name ?? '');
  const options = optionsOf(request);
  checkPreconditions(type, object, options);
  if (isDryRun(request) || options.dryRun?.includes('All')) return {code: 200, body: deleted(type, object)};
  const result = remove(store, type, object, options);
  return {code: 200, body: result};
}

export function deleteCollection(store: ObjectStore, request: ResourceRequest): ApiAnswer {
  const {type} = request;
  const selected = store.list(type, request.namespace).filter(selectionOf(request));
  if (!isDryRun(request)) for (const object of selected) remove(store, type, object, optionsOf(request));
  const items = selected.map(({apiVersion: _, kind: __, ...object}) => object);
  const metadata = {resourceVersion: store.revision};
  return {code: 200, body: {kind: `${type.kind}List`, apiVersion: apiVersionOf(type), metadata, items}};
}

function checkPreconditions(type: ResourceType, {metadata}: ApiObject, {preconditions}: DeleteOptions): void {
  const {uid, resourceVersion} = preconditions ?? {};
  if (uid && uid !== metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
    throw conflict(type, metadata.name, why);
  }
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
    throw conflict(type, metadata.name, why);
  }
}

const deleted = (type: ResourceType, {metadata}: ApiObject) =>
  success({
    details: {name: metadata.name, ...(type.group && {group: type.group}), kind: type.plural, uid: metadata.uid},
  });

/** Deletes as the server does: a running pod gets its grace period, a namespace is emptied first. */
export function remove(
  store: ObjectStore,
  type: ResourceType,
  object: ApiObject,
  options: DeleteOptions = {},
): ApiAnswer['body'] {
  if (type === podType && textAt(object, 'spec', 'nodeName')) {
    const asked = options.gracePeriodSeconds ?? numberAt(object, 'spec', 'terminationGracePeriodSeconds');
    const ended = ['Succeeded', 'Failed'].includes(textAt(object, 'status', 'phase'));
    if (asked > 0 && !ended) return marked(store, type, object, asked);
  }
  if (type === namespaceType) return emptyNamespace(store, object);
  store.delete(type, object.metadata.namespace, object.metadata.name);
  collectDependents(store, object, options.propagationPolicy === 'Orphan');
  return type === podType ? object : deleted(type, object);
}

function marked(store: ObjectStore, type: ResourceType, object: ApiObject, grace: number): ApiObject {
  if (object.metadata.deletionTimestamp) return object;
  const deletionTimestamp = timestamp(new Date(Date.now() + grace * 1_000));
  const metadata = {...object.metadata, deletionTimestamp, deletionGracePeriodSeconds: grace};
  return store.update(type, {...object, metadata});
}

function emptyNamespace(store: ObjectStore, namespace: ApiObject): ApiObject {
  const name = namespace.metadata.name;
  const metadata = {...namespace.metadata, deletionTimestamp: namespace.metadata.deletionTimestamp ?? timestamp()};
  const ending = store.update(namespaceType, {...namespace, metadata, status: {phase: 'Terminating'}});
  finishNamespace(store, name);
  return ending;
}

/** Empties a namespace that is being deleted, and deletes it once it is empty. */
export function finishNamespace(store: ObjectStore, name: string): void {
  const namespace = store.find(namespaceType, undefined, name);
  if (!namespace?.metadata.deletionTimestamp) return;
  for (const type of store.types.filter(type => type.namespaced)) {
    for (const object of store.list(type, name)) {
      if (store.find(type, name, object.metadata.name)) remove(store, type, object);
    }
  }
  const left = store.types.filter(type => type.namespaced).some(type => store.list(type, name).length > 0);
  if (!left) store.delete(namespaceType, undefined, name);
}

function collectDependents(store: ObjectStore, owner: ApiObject, orphan: boolean): void {
  const isOwner = (reference: {uid: string}) => reference.uid === owner.metadata.uid;
  for (const type of store.types) {
    const owned = [...store.all(type)].filter(object => object.metadata.ownerReferences?.some(isOwner));
    for (const object of owned) {
      const left = object.metadata.ownerReferences?.filter(reference => !isOwner(reference)) ?? [];
      if (!orphan && left.length === 0) remove(store, type, object);
      else store.update(type, {...object, metadata: {...object.metadata, ownerReferences: left}});
    }
  }
}
