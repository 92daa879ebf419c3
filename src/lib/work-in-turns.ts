import {setImmediate as nextTurn} from 'node:timers/promises';

/**
 * Runs pieces of long work one at a time, and lets the event loop handle keys, sockets and the screen between two pieces.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => T): Promise<T> {
    const turn = this.#last.then(() => nextTurn()).then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/** Runs work in steps, and lets the event loop handle everything else between two steps. */
export async function inTurns<T>(steps: Generator<unknown, T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}
