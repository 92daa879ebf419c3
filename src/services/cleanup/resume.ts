import {HelperRefusal} from '../../helper/answer.js';
import {journalOf, plansOn, resumePlan, rollBackPlan} from '../../helper/plans.js';
import type {HelperChannel} from '../../helper/request.js';
import {nodeName} from '../../kube/nodes.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import type {Streams} from '../../lib/streams.js';
import {type JournalEntry, type PlanOnNode, unfinishedStates} from '../../model/plan.js';
import type {Inspection} from '../../session/inspection.js';
import {demandSuccess, follow, WayToNode} from './apply.js';
import {saysYes} from './confirm.js';
import {type Done, selected, withSession} from './plans-on-nodes.js';
import {chooseTeller} from './report-steps.js';
import type {CleanupOptions} from './run.js';
import {describeUnfinished, type Going} from './unfinished.js';

/** Twice what a dead-man check may take. */
const longestCut = 3_600_000;

/** `--resume` and `--rollback`: shows the one unfinished plan of each node, asks, goes on with it, and follows it to its end. */
export async function goOn(
  inspection: Inspection,
  how: Going,
  options: CleanupOptions,
  streams: Streams,
): Promise<Done> {
  const nodes = await selected(inspection, options);
  const lines: string[] = [];
  let exitCode: ExitCode = ExitCode.ok;
  for (const node of nodes.map(nodeName)) {
    const found = await unfinishedOn(inspection, node);
    if (!found) {
      lines.push(`${node}: no unfinished plan\n`);
      continue;
    }
    const {plan, journal} = found;
    streams.err.write(describeUnfinished(node, plan, journal, how));
    if (await mayGoOn(node, plan, {how, options, streams}, inspection.signal)) {
      await goOnWith(inspection, node, plan, {how, options, streams});
      lines.push(
        `${node}: plan ${plan.id} ${how === 'resume' ? `resumed to its end. ${whatIsLeft(node)}` : 'rolled back'}\n`,
      );
    } else {
      lines.push(`${node}: left as it was\n`);
      exitCode = ExitCode.usage;
    }
  }
  return {output: lines.join(''), exitCode};
}

/** The node knows its own steps alone: agents that are pods, and the cordon, are for whoever plans anew. */
const whatIsLeft = (node: string) => `See what is left to do, and uncordon it, with: kubectl win cleanup ${node}`;

interface GoOn {
  readonly how: Going;
  readonly options: CleanupOptions;
  readonly streams: Streams;
}

/** The plan was seen by whoever made it, which may have been another person on another day. One that runs is only followed. */
async function mayGoOn(
  node: string,
  {state}: PlanOnNode,
  {how, options: {yes}, streams}: GoOn,
  signal: AbortSignal,
): Promise<boolean> {
  if (state === 'running') return true;
  const question = how === 'resume' ? `Go on with it on ${node}?` : `Undo it on ${node}?`;
  return saysYes(question, {yes, what: `--${how}`}, streams, signal);
}

async function unfinishedOn(
  inspection: Inspection,
  node: string,
): Promise<{plan: PlanOnNode; journal: JournalEntry[]} | undefined> {
  return withSession(inspection, node, async session => {
    const plans = await plansOn(session, inspection.signal);
    const unfinished = plans.filter(({state}) => unfinishedStates.has(state) || state === 'running');
    const [plan] = unfinished.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
    if (!plan) return undefined;
    return {plan, journal: plan.state === 'running' ? [] : await journalOf(session, plan, inspection.signal)};
  });
}

/** The node may say no: the plan was being undone, or is no longer for what is there. */
async function startAgain(session: HelperChannel, id: string, how: Going, signal: AbortSignal): Promise<void> {
  try {
    await (how === 'resume' ? resumePlan : rollBackPlan)(session, id, signal);
  } catch (error) {
    if (how !== 'resume' || !(error instanceof HelperRefusal) || error.kind !== 'Blocked') throw error;
    throw new WinError(error.message, {
      exit: ExitCode.problems,
      next: [`Undo it with: kubectl win cleanup ${session.node} --rollback`],
      cause: error,
    });
  }
}

async function goOnWith(
  inspection: Inspection,
  node: string,
  plan: PlanOnNode,
  {how, options, streams}: GoOn,
): Promise<void> {
  const teller = await chooseTeller(node, {before: [], steps: [], after: []}, streams, {alone: true});
  const way = new WayToNode(inspection, node, teller);
  try {
    const session = await way.open();
    if (plan.state !== 'running') await startAgain(session, plan.id, how, inspection.signal);
    const what = {id: plan.id, from: plan.lastSeq + 1, patienceMs: longestCut + options.verifyTimeout};
    const ending = await follow(inspection, way, what, teller);
    // A rollback that was asked for and has ended is a success.
    if (how !== 'rollback' || ending.outcome !== 'rolledBack') demandSuccess(ending, node);
  } finally {
    await way.close();
    teller.end();
  }
}
