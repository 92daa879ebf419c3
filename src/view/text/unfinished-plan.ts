import {textProperty} from '../../lib/json-properties.js';
import {plain} from '../../lib/untrusted.js';
import {type JournalEntry, type PlanOnNode, stepsOf} from '../../model/plan.js';
import type {PlanStep} from '../../model/step.js';
import {describe, hasUndo} from '../../repair/steps/all.js';
import type {UnfinishedPlan} from '../../services/cleanup/cleanup-ports.js';
import type {TextOptions} from '../view.js';
import {wrap} from './wrap.js';

/** An unfinished plan, which another user may have started: its title, why it stopped, and what is left to do. */
export function renderUnfinished(
  {node, plan, journal, how}: UnfinishedPlan,
  {width}: Pick<TextOptions, 'width'> = {},
): string {
  const lines = [
    `${node}: ${plain(plan.title)}`,
    `  Plan ${plan.id}, created ${plain(plan.createdAt)}: ${endings[plan.state]}, ${plan.done} of ${plan.steps} steps done.`,
    ...whyItEnded(journal, plan).map(why => `  ${plain(why)}`),
    ...(how === 'resume' ? leftToDo(plan, journal) : leftToUndo(plan, journal)).map(line => `  ${indented(line)}`),
  ];
  return lines.map(line => `${unfolded(line, width)}\n`).join('');
}

/** Wraps a line with a hanging indent. */
function unfolded(line: string, width: number | undefined): string {
  const indent = /^ */.exec(line)?.[0].length ?? 0;
  const number = /^ *(\d+\. )?/.exec(line)?.[0].length ?? indent;
  return wrap(line.slice(indent), {indent, hang: number, width}).join('\n');
}

/** Plain text that keeps its indent. */
const indented = (line: string): string => `${/^ */.exec(line)?.[0] ?? ''}${plain(line.trimStart())}`;

const endings: Record<PlanOnNode['state'], string> = {
  stored: 'never started',
  running: 'running now',
  interrupted: 'interrupted by a restart of the node, or its task was stopped',
  succeeded: 'succeeded',
  failed: 'failed',
  rolledBack: 'rolled back',
  rollbackFailed: 'could not be rolled back',
};

/** The failure of the last run; after a power loss there is none, only the step that was running. */
function whyItEnded(journal: readonly JournalEntry[], plan: PlanOnNode): string[] {
  const at = (entry: {step: number; do: string}) => {
    const words = wordsOf(stepsOf(plan)[entry.step], plan, entry.step, entry.do).replace(/\.$/, '');
    return `step ${entry.step + 1} of ${plan.steps} (${words})`;
  };
  const lastRun = journal.slice(journal.findLastIndex(({event}) => event === 'plan.begin'));
  const failure = lastRun.findLast(isFailure);
  if (failure?.event === 'step.failed') return [`It failed at ${at(failure)}: ${failure.error.message}`];
  if (failure?.event === 'undo.failed') return [`It could not undo ${at(failure)}: ${failure.error.message}`];
  if (failure?.event === 'deadMan.end') return [`Its reachability check failed: ${failure.message}`];
  const last = lastRun.at(-1);
  if (last?.event === 'step.begin') return [`It stopped during ${at(last)}.`];
  return last?.event === 'undo.begin' ? [`It stopped while undoing ${at(last)}.`] : [];
}

const isFailure = (entry: JournalEntry): boolean =>
  entry.event === 'step.failed' ||
  entry.event === 'undo.failed' ||
  (entry.event === 'deadMan.end' && entry.outcome === 'failed');

/** The unfinished steps, in order. Older helpers report only their number. */
function leftToDo(plan: PlanOnNode, journal: readonly JournalEntry[]): string[] {
  const ended = new Set(journal.flatMap(entry => (entry.event === 'step.end' ? [entry.step] : [])));
  const left = stepsOf(plan).flatMap((step, i) => (ended.has(i) ? [] : [`${i + 1}. ${wordsOf(step, plan, i)}`]));
  const count = `Left to do: ${plan.steps - plan.done} of its ${plan.steps} steps${left.length > 0 ? ':' : '.'}`;
  return [count, ...left.map(line => `  ${line}`)];
}

/** The changes that are not undone yet, last first, in the order in which the node undoes them. */
function leftToUndo(plan: PlanOnNode, journal: readonly JournalEntry[]): string[] {
  const begun = new Map(journal.flatMap(entry => (entry.event === 'step.begin' ? [[entry.step, entry.do]] : [])));
  for (const entry of journal) {
    const changedNothing = entry.event === 'step.end' && entry.outcome === 'already';
    if (changedNothing || entry.event === 'undo.end') begun.delete(entry.step);
  }
  const steps = stepsOf(plan);
  const changed = [...begun]
    .reverse()
    .map(([i, name]) => ({name, words: `${i + 1}. ${wordsOf(steps[i], plan, i, name)}`}));
  const undone = changed.filter(({name}) => hasUndo(name));
  const kept = changed.filter(({name}) => !hasUndo(name));
  return [
    undone.length > 0 ? 'Left to undo, last step first:' : 'Left to undo: nothing.',
    ...undone.map(({words}) => `  ${words}`),
    ...(kept.length > 0 ? ['No undo for:', ...kept.map(({words}) => `  ${words}`)] : []),
  ];
}

/** The description of a step, or its name if this client does not know it. */
function wordsOf(step: PlanStep | undefined, plan: PlanOnNode, i: number, name = ''): string {
  return step ? describe(step).changes : name || nameIn(plan.planned?.[i]);
}

const nameIn = (step: unknown): string => textProperty(step, 'do') ?? 'a step unknown to this version';
