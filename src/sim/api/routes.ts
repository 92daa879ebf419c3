import type {ServerResponse} from 'node:http';
import {createObject} from './create.js';
import {deleteCollection, deleteObject} from './delete.js';
import {evictPod} from './eviction.js';
import {includeOf, readList, readOne, selectionOf} from './read.js';
import type {ApiAnswer, ResourceRequest} from './request.js';
import {answerReview} from './reviews.js';
import {badRequest, notAllowed, pathNotFound} from './status.js';
import type {ObjectStore} from './store.js';
import {wantsTable} from './table.js';
import {patchObject, replaceObject} from './update.js';
import {watch} from './watch.js';

const yes = (value: string | null) => value === 'true' || value === '1';

/** The RBAC verb of a request. */
function verbOf({method, name, query}: ResourceRequest): string {
  if (method === 'GET' || method === 'HEAD') {
    if (name) return 'get';
    return yes(query.get('watch')) ? 'watch' : 'list';
  }
  if (method === 'POST') return 'create';
  if (method === 'PUT') return 'update';
  if (method === 'PATCH') return 'patch';
  if (method === 'DELETE') return name ? 'delete' : 'deletecollection';
  throw notAllowed();
}

export function authorize(request: ResourceRequest, verb = verbOf(request)): void {
  const {type, namespace, name, subresource, access} = request;
  const resource = subresource ? `${type.plural}/${subresource}` : type.plural;
  // A namespace counts as inside itself, so a role in it can grant the right to read it.
  const inside = type.kind === 'Namespace' ? name : namespace;
  access.demand(type, {verb, group: type.group, resource, namespace: inside, name});
}

/** What the server requests from the nodes. */
export interface NodeAnswers {
  logOf(request: ResourceRequest): string;
  /** The kubelet's answer to a proxied request. */
  proxy(request: ResourceRequest): ApiAnswer;
}

/** Handles a request. Undefined: the response is a stream that has started. */
export async function route(
  store: ObjectStore,
  request: ResourceRequest,
  response: ServerResponse,
  nodes: NodeAnswers,
): Promise<ApiAnswer | string | undefined> {
  authorize(request);
  if (request.type.review) {
    if (request.method !== 'POST') throw notAllowed();
    return answerReview(request);
  }
  if (request.subresource) return routeSubresource(store, request, nodes);
  const verb = verbOf(request);
  if (verb === 'get') return readOne(store, request);
  if (verb === 'list') return readList(store, request);
  if (verb === 'watch') return startWatch(store, request, response);
  if (verb === 'create') return request.name ? Promise.reject(notAllowed()) : createObject(store, request);
  if (verb === 'update') return replaceObject(store, request);
  if (verb === 'patch') return patchObject(store, request);
  return verb === 'delete' ? deleteObject(store, request) : deleteCollection(store, request);
}

async function routeSubresource(store: ObjectStore, request: ResourceRequest, {logOf, proxy}: NodeAnswers) {
  const {type, subresource = '', method} = request;
  if (!type.subresources?.includes(subresource)) throw pathNotFound();
  if (subresource === 'status') {
    if (method === 'GET') return readOne(store, request);
    if (method === 'PUT') return replaceObject(store, request);
    if (method === 'PATCH') return patchObject(store, request);
  }
  if (subresource === 'log' && method === 'GET') return logOf(request);
  if (subresource === 'proxy' && method === 'GET') return proxy(request);
  if (subresource === 'eviction' && method === 'POST') return evictPod(store, request);
  if (subresource === 'exec') throw badRequest('Upgrade request required');
  throw notAllowed();
}

function startWatch(store: ObjectStore, request: ResourceRequest, response: ServerResponse): undefined {
  const {type, namespace, query} = request;
  const selects = selectionOf(request);
  response.writeHead(200, {'content-type': 'application/json', 'cache-control': 'no-cache, private'});
  watch(
    store,
    {
      type,
      namespace,
      selects,
      resourceVersion: query.get('resourceVersion') ?? '',
      sendInitialEvents: yes(query.get('sendInitialEvents')),
      bookmarks: yes(query.get('allowWatchBookmarks')),
      timeoutSeconds: Number(query.get('timeoutSeconds') ?? 0) || 1_800,
      table: wantsTable(request.accept) ? includeOf(request) : undefined,
    },
    response,
  );
  return undefined;
}
