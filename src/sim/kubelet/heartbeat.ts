import {timestamp} from '../api/object.js';
import {nodeType} from '../api/resource-types.js';
import type {ObjectStore} from '../api/store.js';
import {isObject, listAt, textAt} from '../json.js';
import type {SimNode} from '../node/sim-node.js';

const silent = {status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.'};

const well: Record<string, {status: string; reason: string; message: string}> = {
  MemoryPressure: {
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  DiskPressure: {status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure'},
  PIDPressure: {status: 'False', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available'},
  Ready: {status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status'},
};

/** Sets node conditions when a kubelet reports, or has been silent for too long. */
export class Heartbeats {
  readonly #store: ObjectStore;
  readonly #silenceMs: number;
  readonly #missing = new Map<string, NodeJS.Timeout>();
  readonly #lost = new Set<string>();

  constructor(store: ObjectStore, silenceMs: number) {
    this.#store = store;
    this.#silenceMs = silenceMs;
  }

  close(): void {
    for (const timer of this.#missing.values()) clearTimeout(timer);
  }

  miss(node: SimNode): void {
    if (this.#missing.has(node.name) || this.#lost.has(node.name)) return;
    this.#missing.set(node.name, setTimeout(() => this.end(node), this.#silenceMs).unref());
  }

  end({name}: SimNode): void {
    this.#forget(name);
    if (!this.#lost.has(name)) reportKubelet(this.#store, name, false);
    this.#lost.add(name);
  }

  resume({name}: SimNode): void {
    this.#forget(name);
    if (this.#lost.delete(name)) reportKubelet(this.#store, name, true);
  }

  #forget(name: string): void {
    clearTimeout(this.#missing.get(name));
    this.#missing.delete(name);
  }
}

function reportKubelet(store: ObjectStore, name: string, up: boolean): void {
  const node = store.get(nodeType, undefined, name);
  const lastTransitionTime = timestamp();
  const conditions = listAt(node, 'status', 'conditions').map(condition => ({
    ...(isObject(condition) && condition),
    ...(up ? well[textAt(condition, 'type')] : silent),
    ...(up && {lastHeartbeatTime: lastTransitionTime}),
    lastTransitionTime,
  }));
  store.update(nodeType, {...node, status: {...(isObject(node.status) && node.status), conditions}});
}
