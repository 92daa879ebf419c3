import {type ApiObject, timestamp} from '../api/object.js';
import {nodeType} from '../api/resource-types.js';
import type {ObjectStore, StoreEvent} from '../api/store.js';
import {isObject, type JsonObject, listAt, textAt} from '../json.js';

const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';
const taintByStatus: Readonly<Record<string, string | undefined>> = {False: notReady, Unknown: unreachable};

/** Taints nodes by their Ready condition, as the node lifecycle controller does. Returns a function that stops it. */
export function taintNodes(store: ObjectStore): () => void {
  return store.subscribe(({resource, type, object}: StoreEvent) => {
    if (resource !== nodeType || type === 'DELETED') return;
    const ready = listAt(object, 'status', 'conditions').find(condition => textAt(condition, 'type') === 'Ready');
    // A node without a Ready condition keeps its initial taint.
    if (ready) setTaint(store, object, taintByStatus[textAt(ready, 'status')]);
  });
}

function setTaint(store: ObjectStore, node: ApiObject, wanted: string | undefined): void {
  const taints = listAt(node, 'spec', 'taints');
  const own = taints.filter(taint => [notReady, unreachable].includes(textAt(taint, 'key')));
  const isRight =
    wanted === undefined ? own.length === 0 : own.length === 2 && own.every(taint => textAt(taint, 'key') === wanted);
  if (isRight) return;
  const others = taints.filter(taint => !own.includes(taint));
  const added = wanted === undefined ? [] : taintsOf(wanted);
  const {taints: _, ...spec} = isObject(node.spec) ? node.spec : {};
  const all = [...others, ...added];
  // The store notifies all listeners of one change before it accepts the next.
  queueMicrotask(() => {
    const present = store.find(nodeType, undefined, node.metadata.name);
    if (present?.metadata.resourceVersion !== node.metadata.resourceVersion) return;
    store.update(nodeType, {...node, spec: {...spec, ...(all.length > 0 && {taints: all})}});
  });
}

const taintsOf = (key: string): JsonObject[] =>
  ['NoSchedule', 'NoExecute'].map(effect => ({key, effect, timeAdded: timestamp()}));
