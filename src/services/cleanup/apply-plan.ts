import {HelperRefusal} from '../../helper/answer-reader.js';
import {
  AnswerInterrupted,
  type Following,
  followPlan,
  type PlanEnding,
  plansOn,
  startPlan,
} from '../../helper/plan-requests.js';
import {isTemporary} from '../../kube/api-errors.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {pause} from '../../lib/pause.js';
import type {Plan} from '../../model/plan.js';
import {nodePlan, type RepairPlan} from '../../model/repair-plan.js';
import type {ClientStep} from '../../model/step.js';
import {describe} from '../../repair/steps/all.js';
import type {Inspection} from '../../session/inspection.js';
import type {StepReporter} from './cleanup-ports.js';
import {NodeConnection} from './node-connection.js';
import {runClientStep} from './run-client-steps.js';

const pauseBeforeRetry = 1000;
const uncordonWithin = 10_000;

type Calling = Pick<Inspection, 'client' | 'signal'>;

/** The progress of a repair, from which the message follows if it ends early. */
export interface Track {
  stage: 'before' | 'node' | 'after';
  /** This run cordoned the node. */
  cordoned: boolean;
  /** This run requested the cordon, but did not get a response. */
  mayBeCordoned: boolean;
  /** An earlier run left the node cordoned; this one uncordons it if it succeeds. */
  leftCordoned: boolean;
}

/** The part of an inspection that applying a plan needs. */
export type PlanContext = Pick<Inspection, 'client' | 'run' | 'signal'>;

interface Applying {
  readonly verifyTimeout: number;
  readonly track: Track;
  /** Called after every change. */
  readonly onChange: (message: string) => Promise<void>;
  /** False if another run has taken over the node; the cordon then belongs to that run. */
  readonly isOurs: () => boolean;
}

/** Runs a plan: the client's steps before, the node's steps, the client's steps after. Throws unless all succeed. */
export async function applyPlan(
  inspection: PlanContext,
  plan: RepairPlan,
  reporter: StepReporter,
  applying: Applying,
): Promise<void> {
  const {verifyTimeout, track, onChange, isOurs} = applying;
  const step = async (one: ClientStep, {client, signal}: Calling = inspection) => {
    await clientStep({client, signal}, plan, one, reporter, verifyTimeout);
    await onChange(describe(one).changes);
  };
  try {
    for (const one of plan.before) {
      // An aborted request may still have reached the server.
      track.mayBeCordoned ||= one.do === 'node.cordon';
      await step(one);
      track.cordoned ||= one.do === 'node.cordon';
    }
    await onNode(inspection, plan, reporter, applying);
    track.stage = 'after';
  } catch (error) {
    // Even after a timeout or an interruption: nothing was changed yet that needs the cordon.
    if (track.stage === 'before' && track.cordoned && isOurs()) {
      const {client, signal} = inspection;
      const own = signal.aborted ? AbortSignal.timeout(uncordonWithin) : signal;
      const isDone = await step({do: 'node.uncordon', with: {node: plan.node}}, {client, signal: own}).then(
        () => true,
        () => false,
      );
      track.cordoned = !isDone;
      track.mayBeCordoned = !isDone;
    }
    throw error;
  }
  for (const one of plan.after) {
    await step(one);
    track.cordoned &&= one.do !== 'node.uncordon';
    track.mayBeCordoned &&= one.do !== 'node.uncordon';
    track.leftCordoned &&= one.do !== 'node.uncordon';
  }
}

async function onNode(
  inspection: PlanContext,
  plan: RepairPlan,
  reporter: StepReporter,
  {verifyTimeout, track, onChange}: Applying,
): Promise<void> {
  const steps = nodePlan(plan);
  if (!steps) return;
  const connection = new NodeConnection(inspection, plan.node, reporter);
  try {
    // The node's network may be down until the reachability check gives up, which waits longer if the API server does not
    // answer, and until the undo is complete.
    const patienceMs = 5000 * (plan.deadMan?.withinSeconds ?? 0) + verifyTimeout;
    await handOver(inspection, connection, steps, {patienceMs, track});
    const ending = await follow(inspection, connection, {id: plan.id, from: 1, patienceMs}, reporter);
    await onChange(changesOnNode(ending));
    // After a complete rollback the node can be uncordoned, unless its network was removed: the agent must recreate that
    // first.
    if (ending.outcome === 'rolledBack' && !ending.undone.includes('hns.removeNetwork')) track.stage = 'before';
    requireSuccess(ending, plan.node);
  } finally {
    await connection.close();
  }
}

