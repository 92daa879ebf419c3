import {type Action, firstState, reduce, type State} from './state.js';

const drawEveryMs = 50;

/** Holds the state. Keys are shown at once; what streams in from nodes is shown a few times a second. */
export class Store {
  #state: State;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(state: State = firstState) {
    this.#state = state;
  }

  readonly get = (): State => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly dispatch = (action: Action): void => {
    this.#state = reduce(this.#state, action);
    this.#tell();
  };

  /** For what comes by the thousand. */
  readonly stream = (action: Action): void => {
    this.#state = reduce(this.#state, action);
    this.#timer ??= setTimeout(() => this.#tell(), drawEveryMs);
  };

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const listener of this.#listeners) listener();
  }
}
