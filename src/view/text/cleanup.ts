import {plain} from '../../lib/untrusted.js';
import type {Continuation} from '../../services/cleanup/cleanup-ports.js';
import type {CleanupResult, ContinuedPlan, NodeOutcome, PlannedRepair} from '../../services/cleanup/cleanup-result.js';
import type {HistoryOfNode} from '../../services/cleanup/history.js';
import type {PlansOfNode} from '../../services/cleanup/plans-on-nodes.js';
import type {TextOptions, View} from '../view.js';
import {renderPlan} from './plan.js';
import {table} from './table.js';
import {wrap} from './wrap.js';

export const cleanupView: View<CleanupResult> = {
  text: (result, options) => {
    switch (result.kind) {
      case 'nothing to do':
        return 'Nothing to do: no Windows node has a problem that cleanup can repair.\n';
      case 'planned':
        return plannedText(result.plans, result.outcomes, options);
      case 'run':
        return outcomesText(result.outcomes, options);
      case 'status':
        return statusText(result.nodes, options);
      case 'history':
        return historyText(result.nodes, options);
      case 'continued':
        return result.nodes.map(one => said(`${one.node}: ${continuedText(one, result.how)}`, options)).join('');
    }
  },
  document: result => {
    const apiVersion = 'kubectl-win/v1';
    switch (result.kind) {
      case 'planned': {
        const items = result.plans.map(({plan}) => plan);
        return items.length === 1 ? items[0] : {apiVersion, kind: 'List', items};
      }
      case 'status':
        return {apiVersion, kind: 'PlanStatusList', items: result.nodes};
      case 'history':
        return {apiVersion, kind: 'RepairHistoryList', items: result.nodes};
      case 'continued':
        return {apiVersion, kind: 'PlanContinuationList', action: result.how, items: result.nodes};
      case 'nothing to do':
        return {apiVersion, kind: 'CleanupReport', nodes: []};
      case 'run':
        return {apiVersion, kind: 'CleanupReport', nodes: result.outcomes.map(outcomeDocument)};
    }
  },
};

function plannedText(plans: readonly PlannedRepair[], outcomes: readonly NodeOutcome[], options: TextOptions): string {
  const pages = plans.flatMap(one => [renderPlan(one.plan, options), answersText(one)]);
  return [...pages, outcomes.length > 0 ? outcomesText(outcomes, options) : ''].filter(page => page !== '').join('\n');
}

function answersText({plan, answers}: PlannedRepair): string {
  if (answers === undefined) return '';
  if (answers === 'nothing to check') return 'The plan has no steps on the node to validate.\n';
  const first = plan.before.length + 1;
  return table(
    ['#', 'STEP', 'RESULT', 'REASON'],
    answers.map(({step, do: what, outcome, message}) => [String(first + step), what, outcome, plain(message)]),
  );
}

function outcomeDocument({node, state, message, plan, verification}: NodeOutcome) {
  return {
    node,
    state,
    message,
    ...(plan && {plan: {id: plan.id, level: plan.level, repairs: plan.repairs}}),
    ...(verification && {
      gone: verification.gone.map(({id}) => id),
      stayed: verification.stayed.map(({id}) => id),
      fresh: verification.fresh.map(({id}) => id),
      unclear: verification.unclear.map(({id}) => id),
    }),
  };
}

/** The findings before and after for the repaired nodes, then one line per node. */
function outcomesText(outcomes: readonly NodeOutcome[], options: TextOptions): string {
  const worked = outcomes.filter(({verification}) => verification !== undefined);
  const comparison = worked.flatMap(({node, verification}) => [
    ...(verification?.gone ?? []).map(({id}) => [node, id, 'failed', 'passed']),
    ...(verification?.stayed ?? []).map(({id}) => [node, id, 'failed', 'still failing']),
    ...(verification?.unclear ?? []).map(({id}) => [node, id, 'failed', 'undetermined']),
    ...(verification?.fresh ?? []).map(({id}) => [node, id, '-', 'new']),
  ]);
  // A check may have several findings on a node.
  const rows = [...new Map(comparison.map(row => [row.join(' '), row])).values()];
  const sides = rows.length > 0 ? `${table(['NODE', 'CHECK', 'BEFORE', 'AFTER'], rows, options.width)}\n` : '';
  const lines = outcomes.flatMap(({node, state, message}) => {
    const [first = '', ...next] = message.split('\n').map(plain);
    return [
      said(`${node}: ${stateWords[state]}${first === '' ? '' : `: ${first}`}`, options),
      ...next.map(line => said(line, options, 2)),
    ];
  });
  return `${sides}${lines.join('')}`;
}

/** A sentence, wrapped with a hanging indent. */
const said = (text: string, {width}: TextOptions, indent = 0): string =>
  `${wrap(text, {indent, hang: 2, width}).join('\n')}\n`;

const stateWords: Record<NodeOutcome['state'], string> = {
  repaired: 'repaired and verified',
  nothing: 'nothing to do',
  planned: 'planned, nothing changed',
  declined: 'declined, nothing changed',
  refused: 'refused',
  failed: 'failed',
  untouched: 'skipped',
  uninspected: 'could not be inspected',
};

function statusText(nodes: readonly PlansOfNode[], {width}: TextOptions): string {
  const rows = nodes.flatMap(({node, plans}) =>
    plans.map(({id, state, done, steps, createdAt, title}) => [node, id, state, `${done}/${steps}`, createdAt, title]),
  );
  const unread = nodes.flatMap(({node, error}) => (error === undefined ? [] : [`${node}: ${plain(error)}\n`])).join('');
  const shown = rows.length > 0 ? table(['NODE', 'PLAN', 'STATE', 'STEPS', 'CREATED', 'TITLE'], rows, width) : '';
  return `${shown}${unread}` || 'No plans on these nodes.\n';
}

function historyText(nodes: readonly HistoryOfNode[], {width}: TextOptions): string {
  const rows = nodes.flatMap(({node, entries}) =>
    entries.map(({at, from, user = '', plan = '', what}) => [node, at, from, user, plan.slice(0, 8), what].map(plain)),
  );
  const unread = nodes.flatMap(({node, error}) => (error === undefined ? [] : [`${node}: ${plain(error)}\n`])).join('');
  const shown = rows.length > 0 ? table(['NODE', 'TIME', 'SOURCE', 'USER', 'PLAN', 'CHANGE'], rows, width) : '';
  return `${shown}${unread}` || 'No changes by kubectl win are recorded for these nodes.\n';
}

function continuedText({node, state, plan}: ContinuedPlan, how: Continuation): string {
  if (state === 'no unfinished plan') return state;
  if (state === 'declined') return 'declined, nothing changed';
  if (how === 'rollback') return `plan ${plan} rolled back`;
  // The node runs only its own steps: the next cleanup restarts agent pods and uncordons the node.
  return `plan ${plan} resumed and completed. To verify and uncordon the node: kubectl win cleanup ${node}`;
}
