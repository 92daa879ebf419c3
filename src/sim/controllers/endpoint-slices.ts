import type {ApiObject} from '../api/object.js';
import {endpointSliceType, podType, serviceType} from '../api/resource-types.js';
import type {ObjectStore, StoreEvent} from '../api/store.js';
import {isReady} from '../cluster/pod-status.js';
import {mapAt, sameJson, textAt} from '../json.js';
import {Due} from './due.js';

/** Lists the pods of each Service in its EndpointSlice. */
export class EndpointSlices {
  readonly #store: ObjectStore;
  readonly #due = new Due(namespace => this.#reconcile(namespace));
  readonly #unsubscribe: () => void;

  constructor(store: ObjectStore) {
    this.#store = store;
    this.#unsubscribe = store.subscribe(event => this.#notice(event));
  }

  close(): void {
    this.#unsubscribe();
    this.#due.close();
  }

  #notice({resource, object}: StoreEvent): void {
    if (resource === podType) this.#due.add(object.metadata.namespace ?? '');
  }

  #reconcile(namespace: string): void {
    const pods = this.#store.list(podType, namespace);
    for (const service of this.#store.list(serviceType, namespace)) {
      const selector = Object.entries(mapAt(service, 'spec', 'selector'));
      if (selector.length === 0) continue;
      const behind = pods.filter(({metadata}) => selector.every(([key, value]) => metadata.labels?.[key] === value));
      this.#update(service, behind.filter(pod => textAt(pod, 'status', 'podIP')).map(endpointOf));
    }
  }

  #update({metadata}: ApiObject, endpoints: readonly object[]): void {
    const [slice, ...others] = this.#store
      .list(endpointSliceType, metadata.namespace)
      .filter(each => each.metadata.labels?.['kubernetes.io/service-name'] === metadata.name);
    if (!slice) return;
    if (!sameJson(slice.endpoints, endpoints)) this.#store.update(endpointSliceType, {...slice, endpoints});
    for (const other of others) this.#store.delete(endpointSliceType, other.metadata.namespace, other.metadata.name);
  }
}

function endpointOf(pod: ApiObject): object {
  const ready = isReady(pod) && !pod.metadata.deletionTimestamp;
  return {
    addresses: [textAt(pod, 'status', 'podIP')],
    conditions: {ready, serving: ready, terminating: pod.metadata.deletionTimestamp !== undefined},
    nodeName: textAt(pod, 'spec', 'nodeName'),
  };
}
