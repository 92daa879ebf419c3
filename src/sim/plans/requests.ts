import {createHash} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import * as z from 'zod/mini';
import {bootPlanShape} from '../../model/boot-plan.js';
import {type Plan, plan as planSchema, type Requester, type StepCheck} from '../../model/plan.js';
import type {JsonObject} from '../json.js';
import type {PlanFolder} from './folder.js';
import type {NodePlans} from './node-plans.js';
import {StepError} from './step.js';
import {isForEveryBoot} from './steps/kinds.js';

const day = 24 * 60 * 60 * 1000;

const withPlan = z.looseObject({plan: z.string(), hash: z.string()});
const withId = z.looseObject({id: z.guid()});

export interface PlanQuestion {
  /** A `plan.*` or `boot.*` request. */
  request: JsonObject;
  reply(message: JsonObject): Promise<void>;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

type Answerer = (plans: NodePlans, question: PlanQuestion) => Promise<void>;

/** The answers to requests about plans. A refused request throws. */
export const planRequests: Record<string, Answerer> = {
  'plan.check': async (plans, {request, reply}) => {
    const {plan} = readPlan(plans, request, planSchema);
    await reply({
      type: 'plan',
      id: plan.id.toLowerCase(),
      check: plan.steps.map((_, step) => check(plans, plan, step)),
    });
  },
  'plan.start': async (plans, {request, reply}) => {
    const {plan, text, hash} = readPlan(plans, request, planSchema);
    plans.demandIdle();
    if (plans.disk.find(plan.id)) throw new StepError('Busy', `Plan ${plan.id} is on this node already.`);
    const folder = plans.disk.store(plan.id, text, hash);
    plans.start(folder, 'run');
    await reply(statusLine(plans, folder));
  },
  'plan.follow': follow,
  'plan.status': async (plans, {request, reply}) => {
    const folders = request.id === undefined ? plans.disk.folders : [folderOf(plans, request)];
    for (const folder of folders) await reply(statusLine(plans, folder));
  },
  'plan.resume': (plans, question) => goOn(plans, question, 'resume'),
  'plan.rollback': (plans, question) => goOn(plans, question, 'rollback'),
  'plan.prune': async (plans, {request, reply}) => {
    const days = numberOf(request, 'olderThanDays', {otherwise: 30, least: 0, most: 3650});
    for (const folder of plans.disk.folders) {
      const status = plans.disk.status(folder);
      if (status.state !== 'succeeded' && status.state !== 'rolledBack') continue;
      if (Date.parse(folder.journal.at(-1)?.at ?? '') > Date.now() - days * day) continue;
      plans.disk.remove(folder);
      plans.disk.log({what: 'plan.prune', ...requesterOf(request), plan: folder.id});
      await reply({type: 'plan', ...status, pruned: true});
    }
  },
  'audit.read': async (plans, {reply}) => {
    for (const line of plans.disk.audit.slice(-500)) await reply({type: 'audit', ...line});
  },
  'boot.set': async (plans, {request, reply}) => {
    const {plan, hash} = readPlan(plans, request, bootPlanShape);
    const odd = plan.steps.find(step => !isForEveryBoot(step));
    if (odd) throw badRequest(`'${odd.do}' is not a step for every boot.`);
    plans.boot.set(plan, hash);
    plans.disk.log({what: 'boot.set', ...requesterOf(request), node: plan.node, hash});
    await reply({type: 'boot', ...plans.boot.status()});
  },
  'boot.status': async (plans, {reply}) => reply({type: 'boot', ...plans.boot.status()}),
  'boot.remove': async (plans, {request, reply}) => {
    const {set, hash = ''} = plans.boot.status();
    plans.boot.remove();
    if (set) plans.disk.log({what: 'boot.remove', ...requesterOf(request), hash});
    await reply({type: 'boot', ...plans.boot.status()});
  },
};

/** Validates a whole plan before any of it is stored or run. */
function readPlan<Schema extends z.ZodMiniType<{node: string}>>(
  plans: NodePlans,
  request: JsonObject,
  schema: Schema,
): {plan: z.output<Schema>; text: string; hash: string} {
  const given = withPlan.safeParse(request).data;
  if (!given) throw badRequest("'plan' and 'hash' must be strings.");
  const {plan: text, hash} = given;
  if (text.length > 262_144) throw badRequest('The plan is longer than 256 KiB.');
  if (createHash('sha256').update(text, 'utf8').digest('hex') !== hash)
    throw badRequest('The plan does not match its hash.');
  const parsed = schema.safeParse(parse(text));
  if (!parsed.success)
    throw badRequest(`The plan is not valid: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  if (parsed.data.node !== plans.node) throw badRequest(`The plan is for node ${parsed.data.node}, not for this one.`);
  return {plan: parsed.data, text, hash};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The plan is not JSON.');
  }
}

function check(plans: NodePlans, {steps}: Plan, index: number): StepCheck {
  const step = steps[index];
  if (!step) throw badRequest(`Step ${index} does not exist.`);
  const about = {step: index, do: step.do};
  try {
    const seen = plans.inspect(step);
    if (seen.done) return {...about, outcome: 'already', message: seen.about};
    if (seen.blocked !== undefined) return {...about, outcome: 'blocked', message: seen.blocked};
    return {...about, outcome: 'ready', message: seen.about};
  } catch (error) {
    return {...about, outcome: 'blocked', message: error instanceof Error ? error.message : String(error)};
  }
}

async function goOn(plans: NodePlans, {request, reply}: PlanQuestion, mode: 'resume' | 'rollback'): Promise<void> {
  const folder = folderOf(plans, request);
  plans.demandIdle();
  const {id, state} = plans.disk.status(folder);
  if (state === 'succeeded' || state === 'rolledBack')
    throw new StepError('Blocked', `Plan ${id} has ended: ${state}.`);
  const undone = folder.journal.some(({event}) => event.startsWith('undo.'));
  if (undone && mode === 'resume')
    throw new StepError('Blocked', `A rollback of plan ${id} has begun: it cannot be resumed, only rolled back.`);
  if (mode === 'resume') demandSameNetwork(plans, folder);
  const requester = requesterOf(request);
  if (requester.user !== '') folder.requester = requester;
  plans.start(folder, mode);
  await reply(statusLine(plans, folder));
}

/** Clients of older versions do not send the user. */
function requesterOf({user, context}: JsonObject): Requester {
  return {user: typeof user === 'string' ? user : '', context: typeof context === 'string' ? context : ''};
}

/** A network that was recreated after a reboot is no longer the one that the plan was going to remove. */
function demandSameNetwork(plans: NodePlans, folder: PlanFolder): void {
  const {steps} = planSchema.parse(JSON.parse(folder.text));
  for (const [index, step] of steps.entries()) {
    if (step.do !== 'hns.removeNetwork' || hasEnded(folder, index)) continue;
    const {name} = step.with;
    const isThere = plans.inspect({do: 'wait.until', with: {until: 'hnsNetwork', name, present: true}}).done;
    if (isThere && plans.inspect(step).done) {
      const message = `HNS network ${name} was recreated since plan ${folder.id} began: the plan cannot be resumed, only rolled back.`;
      throw new StepError('Blocked', message);
    }
  }
}

const hasEnded = ({journal}: PlanFolder, index: number): boolean =>
  journal.some(entry => entry.event === 'step.end' && entry.step === index);

/** Sends journal lines until the plan has ended or its process died, or the request times out. */
async function follow(plans: NodePlans, {request, reply, signal}: PlanQuestion): Promise<void> {
  const folder = folderOf(plans, request);
  const {disk} = plans;
  let from = numberOf(request, 'from', {otherwise: 1, least: 1, most: 1_000_000});
  const deadlineMs = numberOf(request, 'deadlineMs', {otherwise: 120_000, least: 100, most: 3_600_000});
  const over = AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, deadlineMs - 500))]);
  while (!over.aborted) {
    const isRunning = disk.running === folder.id;
    for (const entry of folder.journal.filter(({seq}) => seq >= from)) {
      await reply(entry);
      from = entry.seq + 1;
    }
    const last = folder.journal.at(-1);
    if (!isRunning && last) {
      if (last.event !== 'plan.end') await reply(statusLine(plans, folder));
      return;
    }
    // An entry written while lines were being sent notified no listener, so the journal is read again soon.
    const woken = AbortSignal.any([over, AbortSignal.timeout(250)]);
    await Promise.race([disk.changed(woken), delay(250, undefined, {signal: woken, ref: false})]).catch(() => {});
  }
}

function folderOf(plans: NodePlans, request: JsonObject): PlanFolder {
  const id = withId.safeParse(request).data?.id;
  if (id === undefined) throw badRequest('The id of a plan must be a GUID.');
  const folder = plans.disk.find(id);
  if (!folder) throw new StepError('NotFound', `Plan ${id} does not exist on this node.`);
  return folder;
}

function numberOf(request: JsonObject, name: string, limits: {otherwise: number; least: number; most: number}): number {
  const value = request[name] ?? limits.otherwise;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw badRequest(`'${name}' must be an integer.`);
  if (value < limits.least || value > limits.most)
    throw badRequest(`'${name}' must be between ${limits.least} and ${limits.most}.`);
  return value;
}

const statusLine = ({disk}: NodePlans, folder: PlanFolder): JsonObject => ({type: 'plan', ...disk.status(folder)});

const badRequest = (message: string): StepError => new StepError('BadRequest', message);
