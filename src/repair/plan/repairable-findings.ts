import {commonChecks} from '../../checks/common.js';
import type {Check, NodeSubject} from '../../model/check.js';
import {hardest, isWithin, type Level} from '../../model/level.js';
import type {NodeRepair} from '../../model/plugin-cleanup.js';
import type {Repair} from '../../model/repair.js';
import type {Result} from '../../model/result.js';
import {kubeProxyHandle} from './restart.js';

/** A problem that cleanup can repair on this node. */
export interface Repairable {
  readonly result: Result;
  readonly repair: Repair;
}

/** The problems that cleanup repairs here, as declared by the plugin or by the check. */
export function repairables(results: readonly Result[], job: NodeRepair): Repairable[] {
  return results.filter(isProblem).flatMap(result => {
    const repair =
      job.subject.plugin.plugin?.cleanup?.repair?.(result.id, job) ?? checkOf(result.id, job.subject)?.repair;
    return repair === undefined || repair === 'nothing' || !canRestart(job, repair) ? [] : [{result, repair}];
  });
}

const commonById = new Map<string, Check>(commonChecks.map(check => [check.id, check]));

/** The check of a result: a common check or one of a plugin. */
export function checkOf(id: string, {plugin}: NodeSubject): Check | undefined {
  return commonById.get(id) ?? plugin.known.flatMap(({checks}) => checks).find(check => check.id === id);
}

/** A soft repair needs something to restart: some plugins have no agent, some nodes no kube-proxy. */
function canRestart({subject}: NodeRepair, {level, restarts}: Repair): boolean {
  if (level !== 'soft') return true;
  return restarts === 'agent' ? subject.plugin.profile.agent !== undefined : kubeProxyHandle(subject) !== undefined;
}

export function isProblem({outcome, severity}: Result): boolean {
  return outcome === 'fail' && severity !== 'info';
}

/** Problems that prevent an agent from starting again once it is stopped. */
export function blockingProblems(results: readonly Result[], subject: NodeSubject): Result[] {
  return results.filter(result => isProblem(result) && checkOf(result.id, subject)?.blocksRepair === true);
}

/** Problems that no other repairable problem explains: they determine the level of a repair. */
function roots(all: readonly Repairable[]): Repairable[] {
  // A problem with effect `uncertain` may remain, so its consequences count as roots of their own.
  const ids = new Set(all.filter(({repair}) => repair.effect !== 'uncertain').map(({result}) => result.id));
  const own = all.filter(({result}) => !result.causedBy?.some(id => ids.has(id) && id !== result.id));
  // Checks that name each other as causes would leave no root.
  return own.length > 0 ? own : [...all];
}

export function neededLevel(all: readonly Repairable[]): Level | undefined {
  return hardest(roots(all).map(({repair}) => repair.level));
}

/** What a plan of this level repairs: its roots and their consequences. */
export function repairedBy(all: readonly Repairable[], level: Level): Repairable[] {
  const repaired = new Set(roots(all).filter(({repair}) => isWithin(repair.level, level)));
  const rest = all.filter(one => !repaired.has(one) && !roots(all).includes(one));
  for (let grown = true; grown; ) {
    const ids = new Set([...repaired].map(({result}) => result.id));
    const explained = rest.filter(one => !repaired.has(one) && one.result.causedBy?.some(id => ids.has(id)));
    for (const one of explained) repaired.add(one);
    grown = explained.length > 0;
  }
  return all.filter(one => repaired.has(one));
}
