import type {ServerResponse} from 'node:http';
import type {JsonObject} from '../json.js';
import type {ApiObject} from './object.js';
import {apiVersionOf, type ResourceType} from './resource-types.js';
import type {ObjectSelection} from './selectors.js';
import {StatusError} from './status.js';
import type {ObjectStore, StoreEvent} from './store.js';
import {asTable, type IncludeObject} from './table.js';

export interface WatchRequest {
  type: ResourceType;
  namespace: string | undefined;
  selects: ObjectSelection;
  /** Empty or "0": starts with the current objects as ADDED events. */
  resourceVersion: string;
  sendInitialEvents: boolean;
  bookmarks: boolean;
  timeoutSeconds: number;
  table: IncludeObject | undefined;
}

const bookmarkEvery = 30_000;

/** Streams changes as JSON lines until the client disconnects, the timeout expires, or the server closes. */
export function watch(store: ObjectStore, request: WatchRequest, response: ServerResponse): void {
  const {type, selects} = request;
  const inScope = (object: ApiObject) => !request.namespace || object.metadata.namespace === request.namespace;
  const picked = (object: ApiObject) => inScope(object) && selects(object);

  const send = (word: string, object: JsonObject | ApiObject) => {
    response.write(`${JSON.stringify({type: word, object})}\n`);
  };
  const shown = (object: ApiObject) => (request.table ? asTable(type.kind, [object], request.table) : object);
  const bookmark = (annotations?: JsonObject) => {
    const metadata = {resourceVersion: store.revision, creationTimestamp: null, ...(annotations && {annotations})};
    const mark = {kind: type.kind, apiVersion: apiVersionOf(type), metadata};
    send('BOOKMARK', request.table ? {kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, rows: []} : mark);
  };

  const pass = (event: StoreEvent) => {
    if (event.resource !== type) return;
    const was = event.previous !== undefined && picked(event.previous);
    const is = event.type !== 'DELETED' && picked(event.object);
    if (is) send(was ? 'MODIFIED' : 'ADDED', shown(event.object));
    else if (was) send('DELETED', shown(event.object));
  };

  const fromNow = request.resourceVersion === '' || request.resourceVersion === '0';
  let stop: () => void = () => {};
  try {
    if (fromNow || request.sendInitialEvents) {
      for (const object of store.list(type, request.namespace)) if (selects(object)) send('ADDED', shown(object));
      if (request.sendInitialEvents) bookmark({'k8s.io/initial-events-end': 'true'});
      stop = store.subscribe(pass);
    } else {
      stop = store.watch(Number(request.resourceVersion), pass);
    }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    send('ERROR', error.body);
    response.end();
    return;
  }

  response.flushHeaders();
  const ending = setTimeout(() => response.end(), request.timeoutSeconds * 1_000);
  const marking = request.bookmarks ? setInterval(bookmark, bookmarkEvery) : undefined;
  ending.unref();
  marking?.unref();
  response.on('close', () => {
    clearTimeout(ending);
    clearInterval(marking);
    stop();
  });
}
