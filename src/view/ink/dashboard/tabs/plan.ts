import {plain} from '../../../../lib/untrusted.js';
import type {NodeSubject} from '../../../../model/check.js';
import type {CheckedNode} from '../../../../model/result.js';
import type {ClientStep, PlanStep} from '../../../../model/step.js';
import {planFor} from '../../../../repair/plan/plan-for-node.js';
import {describe} from '../../../../repair/steps/all.js';
import type {StoredEntry, StoredPlan} from '../../../../snapshot/stored-plans.js';
import {warningsOf} from '../../../text/plan.js';
import {type ScreenLine, type Tone, wrapped} from '../content.js';

/** The plan that `f` would propose. Its id is a placeholder: the review creates its own plan. */
export function planTab({subject, results, ofCluster}: CheckedNode, width: number): ScreenLine[] {
  const id = '00000000-0000-4000-8000-000000000000';
  const outcome = planFor(subject, results, {level: 'auto', ofCluster, id, now: new Date(subject.now)});
  if (outcome.kind === 'nothing') return wrapped('good', `✓ Nothing to do: ${plain(outcome.why)}`, width);
  if (outcome.kind === 'refused')
    return outcome.reasons.flatMap(({reason, next = ''}) =>
      wrapped('warning', `! ${plain(`${reason} ${next}`)}`, width),
    );
  const {before, steps, after, title} = outcome.plan;
  const all = [...before, ...steps, ...after];
  return [
    ...wrapped('bold', plain(title), width),
    [['dim', 'Press f to review and run it.']],
    [],
    ...all.flatMap((step, i) => stepLines(step, `${i + 1}`.padStart(String(all.length).length), width)),
    [],
    ...warningsOf(outcome.plan).flatMap(text => wrapped('warning', `! ${plain(text)}`, width)),
  ];
}

function stepLines(step: PlanStep | ClientStep, number: string, width: number): ScreenLine[] {
  const {changes, undo = 'none'} = describe(step);
  const indent = number.length + 2;
  const told = `${number}  ${step.cuts ? 'CUTS ' : ''}${plain(changes)}`;
  return [
    ...wrapped(step.cuts ? 'error' : 'plain', told, width, 0, indent),
    ...wrapped('dim', `undo: ${plain(undo)}`, width, indent),
  ];
}

/** The plans stored on the node, with their journals. */
export function journals({node}: NodeSubject, width: number): ScreenLine[] {
  return (node.plans ?? []).flatMap(stored => [[], ...journal(stored, width)]);
}

function journal(
  {id = '', title, state = 'unknown', done, steps, journal: entries}: StoredPlan,
  width: number,
): ScreenLine[] {
  const reached = steps === undefined ? '' : `, ${done ?? '?'} of ${steps} steps`;
  return [
    ...wrapped('bold', `Journal: ${plain(title ?? id)}`, width),
    ...wrapped('dim', plain(`Plan ${id}, ${state}${reached}`), width),
    ...entries.flatMap(entry => entryLine(entry, width)),
  ];
}

/** A step is shown when it ends. */
function entryLine({at = '', event, does, outcome, message}: StoredEntry, width: number): ScreenLine[] {
  if (event.endsWith('.begin') && event !== 'plan.begin') return [];
  const failed = event.endsWith('.failed') || outcome === 'failed';
  const [tone, sign]: [Tone, string] = failed ? ['error', '✗'] : ['plain', event.startsWith('undo') ? '↶' : '✓'];
  const told = [does ?? event, outcome, message].filter(text => text !== undefined).join(', ');
  return wrapped(tone, plain(`${sign} ${at.slice(11, 19)} ${told}`), width);
}
