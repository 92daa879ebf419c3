import * as z from 'zod/mini';
import {isTemporary} from '../kube/api-errors.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {pause} from '../lib/pause.js';
import {
  type JournalEntry,
  journalEntry,
  type Plan,
  type PlanOnNode,
  type PlanRequest,
  planOnNode,
  type Requester,
  type StepCheck,
  stepCheck,
} from '../model/plan.js';
import type {Reply} from './answer-reader.js';
import {protocol} from './protocol.js';
import {ask, type HelperChannel} from './request.js';
import {sealed} from './sealed-plan.js';

const shortAnswer = 60_000;
/** How long one request follows a journal before the next one: no connection is kept open forever. */
const followFor = 120_000;
const pauseBeforeRetry = 1000;
/** Consecutive empty answers before giving up. */
const maxIdle = 20;

type Request = PlanRequest extends infer One
  ? One extends PlanRequest
    ? Omit<One, 'protocol' | 'deadlineMs'>
    : never
  : never;

/** Asks the node to validate each step. Nothing is changed. */
export async function checkPlan(channel: HelperChannel, plan: Plan, signal: AbortSignal): Promise<StepCheck[]> {
  const [answer] = await answers(
    channel,
    {request: 'plan.check', ...sealed(plan)},
    z.looseObject({check: z.array(stepCheck)}),
    signal,
  );
  if (!answer) throw noAnswer(channel.node);
  return answer.check;
}

/** Hands the plan to the node, which then runs it without the client. */
export async function startPlan(channel: HelperChannel, plan: Plan, signal: AbortSignal): Promise<PlanOnNode> {
  return one(channel, {request: 'plan.start', ...sealed(plan)}, signal);
}

/** Resumes or rolls back a plan that is on the node. The requester may not be its creator. */
export async function continuePlan(
  channel: HelperChannel,
  what: {readonly id: string; readonly how: 'resume' | 'rollback'; readonly requester: Requester},
  signal: AbortSignal,
): Promise<PlanOnNode> {
  return one(channel, {request: `plan.${what.how}`, id: what.id, ...what.requester}, signal);
}

/** The plans stored on a node. */
export function plansOn(channel: HelperChannel, signal: AbortSignal): Promise<PlanOnNode[]> {
  return answers(channel, {request: 'plan.status'}, planOnNode, signal);
}

/** The whole journal of a plan that is not running. */
export async function journalOf(
  channel: HelperChannel,
  {id, lastSeq}: PlanOnNode,
  signal: AbortSignal,
): Promise<JournalEntry[]> {
  // For a plan that never started, the node would wait for the first entry.
  if (lastSeq === 0) return [];
  const entries: JournalEntry[] = [];
  const onReply = (reply: Reply) => {
    const entry = reply.type === 'journal' ? journalEntry.safeParse(reply).data : undefined;
    if (entry?.plan === id) entries.push(entry);
  };
  const request = {protocol, request: 'plan.follow', id, from: 1, deadlineMs: shortAnswer} as const;
  const {fault} = await ask(channel, request, {onReply, signal});
  if (fault) throw interrupted(channel.node, fault);
  return entries;
}

export interface Following {
  /** Opens a channel to the node. Called again whenever the connection was lost. */
  readonly connect: (lost: boolean) => Promise<HelperChannel>;
  readonly id: string;
  /** The number of the first unseen entry, starting at 1. */
  readonly from: number;
  readonly onEntry: (entry: JournalEntry) => void;
  readonly onLost: (why: string) => void;
  /** How long the node may be unreachable without interruption. */
  readonly patienceMs: number;
  /** How long to wait before the next request. */
  readonly pauseMs?: number;
  readonly signal: AbortSignal;
}

type Outcome = Extract<JournalEntry, {event: 'plan.end'}>['outcome'];

/** How a plan ended: as recorded in its journal, interrupted without an end, or unknown because the node was lost. */
export interface PlanEnding {
  readonly outcome: Outcome | 'interrupted' | 'lost';
  readonly message?: string | undefined;
}

