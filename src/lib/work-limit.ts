/** Runs a limited number of tasks in parallel; the others wait in order of arrival. */
export class Limit {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Work that is aborted while it waits never starts. */
  async use<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#running >= this.#most) await this.#turn(signal);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Resolves when a finished task hands over its slot. */
  #turn(signal: AbortSignal | undefined): Promise<void> {
    const {promise, resolve, reject} = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.delete(resolve);
      reject(signal?.reason);
    };
    this.#waiting.add(resolve);
    signal?.addEventListener('abort', leave, {once: true});
    return promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  #next(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
