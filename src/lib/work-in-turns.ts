import {setImmediate as nextTurn} from 'node:timers/promises';

/**
 * Does long work piece by piece, one piece after the other: keys, sockets and the screen have their turn between two pieces,
 * however many were handed in at once.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => T): Promise<T> {
    const turn = this.#last.then(() => nextTurn()).then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
