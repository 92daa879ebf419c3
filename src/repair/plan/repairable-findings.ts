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

/** The problems that cleanup repairs here, as the plugin or the check itself has it. */
export function repairables(results: readonly Result[], job: NodeRepair): Repairable[] {
  return results.filter(isProblem).flatMap(result => {
    const repair =
      job.subject.plugin.plugin?.cleanup?.repair?.(result.id, job) ?? checkOf(result.id, job.subject)?.repair;
    return repair === undefined || repair === 'nothing' || !canRestart(job, repair) ? [] : [{result, repair}];
  });
}

const commonById = new Map<string, Check>(commonChecks.map(check => [check.id, check]));

/** The check behind a result: one of those for all plugins, or of a plugin. */
export function checkOf(id: string, {plugin}: NodeSubject): Check | undefined {
  return commonById.get(id) ?? plugin.known.flatMap(({checks}) => checks).find(check => check.id === id);
}

/** A restart alone repairs nothing where there is nothing to restart: some plugins have no agent, some nodes no kube-proxy. */
function canRestart({subject}: NodeRepair, {level, restarts}: Repair): boolean {
  if (level !== 'soft') return true;
  return restarts === 'agent' ? subject.plugin.profile.agent !== undefined : kubeProxyHandle(subject) !== undefined;
}

export function isProblem({outcome, severity}: Result): boolean {
  return outcome === 'fail' && severity !== 'info';
}

/** Problems with which an agent does not come up again once it is stopped. */
export function standingInTheWay(results: readonly Result[], subject: NodeSubject): Result[] {
  return results.filter(result => isProblem(result) && checkOf(result.id, subject)?.blocksRepair === true);
}

/** Those that no other repairable problem explains: they tell what a repair takes, the others go with them. */
function roots(all: readonly Repairable[]): Repairable[] {
  // What is a person's business may stay as it is: it takes nothing off what its consequences need.
  const ids = new Set(all.filter(({repair}) => repair.effect !== 'uncertain').map(({result}) => result.id));
  const own = all.filter(({result}) => !result.causedBy?.some(id => ids.has(id) && id !== result.id));
  // Two checks that name each other would leave none.
  return own.length > 0 ? own : [...all];
}

export function neededLevel(all: readonly Repairable[]): Level | undefined {
  return hardest(roots(all).map(({repair}) => repair.level));
}

/** What a plan of this level repairs: its roots, and what they explain. */
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
