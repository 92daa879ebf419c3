import {type Action, type DashboardState, initialState, reduce} from './dashboard-state.js';

const drawEveryMs = 50;

/** Holds the state. Keys take effect immediately; updates from nodes are applied a few times per second. */
export class DashboardStore {
  #state: DashboardState;
  readonly #listeners = new Set<() => void>();
  /** Pending updates by subject; only the latest of each is kept. */
  readonly #waiting = new Map<string, Action>();
  #timer: NodeJS.Timeout | undefined;

  constructor(state: DashboardState = initialState) {
    this.#state = state;
  }

  readonly get = (): DashboardState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly dispatch = (action: Action): void => {
    this.#takeIn();
    this.#state = reduce(this.#state, action);
    this.#tell();
  };

  /** For frequent updates. */
  readonly stream = (action: Action): void => {
    const about = aboutOf(action);
    this.#waiting.delete(about);
    this.#waiting.set(about, action);
    this.#timer ??= setTimeout(() => {
      this.#takeIn();
      this.#tell();
    }, drawEveryMs);
  };

  #takeIn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const action of this.#waiting.values()) this.#state = reduce(this.#state, action);
    this.#waiting.clear();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function aboutOf(action: Action): string {
  if (action.type === 'phase') return `phase ${action.name}`;
  return action.type === 'read' ? `read ${action.entry.name}` : action.type;
}