/** Hands the plan to the node. If the connection breaks meanwhile, checks whether the node has received it. */
async function handOver(
  {signal}: PlanContext,
  connection: NodeConnection,
  plan: Plan,
  {patienceMs, track}: {readonly patienceMs: number; readonly track: Track},
): Promise<void> {
  const until = performance.now() + patienceMs;
  const hasIt = async () => (await plansOn(await connection.open(), signal)).some(({id}) => id === plan.id);
  for (let lost = false; ; lost = true) {
    try {
      const session = await connection.open(lost);
      if (track.stage !== 'node' || !(await hasIt())) await startPlan(session, plan, signal);
      track.stage = 'node';
      connection.found();
      return;
    } catch (error) {
      signal.throwIfAborted();
      // An earlier request may have arrived after that check.
      if (error instanceof HelperRefusal) {
        if (track.stage === 'node' && (await hasIt())) return;
        track.stage = 'before';
        throw error;
      }
      // From here on the node may be running the plan and must not be reported as untouched.
      if (error instanceof AnswerInterrupted) track.stage = 'node';
      else if (!isTemporary(error)) throw error;
      if (performance.now() > until) throw error;
      connection.lost();
      await pause(pauseBeforeRetry, signal);
    }
  }
}

/** The outcome of a plan on a node, with the steps that were done and undone. */
export interface Followed extends PlanEnding {
  readonly done: readonly string[];
  readonly undone: readonly string[];
}

/** The steps that a node ran, as text for the audit trail. */
export function changesOnNode({outcome, done, undone}: Followed): string {
  const parts = [done.length > 0 && `did ${done.join(', ')}`, undone.length > 0 && `undid ${undone.join(', ')}`];
  return `The node ${parts.filter(Boolean).join(' and ') || 'changed nothing'}; the plan ${outcomeWords[outcome]}.`;
}

const outcomeWords: Record<PlanEnding['outcome'], string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  rolledBack: 'was rolled back',
  rollbackFailed: 'could not be rolled back',
  interrupted: 'was interrupted',
  lost: 'may still be running',
};

/** Follows a plan that runs on a node to its end. */
export async function follow(
  {signal}: Pick<PlanContext, 'signal'>,
  connection: NodeConnection,
  what: Pick<Following, 'id' | 'from' | 'patienceMs'>,
  reporter: StepReporter,
): Promise<Followed> {
  const done: string[] = [];
  const undone: string[] = [];
  const ending = await followPlan({
    ...what,
    connect: lost => connection.open(lost),
    onEntry: entry => {
      connection.found();
      if (entry.event === 'step.end' && entry.outcome === 'done') done.push(entry.do);
      if (entry.event === 'undo.end' && entry.outcome === 'done') undone.push(entry.do);
      reporter.journal(entry);
    },
    onLost: () => connection.lost(),
    signal,
  });
  return {...ending, done, undone};
}

const became: Record<Exclude<PlanEnding['outcome'], 'succeeded'>, string> = {
  failed: 'The plan failed on the node',
  rolledBack: 'The plan failed on the node, which undid it and is reachable again',
  rollbackFailed: 'The plan failed on the node and could not be undone completely',
  interrupted: 'The node was restarted during the plan, or its task was stopped',
  lost: 'The node is unreachable; it may still be running the plan',
};

export function requireSuccess({outcome, message, undone}: Followed, node: string): void {
  if (outcome === 'succeeded') return;
  const why = message === undefined ? '.' : `: ${message.replace(/\.?$/, '.')}`;
  const back = undone.length > 0 ? ` Undone: ${undone.join(', ')}.` : '';
  const goOn = [
    `Resume it with: kubectl win cleanup ${node} --resume`,
    `Or undo it with: kubectl win cleanup ${node} --rollback`,
  ];
  throw new WinError(`${became[outcome]}${why}${back}`, {
    exit: ExitCode.problems,
    next: [
      ...(outcome === 'lost' ? [`Use the console of ${node}.`] : []),
      `Show the plan with: kubectl win cleanup ${node} --status`,
      ...(outcome === 'failed' || outcome === 'interrupted' ? goOn : []),
    ],
  });
}

async function clientStep(
  {client, signal}: Calling,
  plan: RepairPlan,
  step: ClientStep,
  reporter: StepReporter,
  waitMs: number,
): Promise<void> {
  reporter.client(step, 'begin');
  try {
    const onWait = (why: string) => reporter.waiting(step, why);
    await runClientStep(client, plan, step, {signal, waitMs, onWait});
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new WinError(`This client step failed: ${describe(step).changes} ${reason}`, {
      exit: ExitCode.problems,
      cause: error,
    });
  }
  reporter.client(step, 'end');
}
