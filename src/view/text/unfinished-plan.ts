import {plain} from '../../lib/untrusted.js';
import type {JournalEntry, PlanOnNode} from '../../model/plan.js';
import {hasUndo} from '../../repair/steps/all.js';
import type {UnfinishedPlan} from '../../services/cleanup/ports.js';

/** What a person must know of a plan that somebody else may have begun: what it is, how it ended, and what is left of it. */
export function renderUnfinished({node, plan, journal, how}: UnfinishedPlan): string {
  const lines = [
    `${node}: ${plain(plan.title)}`,
    `  Plan ${plan.id}, made ${plain(plan.createdAt)}: ${endings[plan.state]}, ${plan.done} of ${plan.steps} steps done.`,
    ...whyItEnded(journal, plan).map(why => `  ${plain(why)}`),
    ...(how === 'resume' ? leftToDo(plan, journal) : leftToUndo(journal)).map(line => `  ${plain(line)}`),
  ];
  return lines.map(line => `${line}\n`).join('');
}

const endings: Record<PlanOnNode['state'], string> = {
  stored: 'never begun',
  running: 'being carried out now',
  interrupted: 'interrupted by a restart of the node, or because its task was ended',
  succeeded: 'succeeded',
  failed: 'failed',
  rolledBack: 'rolled back',
  rollbackFailed: 'could not be rolled back',
};

/** The failure that the last run told of; where the power went there is none, only what the node was at. */
function whyItEnded(journal: readonly JournalEntry[], {steps}: PlanOnNode): string[] {
  const at = (entry: {step: number; do: string}) => `step ${entry.step + 1} of ${steps} (${entry.do})`;
  const lastRun = journal.slice(journal.findLastIndex(({event}) => event === 'plan.begin'));
  const failure = lastRun.findLast(isFailure);
  if (failure?.event === 'step.failed') return [`It failed at ${at(failure)}: ${failure.error.message}`];
  if (failure?.event === 'undo.failed') return [`It could not undo ${at(failure)}: ${failure.error.message}`];
  if (failure?.event === 'deadMan.end') return [`Its dead-man check failed: ${failure.message}`];
  const last = lastRun.at(-1);
  if (last?.event === 'step.begin') return [`It was at ${at(last)}.`];
  return last?.event === 'undo.begin' ? [`It was undoing ${at(last)}.`] : [];
}

const isFailure = (entry: JournalEntry): boolean =>
  entry.event === 'step.failed' ||
  entry.event === 'undo.failed' ||
  (entry.event === 'deadMan.end' && entry.outcome === 'failed');

function leftToDo({steps, done}: PlanOnNode, journal: readonly JournalEntry[]): string[] {
  const next = nextStep(journal);
  const first = next === undefined ? '' : ` The first is step ${next.step + 1} (${next.do}).`;
  return [`Left to do: ${steps - done} of its ${steps} steps.${first}`];
}

/** The step that was begun and has not come to its end. */
function nextStep(journal: readonly JournalEntry[]) {
  const begun = journal.findLast(entry => entry.event === 'step.begin');
  if (!begun) return undefined;
  const isDone = journal.some(entry => entry.event === 'step.end' && entry.step === begun.step);
  return isDone ? undefined : begun;
}

/** What the plan has changed and not put back: the last first, as the node goes about it. */
function leftToUndo(journal: readonly JournalEntry[]): string[] {
  const begun = new Map(journal.flatMap(entry => (entry.event === 'step.begin' ? [[entry.step, entry.do]] : [])));
  for (const entry of journal) {
    const changedNothing = entry.event === 'step.end' && entry.outcome === 'already';
    if (changedNothing || entry.event === 'undo.end') begun.delete(entry.step);
  }
  const names = [...begun.values()].reverse();
  const cannot = names.filter(name => !hasUndo(name));
  return [
    `Left to undo, the last first: ${names.filter(hasUndo).join(', ') || 'nothing'}.`,
    ...(cannot.length > 0 ? [`There is no undo for: ${cannot.join(', ')}.`] : []),
  ];
}
