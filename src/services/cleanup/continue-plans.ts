import {HelperRefusal} from '../../helper/answer-reader.js';
import {continuePlan, journalOf, plansOn} from '../../helper/plan-requests.js';
import type {HelperChannel} from '../../helper/request.js';
import {nameOfNode, selectNodes} from '../../kube/select-nodes.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {type JournalEntry, type PlanOnNode, stepsOf, unfinishedStates} from '../../model/plan.js';
import {requireAccess} from '../../session/access.js';
import type {Inspection, InspectOptions} from '../../session/inspection.js';
import type {Progress} from '../../session/progress.js';
import {changesOnNode, follow, requireSuccess} from './apply-plan.js';
import {type Author, authorOf, recordChange} from './audit.js';
import type {CleanupPorts, Continuation} from './cleanup-ports.js';
import type {ContinuedPlan} from './cleanup-result.js';
import {repairNeeds} from './client-step-needs.js';
import {NodeConnection, withHelperOn} from './node-connection.js';
import {lockNode} from './node-lock.js';

/** Twice the longest reachability check. */
const longestCut = 3_600_000;

interface ContinueOptions extends InspectOptions {
  readonly yes: boolean;
  readonly verifyTimeout: number;
}

/** `--resume` and `--rollback`: shows the unfinished plan of each node, asks, continues it, and follows it to the end. */
export async function continuePlans(
  inspection: Inspection,
  how: Continuation,
  options: ContinueOptions,
  ports: CleanupPorts,
  progress: Progress,
): Promise<ContinuedPlan[]> {
  const nodes = await selectNodes(inspection.client, options, {signal: inspection.signal});
  const author = await authorOf(inspection.client, {signal: inspection.signal});
  const continued: ContinuedPlan[] = [];
  for (const node of nodes.map(nameOfNode)) {
    const unfinished = await unfinishedOn(inspection, node);
    if (!unfinished) {
      continued.push({node, state: 'no unfinished plan'});
      continue;
    }
    const {plan} = unfinished;
    // End the progress display: it would interfere with the step display, and with a question.
    progress.end();
    ports.showUnfinished({node, how, ...unfinished});
    if (plan.state !== 'running') await requireAccess(inspection.client, repairNeeds(), {signal: inspection.signal});
    const agreed = await mayContinue(node, plan, how, options, ports, inspection.signal);
    if (agreed) await continueOn(inspection, node, plan, how, {...options, author}, ports);
    continued.push({node, state: agreed ? 'done' : 'declined', plan: plan.id});
  }
  return continued;
}

/** The plan may have been approved by another user, so ask again. A running plan is only followed. */
async function mayContinue(
  node: string,
  {state}: PlanOnNode,
  how: Continuation,
  {yes}: ContinueOptions,
  {askYes}: CleanupPorts,
  signal: AbortSignal,
): Promise<boolean> {
  if (state === 'running') return true;
  const text = how === 'resume' ? `Resume it on ${node}?` : `Undo it on ${node}?`;
  return askYes({text, yes, what: `--${how}`}, signal);
}

async function unfinishedOn(
  inspection: Inspection,
  node: string,
): Promise<{plan: PlanOnNode; journal: JournalEntry[]} | undefined> {
  return withHelperOn(inspection, node, async session => {
    const plans = await plansOn(session, inspection.signal);
    const unfinished = plans.filter(({state}) => unfinishedStates.has(state) || state === 'running');
    const [plan] = unfinished.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
    if (!plan) return undefined;
    return {plan, journal: plan.state === 'running' ? [] : await journalOf(session, plan, inspection.signal)};
  });
}

/** The node refuses to resume a plan that was being undone, or that no longer matches the node. */
async function startAgain(
  session: HelperChannel,
  id: string,
  how: Continuation,
  {by: user, context}: Author,
  signal: AbortSignal,
): Promise<void> {
  try {
    await continuePlan(session, {id, how, requester: {user, context}}, signal);
  } catch (error) {
    if (how !== 'resume' || !(error instanceof HelperRefusal) || error.kind !== 'Blocked') throw error;
    throw new WinError(error.message, {
      exit: ExitCode.problems,
      next: [`Undo it with: kubectl win cleanup ${session.node} --rollback`],
      cause: error,
    });
  }
}

async function continueOn(
  inspection: Inspection,
  node: string,
  plan: PlanOnNode,
  how: Continuation,
  {verifyTimeout, author}: ContinueOptions & {readonly author: Author},
  ports: CleanupPorts,
): Promise<void> {
  const known = stepsOf(plan).filter(step => step !== undefined);
  const steps = known.length === plan.steps ? known : [];
  const reporter = await ports.openStepReporter(node, {before: [], steps, after: []}, {alone: true});
  const {client, run} = inspection;
  const isRunning = plan.state === 'running';
  const onWait = (why: string) => reporter.note(why);
  const holder = {plan: plan.id, by: author.by};
  try {
    // A running plan is only followed, which needs no lock.
    const lock = isRunning ? undefined : await lockNode(client, node, holder, {signal: inspection.signal, onWait});
    const signal = lock ? AbortSignal.any([inspection.signal, lock.lost]) : inspection.signal;
    const connection = new NodeConnection({client, run, signal}, node, reporter);
    const note = (reason: string, message: string) =>
      recordChange(client, {node, plan: plan.id, author}, {reason, message}, {signal});
    try {
      const session = await connection.open();
      if (!isRunning) {
        await note('NetworkRepairStarted', `A plan is ${how === 'resume' ? 'resumed' : 'rolled back'}.`);
        await startAgain(session, plan.id, how, author, signal);
      }
      const what = {id: plan.id, from: plan.lastSeq + 1, patienceMs: longestCut + verifyTimeout};
      const ending = await follow({signal}, connection, what, reporter);
      if (!isRunning) await note('NetworkRepairStep', changesOnNode(ending)).catch(() => signal.throwIfAborted());
      // A requested rollback that completed is a success.
      if (how !== 'rollback' || ending.outcome !== 'rolledBack') requireSuccess(ending, node);
    } finally {
      await connection.close();
      await lock?.release();
    }
  } finally {
    reporter.end();
  }
}
