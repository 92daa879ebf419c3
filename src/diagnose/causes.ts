import type {Check} from '../model/check.js';
import type {Result} from '../model/result.js';
import type {Links} from '../model/verdict.js';

/** A result with its links to other findings. */
export interface Linked {
  readonly result: Result;
  readonly links: Links;
}

/**
 * Names the failed checks that explain each failure, so that a report can show the root cause first. Links based on
 * evidence from this node take precedence. The static lists of the checks (`consequenceOf`) are added as far as they do
 * not contradict them: no finding explains itself. `elsewhere` are findings of the cluster, which may explain failures
 * on nodes.
 */
export function withCauses(
  all: readonly Linked[],
  checks: ReadonlyMap<string, Check>,
  elsewhere: readonly Result[] = [],
): Result[] {
  const failed = [...all, ...elsewhere.map(result => ({result, links: noLinks}))]
    .filter(({result}) => result.outcome === 'fail')
    .sort((one, other) => compare(key(one.result), key(other.result)));
  const graph = new Causes();
  const ids = new Set(failed.map(({result}) => result.id));
  const named = (names: readonly string[]) => failed.filter(({result}) => names.includes(result.id));

  for (const {result, links} of failed) {
    for (const cause of named([...links.echoes, ...links.follows])) graph.add(result, cause.result);
  }
  for (const {result, links} of failed) {
    if (links.echoes.some(id => ids.has(id))) continue;
    for (const effect of named(links.explains)) graph.add(effect.result, result);
  }
  for (const {result} of failed) {
    for (const id of checks.get(result.id)?.consequenceOf ?? [])
      for (const cause of named([id])) graph.add(result, cause.result);
  }
  return all.map(({result}) => graph.withLinks(result));
}

/** A finding of the cluster is at least as severe as what it causes on a node. */
export function asSevereAsEffects(causes: readonly Result[], effects: readonly Result[]): Result[] {
  const harm = new Set(effects.filter(isError).flatMap(({causedBy = []}) => causedBy));
  return causes.map(cause => (isWarning(cause) && harm.has(cause.id) ? {...cause, severity: 'error'} : cause));
}

const isError = ({outcome, severity}: Result) => outcome === 'fail' && severity === 'error';
const isWarning = ({outcome, severity}: Result) => outcome === 'fail' && severity === 'warning';

export const noLinks: Links = {explains: [], follows: [], echoes: []};

/** The graph of causes. It has no cycles: a cause that would follow from its own effect is left out. */
class Causes {
  readonly #causes = new Map<Result, Result[]>();

  add(effect: Result, cause: Result): void {
    const known = this.#causes.get(effect) ?? [];
    if (effect.id === cause.id || known.includes(cause) || this.#follows(cause, effect)) return;
    this.#causes.set(effect, [...known, cause]);
  }

  #follows(result: Result, from: Result): boolean {
    return (this.#causes.get(result) ?? []).some(cause => cause === from || this.#follows(cause, from));
  }

  /** Whether a warning leads to an error, over any number of steps; it is then reported as an error. */
  #harms(result: Result): boolean {
    if (!isWarning(result)) return false;
    const effects = [...this.#causes].filter(([, causes]) => causes.includes(result)).map(([effect]) => effect);
    return effects.some(effect => isError(effect) || this.#harms(effect));
  }

  withLinks(result: Result): Result {
    if (result.outcome !== 'fail') return result;
    const causedBy = [...new Set((this.#causes.get(result) ?? []).map(({id}) => id))];
    const explains = [...this.#causes]
      .filter(([, causes]) => causes.includes(result))
      .map(([effect]) => effect.id)
      .sort(compare);
    return {
      ...result,
      ...(this.#harms(result) && {severity: 'error' as const}),
      ...(causedBy.length > 0 && {causedBy}),
      ...(explains.length > 0 && {explains: [...new Set(explains)]}),
    };
  }
}

function key({id, message}: Result): string {
  return `${id} ${message}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
