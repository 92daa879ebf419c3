import {unreachable} from '../../checks/reachable.js';
import type {NodeSubject} from '../../model/check.js';
import type {Level} from '../../model/level.js';
import type {Repair} from '../../model/repair.js';
import type {Result} from '../../model/result.js';
import {nodeRepairOf} from './node-repair.js';
import {isProblem, type Repairable, repairables} from './repairable-findings.js';

/** A problem that `doctor --fix` may offer to repair. */
export interface Fix {
  readonly result: Result;
  readonly level: Exclude<Level, 'hard'>;
}

/** What such a repair may do to the node's network. */
export type Effect = Extract<Repair['effect'], 'none' | 'blip'>;

/** The problems that a soft or medium plan repairs without cutting the node off. */
export function fixesFor(results: readonly Result[], subject: NodeSubject, effects: readonly Effect[]): Fix[] {
  return repairablesOf(results, subject).flatMap(({result, repair}) =>
    repair.level !== 'hard' && effects.some(effect => effect === repair.effect) ? [{result, level: repair.level}] : [],
  );
}

/**
 * The results without the problems that `doctor --fix` leaves alone: those that take a cut, those that nobody asked about,
 * and what follows from either, which would come again.
 */
export function withoutOthers(
  results: readonly Result[],
  subject: NodeSubject,
  wanted: ReadonlySet<string>,
  effects: readonly Effect[],
): Result[] {
  const isLeft = ({level, effect}: Repair) =>
    level === 'hard' || (effect !== 'uncertain' && !effects.some(allowed => allowed === effect));
  const left = repairablesOf(results, subject).filter(({result, repair}) => isLeft(repair) || !wanted.has(result.id));
  const others = new Set(left.filter(({repair}) => repair.effect !== 'uncertain').map(({result}) => result.id));
  for (let size = -1; size !== others.size; ) {
    size = others.size;
    for (const {id, causedBy = []} of results.filter(isProblem))
      if (causedBy.some(cause => others.has(cause))) others.add(id);
  }
  // A matter for a person is left alone too, but what it explains may well be repaired without it.
  for (const {result} of left) others.add(result.id);
  return results.filter(result => !isProblem(result) || !others.has(result.id));
}

function repairablesOf(results: readonly Result[], subject: NodeSubject): Repairable[] {
  // Where the plugin could not be determined, nobody knows what repairs its network.
  if (subject.plugin.undetermined !== undefined) return [];
  // Nor does a repair help that cannot arrive.
  if (unreachable(subject) !== undefined) return [];
  return repairables(
    results,
    nodeRepairOf(subject, results, {level: 'soft', force: false, drain: false, repaired: []}),
  );
}
