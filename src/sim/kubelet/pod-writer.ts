import type {ApiObject} from '../api/object.js';
import {type EventText, recordEvent} from '../api/record-event.js';
import {podType} from '../api/resource-types.js';
import type {ObjectStore} from '../api/store.js';
import {isObject, type JsonObject, listAt, numberAt} from '../json.js';
import type {SimNode} from '../node/sim-node.js';

/** Writes the status and events of pods. Ignores pods that were deleted or replaced under the same name. */
export class PodWriter {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  status(pod: ApiObject, change: (status: JsonObject) => JsonObject): void {
    const present = this.present(pod);
    if (!present) return;
    const status = change(isObject(present.status) ? present.status : {});
    this.#store.update(podType, {...present, status});
  }

  event(node: SimNode, pod: ApiObject, text: EventText): void {
    if (this.present(pod)) recordEvent(this.#store, pod, text, node.name);
  }

  restartsOf(pod: ApiObject): number {
    return numberAt(listAt(this.present(pod), 'status', 'containerStatuses')[0], 'restartCount');
  }

  present({metadata}: ApiObject): ApiObject | undefined {
    const found = this.#store.find(podType, metadata.namespace, metadata.name);
    return found?.metadata.uid === metadata.uid ? found : undefined;
  }

  remove(pod: ApiObject): void {
    if (this.present(pod)) this.#store.delete(podType, pod.metadata.namespace, pod.metadata.name);
  }
}
