import type {ApiObject} from '../api/object.js';
import {podType} from '../api/resource-types.js';
import type {ObjectStore, StoreEvent} from '../api/store.js';
import {listAt, textAt} from '../json.js';
import {readable} from '../node/readable.js';
import type {SimNode} from '../node/sim-node.js';
import type {NodeState} from '../node/state.js';

/** What a scheduled helper read, and when. */
export interface KeptSnapshot {
  readonly state: NodeState;
  readonly takenAt: number;
}

/** Helpers that run with `-Keep`: each reads its node on its own schedule as long as its pod exists. */
export class KeptStates {
  readonly #nodes: ReadonlyMap<string, SimNode>;
  readonly #kept = new Map<string, KeptSnapshot>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #unsubscribe: () => void;

  constructor(store: ObjectStore, nodes: ReadonlyMap<string, SimNode>) {
    this.#nodes = nodes;
    this.#unsubscribe = store.subscribe(event => this.#notice(event));
  }

  of(pod: ApiObject): KeptSnapshot | undefined {
    return this.#kept.get(pod.metadata.uid ?? '');
  }

  close(): void {
    this.#unsubscribe();
    for (const timer of this.#timers.values()) clearInterval(timer);
  }

  #notice({type, resource, object}: StoreEvent): void {
    if (resource !== podType) return;
    const uid = object.metadata.uid ?? '';
    if (type === 'DELETED') {
      clearInterval(this.#timers.get(uid));
      this.#timers.delete(uid);
      this.#kept.delete(uid);
      return;
    }
    const seconds = intervalOf(object);
    const node = this.#nodes.get(textAt(object, 'spec', 'nodeName'));
    if (!seconds || !node || this.#timers.has(uid) || textAt(object, 'status', 'phase') !== 'Running') return;
    const read = () => this.#kept.set(uid, {state: structuredClone(readable(node)), takenAt: Date.now()});
    read();
    this.#timers.set(uid, setInterval(read, seconds * 1000).unref());
  }
}

/** The seconds after `-Keep` in the command of a pod. */
function intervalOf(pod: ApiObject): number | undefined {
  const [container] = listAt(pod, 'spec', 'containers');
  const command = listAt(container, 'command');
  const at = command.indexOf('-Keep');
  return at < 0 ? undefined : Number(command[at + 1]);
}
