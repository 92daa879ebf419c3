import type {Result} from '../model/result.js';

/** Limits the memory for results that occur only once. There are fewer distinct shared results than this. */
const most = 5000;

/** Healthy nodes of a fleet have a few different lists of results. */
const mostLists = 8;

/** Shares equal results as one object. In a fleet, nine out of ten results are a pass or a skip of the same check. */
export class SharedResults {
  readonly #known = new Map<string, Result>();
  readonly #lists: (readonly Result[])[] = [];

  /** The results of a node, as one list for all nodes with the same results. */
  all(results: readonly Result[]): readonly Result[] {
    const shared = results.map(result => this.of(result));
    const known = this.#lists.find(
      list => list.length === shared.length && list.every((result, index) => result === shared[index]),
    );
    if (known) return known;
    this.#lists.unshift(shared);
    this.#lists.splice(mostLists);
    return shared;
  }

  of(result: Result): Result {
    // The engine has frozen those that it shares itself.
    if (result.outcome === 'fail' || result.evidence.length > 0 || Object.isFrozen(result)) return result;
    const key = JSON.stringify(result);
    const known = this.#known.get(key);
    if (known === undefined && this.#known.size < most) this.#known.set(key, result);
    return known ?? result;
  }
}