/** Follows a journal to its end, over as many connections as necessary. */
export async function followPlan(following: Following): Promise<PlanEnding> {
  const {connect, id, onEntry, onLost, patienceMs, pauseMs = pauseBeforeRetry, signal} = following;
  let next = following.from;
  let end: PlanEnding | undefined;
  let heardAt = performance.now();
  const onReply = (reply: Reply) => {
    if (reply.type === 'plan') end ??= deadPlan(reply, id);
    if (reply.type !== 'journal') return;
    const entry = journalEntry.safeParse(reply).data;
    if (!entry || entry.plan !== id || entry.seq < next) return;
    next = entry.seq + 1;
    heardAt = performance.now();
    onEntry(entry);
    if (entry.event === 'plan.end') end = entry;
  };
  let lost: string | undefined;
  let idle = 0;
  while (!end) {
    signal.throwIfAborted();
    const [from, askedAt] = [next, performance.now()];
    lost = await askForEntries(connect, lost !== undefined, () => ({id, from: next}), {onReply, signal});
    if (end) break;
    if (lost === undefined) {
      heardAt = performance.now();
      // A helper answers when the plan has ended or the request has expired. Give up on one that does neither.
      const saidNothing = next === from && performance.now() - askedAt < followFor / 2;
      idle = saidNothing ? idle + 1 : 0;
      if (idle >= maxIdle) return {outcome: 'lost', message: 'The helper reports nothing about its plan.'};
      if (saidNothing) await pause(pauseMs, signal);
      continue;
    }
    if (performance.now() - heardAt > patienceMs) return {outcome: 'lost', message: lost};
    onLost(lost);
    await pause(pauseMs, signal);
  }
  return end;
}

/** One request for the journal. Returns why the connection was lost; undefined if the answer is complete. */
async function askForEntries(
  connect: Following['connect'],
  wasLost: boolean,
  wanted: () => {id: string; from: number},
  options: {onReply: (reply: Reply) => void; signal: AbortSignal},
): Promise<string | undefined> {
  let channel: HelperChannel;
  try {
    channel = await connect(wasLost);
  } catch (error) {
    options.signal.throwIfAborted();
    // The plan may interrupt the node's network, so a failed connection is not a failure yet.
    // A restarted API server denies what it allowed before for a moment, which is temporary too.
    if (!(error instanceof WinError) || (error.exit !== ExitCode.uninspected && !isTemporary(error))) throw error;
    return error.message;
  }
  const {fault} = await ask(channel, {protocol, request: 'plan.follow', ...wanted(), deadlineMs: followFor}, options);
  return fault;
}

/** A node returns the plan's state instead of an end if it no longer runs: after a power loss, or if its task was stopped. */
function deadPlan(reply: Reply, id: string): PlanEnding | undefined {
  const plan = planOnNode.safeParse(reply).data;
  return plan?.id === id && plan.state === 'interrupted' ? {outcome: 'interrupted'} : undefined;
}

async function one(channel: HelperChannel, request: Request, signal: AbortSignal): Promise<PlanOnNode> {
  const [answer] = await answers(channel, request, planOnNode, signal);
  if (!answer) throw noAnswer(channel.node);
  return answer;
}

async function answers<Schema extends z.ZodMiniType>(
  channel: HelperChannel,
  request: Request,
  schema: Schema,
  signal: AbortSignal,
): Promise<z.output<Schema>[]> {
  const replies: z.output<Schema>[] = [];
  const onReply = (reply: Reply) => {
    const parsed = reply.type === 'plan' ? schema.safeParse(reply) : undefined;
    if (parsed?.success) replies.push(parsed.data);
  };
  const whole = {...request, protocol, deadlineMs: shortAnswer} as PlanRequest;
  const {fault} = await ask(channel, whole, {onReply, signal});
  if (fault) throw interrupted(channel.node, fault);
  return replies;
}

const interrupted = (node: string, fault: string) => new AnswerInterrupted(node, fault);

/** It is unknown whether the node has executed the request. */
export class AnswerInterrupted extends WinError {
  constructor(node: string, fault: string) {
    super(`The answer of ${node} was interrupted: ${fault}.`, {
      exit: ExitCode.uninspected,
      next: [`Show its state with: kubectl win cleanup ${node} --status`],
    });
  }
}

function noAnswer(node: string): WinError {
  return new WinError(`${node} did not return its plan.`, {exit: ExitCode.uninspected});
}
