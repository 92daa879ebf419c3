import type {DeadMan, JournalEntry} from '../../model/plan.js';
import {at, isObject} from '../json.js';
import {dropOvs, isOvsNetwork, removeLeftovers} from './leftovers.js';
import {type Gap, waitForReach} from './reach.js';
import {failureOf, pause, type Running, write} from './running.js';
import {restoreNode} from './saved-network.js';
import type {Host} from './step.js';
import {hasUndo, undoStep} from './steps/kinds.js';

export type End = Pick<Extract<JournalEntry, {event: 'plan.end'}>, 'outcome' | 'message'>;

/**
 * Undoes, in reverse order, every step that acted or may have acted. A failed undo does not stop the others. The plan
 * counts as rolled back only once the node is reachable.
 */
export async function undoPlan(run: Running, reason: string): Promise<End> {
  run.target.onUndo();
  let failed = 0;
  for (const index of [...run.plan.steps.keys()].reverse()) {
    if (isDue(run, index) && !(await undoOne(run, index))) failed += 1;
  }
  const {deadMan} = run.plan;
  const gap = deadMan && run.folder.network ? await restoreNetwork(run, deadMan) : undefined;
  if (gap) return {outcome: 'rollbackFailed', message: `${reason} The node is not reachable: ${gap.message}`};
  if (failed > 0) return {outcome: 'rollbackFailed', message: `${reason} ${failed} undo steps failed.`};
  return {outcome: 'rolledBack', message: reason};
}

export const isUndone = (run: Running): boolean => run.plan.steps.every((_, index) => !isDue(run, index));

function isDue({journal}: Running, index: number): boolean {
  if (!journal.find('step.begin', index) || journal.find('step.end', index)?.outcome === 'already') return false;
  return journal.find('undo.end', index) === undefined;
}

async function undoOne(run: Running, index: number): Promise<boolean> {
  const step = run.plan.steps[index];
  if (!step) return true;
  const about = {step: index, do: step.do};
  write(run, {event: 'undo.begin', ...about});
  if (!hasUndo(step)) {
    write(run, {event: 'undo.end', ...about, outcome: 'none'});
    return true;
  }
  try {
    await pause(run, run.pace.stepMs / 2);
    const saved = run.journal.find('step.begin', index)?.saved;
    run.target.change(run.folder, host => undoStep(host, step, saved));
    write(run, {event: 'undo.end', ...about, outcome: 'done'});
    return true;
  } catch (error) {
    write(run, {event: 'undo.failed', ...about, error: failureOf(run, error)});
    return false;
  }
}

/** Restores the saved addresses. If the node is still unreachable, tries again with a plain NIC. */
async function restoreNetwork(run: Running, deadMan: DeadMan): Promise<Gap | undefined> {
  const seconds = deadMan.withinSeconds / 2;
  let gap: Gap | undefined;
  for (const plain of [false, true]) {
    const messages = partsOf(run, deadMan, plain).flatMap(part => {
      let message: string | undefined;
      try {
        run.target.change(run.folder, host => {
          message = part(host);
        });
      } catch (error) {
        message = failureOf(run, error).message;
      }
      return message ?? [];
    });
    write(run, {event: 'network.restored', message: messages.join(' ')});
    gap = await waitForReach(run, deadMan, {seconds, apiSeconds: seconds});
    if (!gap || gap.missing === 'apiServer') break;
  }
  return gap;
}

/** Independent parts, as in helper/plan/undo.ps1: addresses are restored even if Hyper-V or HNS does not answer. */
function partsOf({plan, journal, folder}: Running, {address}: DeadMan, plain: boolean) {
  const networks = plan.steps.flatMap((step, index) => {
    if (step.do !== 'hns.removeNetwork') return [];
    const network = at(journal.find('step.begin', index)?.saved, 'network');
    return {name: step.with.name, wasOvs: isObject(network) && isOvsNetwork(network)};
  });
  const bridgeGone = plan.steps.some(
    (step, index) => step.do === 'ovs.deleteBridge' && journal.find('step.begin', index),
  );
  const removed = networks.filter(({wasOvs}) => plain || wasOvs).map(({name}) => name);
  const parts: ((host: Host) => string | undefined)[] = [];
  if (plain || bridgeGone) parts.push(dropOvs);
  if (removed.length > 0) parts.push(host => removeLeftovers(host, removed, plain));
  const {network} = folder;
  if (network) parts.push(host => restoreNode(host, network, address));
  return parts;
}
