import type {Job} from '../../model/cleanup.js';
import {hardest, isWithin, type Level} from '../../model/level.js';
import {commonMends, type Mend, obstacles} from '../../model/mends.js';
import type {Result} from '../../model/result.js';
import {kubeProxyHandle} from './restart.js';

/** A problem that cleanup can mend on this node. */
export interface Mendable {
  readonly result: Result;
  readonly mend: Mend;
}

/** The problems that cleanup mends here, as the plugin or the common table has it. */
export function mendables(results: readonly Result[], job: Job): Mendable[] {
  return results.filter(isProblem).flatMap(result => {
    const mend = job.subject.plugin.plugin?.cleanup?.mend?.(result.id, job) ?? commonMends[result.id];
    return mend === undefined || mend === 'nothing' || !canRestart(job, mend) ? [] : [{result, mend}];
  });
}

/** A restart alone mends nothing where there is nothing to restart: some plugins have no agent, some nodes no kube-proxy. */
function canRestart({subject}: Job, {level, restarts}: Mend): boolean {
  if (level !== 'soft') return true;
  return restarts === 'agent' ? subject.plugin.profile.agent !== undefined : kubeProxyHandle(subject) !== undefined;
}

export function isProblem({outcome, severity}: Result): boolean {
  return outcome === 'fail' && severity !== 'info';
}

/** Problems with which an agent does not come up again once it is stopped. */
export function standingInTheWay(results: readonly Result[]): Result[] {
  return results.filter(result => isProblem(result) && obstacles.has(result.id));
}

/** Those that no other mendable problem explains: they tell what a repair takes, the others go with them. */
function roots(all: readonly Mendable[]): Mendable[] {
  const ids = new Set(all.map(({result}) => result.id));
  const own = all.filter(({result}) => !result.causedBy?.some(id => ids.has(id) && id !== result.id));
  // Two checks that name each other would leave none.
  return own.length > 0 ? own : [...all];
}

export function neededLevel(all: readonly Mendable[]): Level | undefined {
  return hardest(roots(all).map(({mend}) => mend.level));
}

/** What a plan of this level mends: its roots, and what they explain. */
export function mendedBy(all: readonly Mendable[], level: Level): Mendable[] {
  const mended = new Set(roots(all).filter(({mend}) => isWithin(mend.level, level)));
  const rest = all.filter(one => !mended.has(one) && !roots(all).includes(one));
  for (let grown = true; grown; ) {
    const ids = new Set([...mended].map(({result}) => result.id));
    const explained = rest.filter(one => !mended.has(one) && one.result.causedBy?.some(id => ids.has(id)));
    for (const one of explained) mended.add(one);
    grown = explained.length > 0;
  }
  return all.filter(one => mended.has(one));
}
