/** Lets at most so many pieces of work run in parallel; the others wait for their turn, in the order in which they came. */
export class Limit {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Who gives up while waiting never begins. */
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

  /** Resolves when a place was handed over. */
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
