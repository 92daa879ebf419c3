import type {V1Node} from '@kubernetes/client-node';
import type {HelperSession} from '../../helper/helper-run.js';
import {plansOn} from '../../helper/plans.js';
import {nodeName, selectNodes} from '../../kube/nodes.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {inParallel} from '../../lib/in-parallel.js';
import {plain} from '../../lib/untrusted.js';
import {type PlanOnNode, unfinishedStates} from '../../model/plan.js';
import type {Inspection} from '../../session/inspection.js';
import {printDocument} from '../../view/text/print.js';
import {table} from '../../view/text/table.js';
import {WayToNode} from './apply.js';
import type {CleanupOptions} from './run.js';

export interface Done {
  readonly output: string;
  readonly exitCode: ExitCode;
  /** Whether anything was done to a node, with whatever outcome. */
  readonly worked?: boolean;
}

const quiet = {lost: () => {}, found: () => {}};

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

function readPlans(inspection: Inspection, node: string): Promise<PlanOnNode[]> {
  return withSession(inspection, node, session => plansOn(session, inspection.signal));
}

export async function withSession<Result>(
  inspection: Inspection,
  node: string,
  use: (session: HelperSession) => Promise<Result>,
): Promise<Result> {
  const way = new WayToNode(inspection, node, quiet);
  const session = await way.open();
  try {
    return await use(session);
  } finally {
    await session.close().catch(() => {});
  }
}

export async function selected({client, signal}: Inspection, {names, selector}: CleanupOptions): Promise<V1Node[]> {
  return selectNodes(client, {names, selector}, {signal});
}
