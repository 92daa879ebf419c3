import type {ApiObject} from '../api/object.js';

/** Timers per pod, cleared when the pod is deleted. They do not keep the process alive. */
export class PodTimers {
  readonly #timers = new Map<string, Set<NodeJS.Timeout>>();

  later(pod: ApiObject, milliseconds: number, action: () => void): void {
    const uid = pod.metadata.uid ?? '';
    const timers = this.#timers.get(uid) ?? new Set();
    this.#timers.set(uid, timers);
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, milliseconds);
    timer.unref();
    timers.add(timer);
  }

  has(pod: ApiObject): boolean {
    return (this.#timers.get(pod.metadata.uid ?? '')?.size ?? 0) > 0;
  }

  clear(pod: ApiObject): void {
    const uid = pod.metadata.uid ?? '';
    for (const timer of this.#timers.get(uid) ?? []) clearTimeout(timer);
    this.#timers.delete(uid);
  }

  close(): void {
    for (const timers of this.#timers.values()) for (const timer of timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
