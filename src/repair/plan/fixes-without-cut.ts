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

/** Permitted effects of such a repair on the node's network. */
export type Effect = Extract<Repair['effect'], 'none' | 'blip'>;

/** The problems that a soft or medium plan repairs without cutting the node off. */
export function fixesFor(results: readonly Result[], subject: NodeSubject, effects: readonly Effect[]): Fix[] {
  return repairablesOf(results, subject).flatMap(({result, repair}) =>
    repair.level !== 'hard' && effects.some(effect => effect === repair.effect) ? [{result, level: repair.level}] : [],
  );
}

/**
 * The results without the problems that `doctor --fix` does not repair: those that require a cut, those that were not
 * selected, and the consequences of either, which would recur.
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
  // Problems that need manual action are left out too, but their consequences may be repairable on their own.
  for (const {result} of left) others.add(result.id);
  return results.filter(result => !isProblem(result) || !others.has(result.id));
}

function repairablesOf(results: readonly Result[], subject: NodeSubject): Repairable[] {
  // If the plugin is undetermined, it is unknown what repairs its network.
  if (subject.plugin.undetermined !== undefined) return [];
  // A repair must be able to reach the node.
  if (unreachable(subject) !== undefined) return [];
  return repairables(
    results,
    nodeRepairOf(subject, results, {level: 'soft', force: false, drain: false, repaired: []}),
  );
}
