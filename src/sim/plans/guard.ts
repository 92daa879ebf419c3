import {waitForReach} from './reach.js';
import {pause, type Running, write} from './running.js';
import {isUndone, undoPlan} from './undo.js';

/**
 * The guard task of an interrupted plan, as in helper/plan/guard.ps1: rolls back with growing pauses until the node is
 * reachable. It leaves a reachable node alone: the user decides.
 */
export async function guardNode(run: Running): Promise<void> {
  const {deadMan} = run.plan;
  if (!deadMan || run.journal.outcome === 'succeeded' || run.journal.outcome === 'rolledBack') return;
  const {withinSeconds} = deadMan;
  let seconds = withinSeconds / 10;
  for (let attempt = 1; ; attempt += 1) {
    const gap = await waitForReach(run, deadMan, {seconds: withinSeconds / 5, apiSeconds: 3 * withinSeconds});
    if (!gap) break;
    write(run, {event: 'guard.begin', attempt, message: gap.message});
    const end = await undoPlan(run, `The guard found the node cut off: ${gap.message}`);
    write(run, {event: 'plan.end', ...end});
    if (end.outcome === 'rolledBack') return;
    await pause(run, seconds * 1000 * run.pace.timeScale);
    seconds = Math.min(2 * seconds, 2 * withinSeconds);
  }
  write(run, {event: 'guard.end', message: 'The node is reachable.'});
  // The whole undo ran before, but the node became reachable only now.
  if (run.journal.outcome === 'rollbackFailed' && isUndone(run))
    write(run, {event: 'plan.end', outcome: 'rolledBack', message: 'The guard found the node reachable again.'});
}
