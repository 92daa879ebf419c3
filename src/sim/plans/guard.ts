import {waitForReach} from './reach.js';
import {pause, type Running, write} from './running.js';
import {isUndone, undoPlan} from './undo.js';

/**
 * What the guard's task does on a node whose plan was cut short, as helper/plan/guard.ps1 has it: again and again, with
 * growing pauses, until the node is reachable. A node that is reachable is left for a person to decide.
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
  // All of the undo was made before, and the node took its time.
  if (run.journal.outcome === 'rollbackFailed' && isUndone(run))
    write(run, {event: 'plan.end', outcome: 'rolledBack', message: 'The guard found the node reachable again.'});
}
