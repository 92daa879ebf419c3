import type {V1Node} from '@kubernetes/client-node';
import type {HelperSession} from '../../helper/helper-run.js';
import {type Following, followPlan, type PlanEnding, startPlan} from '../../helper/plans.js';
import {apiPath} from '../../lib/api-path.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import type {JournalEntry} from '../../model/plan.js';
import {nodePlan, type RepairPlan} from '../../model/repair-plan.js';
import type {ClientStep} from '../../model/step.js';
import {describe} from '../../repair/steps/all.js';
import type {Inspection} from '../../session/inspection.js';
import {runClientStep} from './client-steps.js';

/** What a node's repair says while it goes on. */
export interface Teller {
  client(step: ClientStep, phase: 'begin' | 'end'): void;
  journal(entry: JournalEntry): void;
  /** The way to the node is gone for now; `expected` while its network is worked on. */
  lost(seconds: number): void;
  found(): void;
  /** The plan has run, and the node is looked at again. */
  looking(): void;
  end(): void;
}

/** How far a repair has come: what is to be said when it ends early depends on it. */
export interface Track {
  stage: 'before' | 'node' | 'after';
  /** Whether this run has cordoned the node. */
  cordoned: boolean;
}

/** Carries a plan out: the client's steps before, the node's own, the client's after. Throws where it does not succeed. */
export async function applyPlan(
  inspection: Inspection,
  plan: RepairPlan,
  teller: Teller,
  {verifyTimeout, track}: {readonly verifyTimeout: number; readonly track: Track},
): Promise<void> {
  const step = (one: ClientStep) => clientStep(inspection, plan, one, teller, verifyTimeout);
  try {
    for (const one of plan.before) {
      await step(one);
      track.cordoned ||= one.do === 'node.cordon';
    }
    await onNode(inspection, plan, teller, {verifyTimeout, track});
    track.stage = 'after';
  } catch (error) {
    if (track.stage === 'before' && track.cordoned && !inspection.signal.aborted) {
      await step({do: 'node.uncordon', with: {node: plan.node}});
      track.cordoned = false;
    }
    throw error;
  }
  for (const one of plan.after) {
    await step(one);
    track.cordoned &&= one.do !== 'node.uncordon';
  }
}

async function onNode(
  inspection: Inspection,
  plan: RepairPlan,
  teller: Teller,
  {verifyTimeout, track}: {readonly verifyTimeout: number; readonly track: Track},
): Promise<void> {
  const steps = nodePlan(plan);
  if (!steps) return;
  const way = new WayToNode(inspection, plan.node, teller);
  try {
    await startPlan(await way.open(), steps, inspection.signal);
    track.stage = 'node';
    // Its network may stay away until the dead-man check has given up and the undo is through.
    const patienceMs = 2000 * (plan.deadMan?.withinSeconds ?? 0) + verifyTimeout;
    const ending = await follow(inspection, way, {id: plan.id, from: 1, patienceMs}, teller);
    // All is as it was before: so the node may take pods again too.
    if (ending.outcome === 'rolledBack') track.stage = 'before';
    demandSuccess(ending, plan.node);
  } finally {
    await way.close();
  }
}

/** What a plan on a node has come to, and what it has put back again. */
export interface Followed extends PlanEnding {
  readonly undone: readonly string[];
}

/** Follows a plan that runs on a node to its end. */
export async function follow(
  {signal}: Inspection,
  way: WayToNode,
  what: Pick<Following, 'id' | 'from' | 'patienceMs'>,
  teller: Teller,
): Promise<Followed> {
  const undone: string[] = [];
  const ending = await followPlan({
    ...what,
    connect: lost => way.open(lost),
    onEntry: entry => {
      way.found();
      if (entry.event === 'undo.end' && entry.outcome === 'done') undone.push(entry.do);
      teller.journal(entry);
    },
    onLost: () => way.lost(),
    signal,
  });
  return {...ending, undone};
}

const became: Record<Exclude<PlanEnding['outcome'], 'succeeded'>, string> = {
  failed: 'The plan failed on the node',
  rolledBack: 'The plan failed on the node, which put everything back by itself',
  rollbackFailed: 'The plan failed on the node, and it could not put everything back',
  interrupted: 'The node was restarted in the middle of the plan, or its task was ended',
  lost: 'The node has not come back; it may still go on by itself',
};

export function demandSuccess({outcome, message, undone}: Followed, node: string): void {
  if (outcome === 'succeeded') return;
  const why = message === undefined ? '.' : `: ${message.replace(/\.?$/, '.')}`;
  const back = undone.length > 0 ? ` Undone: ${undone.join(', ')}.` : '';
  const goOn = [
    `Go on with: kubectl win cleanup ${node} --resume`,
    `Or undo it with: kubectl win cleanup ${node} --rollback`,
  ];
  throw new WinError(`${became[outcome]}${why}${back}`, {
    exit: ExitCode.problems,
    next: [
      ...(outcome === 'lost' ? [`Look at a console of ${node}.`] : []),
      `See it with: kubectl win cleanup ${node} --status`,
      ...(outcome === 'failed' || outcome === 'interrupted' ? goOn : []),
    ],
  });
}

async function clientStep(
  {client, signal}: Inspection,
  plan: RepairPlan,
  step: ClientStep,
  teller: Teller,
  waitMs: number,
): Promise<void> {
  teller.client(step, 'begin');
  try {
    await runClientStep(client, plan, step, {signal, waitMs});
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new WinError(`This step of the client failed: ${describe(step).changes} ${reason}`, {
      exit: ExitCode.problems,
      cause: error,
    });
  }
  teller.client(step, 'end');
}

/** The helper on a node that may go away: opened again, in a new pod where the old one did not survive. */
export class WayToNode {
  readonly node: string;
  readonly #inspection: Inspection;
  readonly #teller: Pick<Teller, 'lost' | 'found'>;
  #session: HelperSession | undefined;
  #lostSince: number | undefined;
  #tries = 0;

  constructor(inspection: Inspection, node: string, teller: Pick<Teller, 'lost' | 'found'>) {
    this.#inspection = inspection;
    this.node = node;
    this.#teller = teller;
  }

  lost(): void {
    this.#lostSince ??= Date.now();
    this.#tries += 1;
    this.#teller.lost(Math.round((Date.now() - this.#lostSince) / 1000));
  }

  async open(lost = false): Promise<HelperSession> {
    // The pod mostly outlives a short cut; after a few tries it is taken for dead.
    if (this.#session && (!lost || this.#tries < 3)) return this.#session;
    const {client, run, signal} = this.#inspection;
    await this.close();
    const object = await client.get<V1Node>(apiPath`/api/v1/nodes/${this.node}`, {signal});
    this.#session = await run.open(object, {signal});
    this.#tries = 0;
    return this.#session;
  }

  /** Removes the helper, if it can be reached; else the run does it at its end. */
  async close(): Promise<void> {
    await this.#session?.close().catch(() => {});
    this.#session = undefined;
  }

  /** Told by the first line that comes through again. */
  found(): void {
    if (this.#lostSince === undefined) return;
    this.#lostSince = undefined;
    this.#tries = 0;
    this.#teller.found();
  }
}
