import {unreachable} from '../../checks/reachable.js';
import type {NodeSubject} from '../../model/check.js';
import type {Level} from '../../model/level.js';
import type {RepairPlan} from '../../model/repair-plan.js';
import type {Result} from '../../model/result.js';
import {takesNetworkAway} from '../steps/all.js';
import {isProblem, type Repairable, repairables} from './findings.js';
import {jobOf} from './job.js';

/** A problem that `doctor --fix` may offer to repair. */
export interface Fix {
  readonly result: Result;
  readonly level: Exclude<Level, 'hard'>;
  /** Whether the agent may make the network anew: a blip, so it is asked for by name. */
  readonly blip: boolean;
}

/** The problems that a soft or medium plan repairs without cutting the node off. */
export function fixesFor(results: readonly Result[], subject: NodeSubject): Fix[] {
  return repairablesOf(results, subject).flatMap(({result, repair}) =>
    repair.level !== 'hard' && (repair.effect === 'none' || repair.effect === 'blip')
      ? [{result, level: repair.level, blip: repair.effect === 'blip'}]
      : [],
  );
}

/**
 * The results without the problems that `doctor --fix` leaves alone: those that take a cut, those that nobody asked about,
 * and what follows from either, which would come again.
 */
export function withoutOthers(results: readonly Result[], subject: NodeSubject, wanted: ReadonlySet<string>): Result[] {
  const left = repairablesOf(results, subject).filter(
    ({result, repair}) => repair.level === 'hard' || repair.effect === 'cut' || !wanted.has(result.id),
  );
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

/** Whether a plan takes the node's network away by itself, and does not only start what makes it anew. */
export function cutsOff({steps}: Pick<RepairPlan, 'steps'>): boolean {
  return steps.some(takesNetworkAway);
}

function repairablesOf(results: readonly Result[], subject: NodeSubject): Repairable[] {
  // Where the plugin could not be told, nobody knows what mends its network.
  if (subject.plugin.undetermined !== undefined) return [];
  // Nor does a repair help that cannot arrive.
  if (unreachable(subject) !== undefined) return [];
  return repairables(results, jobOf(subject, results, {level: 'soft', force: false, drain: false, mended: []}));
}
