import {ExitCode} from '../../lib/errors.js';
import {plain} from '../../lib/untrusted.js';
import type {RepairPlan} from '../../model/repair-plan.js';
import type {Verification} from '../../repair/plan/verify.js';
import {printDocument} from '../../view/text/print.js';
import {table} from '../../view/text/table.js';

export const states = [
  'mended',
  'nothing',
  'planned',
  'declined',
  'refused',
  'failed',
  'untouched',
  'uninspected',
] as const;

/** What became of one node. */
export interface NodeOutcome {
  readonly node: string;
  readonly state: (typeof states)[number];
  readonly message: string;
  readonly plan?: RepairPlan;
  readonly verification?: Verification;
}

/** The run as a document, as `-o json|yaml` prints it. */
export function printOutcomes(outcomes: readonly NodeOutcome[], format: 'json' | 'yaml'): string {
  const nodes = outcomes.map(({node, state, message, plan, verification}) => ({
    node,
    state,
    message,
    ...(plan && {plan: {id: plan.id, level: plan.level, mends: plan.mends}}),
    ...(verification && {
      gone: verification.gone.map(({id}) => id),
      stayed: verification.stayed.map(({id}) => id),
      fresh: verification.fresh.map(({id}) => id),
      unclear: verification.unclear.map(({id}) => id),
    }),
  }));
  return printDocument({apiVersion: 'kubectl-win/v1', kind: 'CleanupReport', nodes}, format);
}

/** Before and after side by side for the nodes that were worked on, then a line for every node. */
export function renderOutcomes(outcomes: readonly NodeOutcome[]): string {
  const worked = outcomes.filter(({verification}) => verification !== undefined);
  const comparison = worked.flatMap(({node, verification}) => [
    ...(verification?.gone ?? []).map(({id}) => [node, id, 'failed', 'gone']),
    ...(verification?.stayed ?? []).map(({id}) => [node, id, 'failed', 'still there']),
    ...(verification?.unclear ?? []).map(({id}) => [node, id, 'failed', 'cannot be told']),
    ...(verification?.fresh ?? []).map(({id}) => [node, id, '-', 'new']),
  ]);
  const sides = comparison.length > 0 ? `${table(['NODE', 'CHECK', 'BEFORE', 'AFTER'], comparison)}\n` : '';
  const lines = outcomes.map(
    ({node, state, message}) => `${node}: ${words[state]}${message === '' ? '' : `: ${plain(message)}`}\n`,
  );
  return `${sides}${lines.join('')}`;
}

const words: Record<NodeOutcome['state'], string> = {
  mended: 'mended and verified',
  nothing: 'nothing to do',
  planned: 'planned, nothing changed',
  declined: 'left as it was',
  refused: 'refused',
  failed: 'failed',
  untouched: 'not touched',
  uninspected: 'could not be inspected',
};

export function exitCodeOf(outcomes: readonly NodeOutcome[]): ExitCode {
  const has = (...wanted: NodeOutcome['state'][]) => outcomes.some(({state}) => wanted.includes(state));
  if (has('failed')) return ExitCode.problems;
  if (has('uninspected')) return ExitCode.uninspected;
  if (has('refused', 'declined')) return ExitCode.usage;
  return ExitCode.ok;
}
