import type {JsonObject} from '../json.js';
import type {ApiObject} from './object.js';
import type {ApiAnswer, ResourceRequest} from './request.js';
import {apiVersionOf} from './resource-types.js';
import {fieldSelection, labelSelection, type ObjectSelection} from './selectors.js';
import {badRequest} from './status.js';
import type {ObjectStore} from './store.js';
import {asTable, type IncludeObject, wantsTable} from './table.js';

export function selectionOf({type, query}: ResourceRequest): ObjectSelection {
  const byLabel = labelSelection(query.get('labelSelector'));
  const byField = fieldSelection(type, query.get('fieldSelector'));
  return object => byLabel(object) && byField(object);
}

export const includeOf = ({query}: ResourceRequest) => (query.get('includeObject') ?? 'Metadata') as IncludeObject;

export function readOne(store: ObjectStore, request: ResourceRequest): ApiAnswer {
  const object = store.get(request.type, request.namespace, request.name ?? '');
  return {code: 200, body: shown(request, object)};
}

/** An object, or a one-row table if the client requested a table. */
export function shown(request: ResourceRequest, object: ApiObject): JsonObject | ApiObject {
  if (!wantsTable(request.accept)) return object;
  const {resourceVersion} = object.metadata;
  return asTable(request.type.kind, [object], includeOf(request), {...(resourceVersion && {resourceVersion})});
}

export function readList(store: ObjectStore, request: ResourceRequest): ApiAnswer {
  const {type, query} = request;
  const selected = store.list(type, request.namespace).filter(selectionOf(request));
  const limit = Number(query.get('limit') ?? 0);
  const start = query.get('continue') ? selected.findIndex(isAfter(query.get('continue') ?? '')) : 0;
  const rest = start < 0 ? [] : selected.slice(start);
  const page = limit > 0 ? rest.slice(0, limit) : rest;
  const left = rest.length - page.length;
  const last = page.at(-1);
  const metadata = {
    resourceVersion: store.revision,
    ...(left > 0 && last && {continue: token(last), remainingItemCount: left}),
  };
  if (wantsTable(request.accept)) return {code: 200, body: asTable(type.kind, page, includeOf(request), metadata)};
  // List items have no apiVersion and kind: clients must take them from the list.
  const items = page.map(({apiVersion: _, kind: __, ...object}) => object);
  return {code: 200, body: {kind: `${type.kind}List`, apiVersion: apiVersionOf(type), metadata, items}};
}

const place = ({metadata}: ApiObject) => `${metadata.namespace ?? ''}/${metadata.name}`;
const token = (object: ApiObject) =>
  Buffer.from(JSON.stringify({v: 'sim', start: place(object)})).toString('base64url');

function isAfter(text: string): (object: ApiObject) => boolean {
  try {
    const {start} = JSON.parse(Buffer.from(text, 'base64url').toString()) as {start: string};
    return object => place(object) > start;
  } catch {
    throw badRequest('continue key is not valid: invalid character in token');
  }
}
