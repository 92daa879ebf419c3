import type {Result} from '../model/result.js';

/** More kinds of results than checks can have: what says something of one node is not looked for again. */
const most = 5000;

/** Equal results as one object. Nine of ten results of a fleet say that the same check has passed, or does not apply. */
export class SharedResults {
  readonly #known = new Map<string, Result>();

  of(result: Result): Result {
    if (result.outcome === 'fail' || result.evidence.length > 0) return result;
    const key = JSON.stringify(result);
    const known = this.#known.get(key);
    if (known === undefined && this.#known.size < most) this.#known.set(key, result);
    return known ?? result;
  }
}
