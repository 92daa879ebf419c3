import type {ApiObject} from '../../src/sim/api/object.js';
import {nodeType, podType} from '../../src/sim/api/resource-types.js';
import type {ObjectStore, StoreEvent} from '../../src/sim/api/store.js';
import {fits} from '../../src/sim/controllers/node-fit.js';
import {at, listAt, textAt} from '../../src/sim/json.js';
import {type AdminApi, pathOf, Refused} from './admin-api.js';

/** Binds pods of controllers: those of DaemonSets to their node, others to the node of their predecessor. */
export class Scheduler {
  readonly #store: ObjectStore;
  readonly #api: AdminApi;
  readonly #bound = new Set<string>();
  /** The nodes of deleted pods, by owner. */
  readonly #left = new Map<string, string[]>();
  readonly #unsubscribe: () => void;

  constructor(store: ObjectStore, api: AdminApi) {
    this.#store = store;
    this.#api = api;
    this.#unsubscribe = store.subscribe(event => this.#notice(event));
    for (const pod of store.all(podType)) this.#place(pod);
  }

  close(): void {
    this.#unsubscribe();
  }

  #notice({resource, object, type}: StoreEvent): void {
    if (resource === nodeType) for (const pod of this.#store.all(podType)) this.#place(pod);
    if (resource !== podType) return;
    if (type !== 'DELETED') this.#place(object);
    else if (textAt(object, 'spec', 'nodeName')) {
      const key = ownerOf(object);
      this.#left.set(key, [...(this.#left.get(key) ?? []), textAt(object, 'spec', 'nodeName')]);
    }
  }

  #place(pod: ApiObject): void {
    const {uid = ''} = pod.metadata;
    if (textAt(pod, 'spec', 'nodeName') || pod.metadata.deletionTimestamp || this.#bound.has(uid)) return;
    const node = this.#nodeFor(pod);
    if (node === undefined) return;
    this.#bound.add(uid);
    const metadata = {name: pod.metadata.name, namespace: pod.metadata.namespace ?? '', uid};
    const binding = {apiVersion: 'v1', kind: 'Binding', metadata, target: {apiVersion: 'v1', kind: 'Node', name: node}};
    this.#api.request('POST', pathOf(podType, pod, 'binding'), binding).catch(error => {
      // A deleted pod needs no node; anything else is retried on the next change.
      if (!(error instanceof Refused) || error.code !== 404) this.#bound.delete(uid);
    });
  }

  #nodeFor(pod: ApiObject): string | undefined {
    const [named] = listAt(
      pod,
      ...['spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'],
    ).flatMap(term => listAt(term, 'matchFields').flatMap(field => listAt(field, 'values')));
    if (named !== undefined) return String(named);
    const suitable = [...this.#store.all(nodeType)].filter(node => isOpen(node) && fits(pod.spec, node));
    const names = suitable.map(({metadata}) => metadata.name);
    const left = this.#left.get(ownerOf(pod)) ?? [];
    const chosen = left.find(name => names.includes(name)) ?? names[0];
    if (chosen !== undefined && left.includes(chosen)) left.splice(left.indexOf(chosen), 1);
    return chosen;
  }
}

const ownerOf = ({metadata}: ApiObject) => metadata.ownerReferences?.find(({controller}) => controller)?.uid ?? '';

function isOpen(node: ApiObject): boolean {
  const ready = listAt(node, 'status', 'conditions').find(condition => textAt(condition, 'type') === 'Ready');
  return at(node, 'spec', 'unschedulable') !== true && textAt(ready, 'status') === 'True';
}
