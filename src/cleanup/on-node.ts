import type {V1Node} from '@kubernetes/client-node';
import {nodeName, selectNodes} from '../cluster/nodes.js';
import type {Inspection} from '../doctor/inspect.js';
import {ExitCode, WinError} from '../errors.js';
import {plansOn, resumePlan, rollBackPlan} from '../helper/plans.js';
import {inParallel} from '../in-parallel.js';
import {type PlanOnNode, unfinishedStates} from '../repair/plan.js';
import {printDocument} from '../report/print.js';
import {table} from '../report/table.js';
import type {Streams} from '../streams.js';
import {plain} from '../untrusted.js';
import {demandSuccess, follow, WayToNode} from './apply.js';
import type {CleanupOptions} from './run.js';
import {chooseTeller} from './tell.js';

interface Done {
  readonly output: string;
  readonly exitCode: ExitCode;
}

const quiet = {lost: () => {}, found: () => {}};
/** Twice what a dead-man check may take. */
const longestCut = 3_600_000;

/** `--status`: the plans that are on the nodes, and how far each has come. */
export async function showPlans(inspection: Inspection, options: CleanupOptions): Promise<Done> {
  const nodes = await selected(inspection, options);
  const found = await inParallel(nodes, options.concurrency, node => plansOf(inspection, nodeName(node)));
  const exitCode = exitCodeOf(found);
  if (options.format === 'json' || options.format === 'yaml') {
    return {
      output: printDocument({apiVersion: 'kubectl-win/v1', kind: 'PlanStatusList', items: found}, options.format),
      exitCode,
    };
  }
  const rows = found.flatMap(({node, plans}) =>
    plans.map(({id, state, done, steps, createdAt, title}) => [node, id, state, `${done}/${steps}`, createdAt, title]),
  );
  const unread = found.flatMap(({node, error}) => (error === undefined ? [] : [`${node}: ${plain(error)}\n`])).join('');
  const shown = rows.length > 0 ? table(['NODE', 'PLAN', 'STATE', 'STEPS', 'CREATED', 'TITLE'], rows) : '';
  return {output: `${shown}${unread}` || 'No plan is on these nodes.\n', exitCode};
}

interface Found {
  readonly node: string;
  readonly plans: readonly PlanOnNode[];
  /** Why the node could not be asked: that must not hide what the others say. */
  readonly error?: string;
}

async function plansOf(inspection: Inspection, node: string): Promise<Found> {
  try {
    return {node, plans: await readPlans(inspection, node)};
  } catch (error) {
    inspection.signal.throwIfAborted();
    if (!(error instanceof WinError)) throw error;
    return {node, plans: [], error: [error.message, ...error.next].join(' ')};
  }
}

function exitCodeOf(found: readonly Found[]): ExitCode {
  if (found.some(({plans}) => plans.some(({state}) => unfinishedStates.has(state)))) return ExitCode.problems;
  return found.some(({error}) => error !== undefined) ? ExitCode.uninspected : ExitCode.ok;
}

/** `--resume` and `--rollback`: goes on with the one unfinished plan of each node, and follows it to its end. */
export async function goOn(
  inspection: Inspection,
  how: 'resume' | 'rollback',
  options: CleanupOptions,
  streams: Streams,
): Promise<Done> {
  const nodes = await selected(inspection, options);
  const lines: string[] = [];
  for (const node of nodes.map(nodeName)) {
    const unfinished = (await readPlans(inspection, node)).filter(
      ({state}) => unfinishedStates.has(state) || state === 'running',
    );
    const [plan] = unfinished.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
    if (!plan) {
      lines.push(`${node}: no unfinished plan\n`);
      continue;
    }
    await goOnWith(inspection, node, plan, {how, options, streams});
    lines.push(`${node}: plan ${plan.id} ${how === 'resume' ? 'resumed to its end' : 'rolled back'}\n`);
  }
  return {output: lines.join(''), exitCode: ExitCode.ok};
}

async function goOnWith(
  inspection: Inspection,
  node: string,
  plan: PlanOnNode,
  {how, options, streams}: {how: 'resume' | 'rollback'; options: CleanupOptions; streams: Streams},
): Promise<void> {
  const teller = await chooseTeller(node, {before: [], steps: [], after: []}, streams, {alone: true});
  const way = new WayToNode(inspection, node, teller);
  try {
    const session = await way.open();
    if (plan.state !== 'running')
      await (how === 'resume' ? resumePlan : rollBackPlan)(session, plan.id, inspection.signal);
    const what = {id: plan.id, from: plan.lastSeq + 1, patienceMs: longestCut + options.verifyTimeout};
    const ending = await follow(inspection, way, what, teller);
    // A rollback that was asked for and has ended is a success.
    if (how !== 'rollback' || ending.outcome !== 'rolledBack') demandSuccess(ending, node);
  } finally {
    await way.close();
    teller.end();
  }
}

async function readPlans(inspection: Inspection, node: string): Promise<PlanOnNode[]> {
  const way = new WayToNode(inspection, node, quiet);
  const session = await way.open();
  try {
    return await plansOn(session, inspection.signal);
  } finally {
    await session.close().catch(() => {});
  }
}

async function selected({client, signal}: Inspection, {names, selector}: CleanupOptions): Promise<V1Node[]> {
  return selectNodes(client, {names, selector}, {signal});
}
