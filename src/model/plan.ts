import * as z from 'zod/mini';
import '../lib/zod-messages.js';
import {objectName, type PlanStep, parameterKinds, planStep} from './step.js';

/**
 * The contract between client and node: the plan, the journal and the requests about them. The steps are in `step.ts`.
 * `helper/plan/` implements the same rules in PowerShell; a node validates a plan again before it runs it.
 */

const seconds = (most: number) => z.int().check(z.minimum(1), z.maximum(most));
const {guid, address, target: hostAndPort} = parameterKinds;

/** After the last cutting step, all of this must hold in time, or the node rolls the plan back automatically. */
export const deadMan = z.strictObject({
  address,
  /** Only if it answered a ping beforehand: many gateways never do. */
  gateway: z.optional(address),
  apiServer: hostAndPort,
  withinSeconds: seconds(1800),
});

export const plan = z
  .strictObject({
    apiVersion: z.literal('kubectl-win/v1'),
    kind: z.literal('Plan'),
    id: guid,
    node: objectName,
    title: z.string().check(z.minLength(1), z.maxLength(200)),
    createdAt: z.iso.datetime({offset: true}),
    createdBy: z.optional(z.string().check(z.maxLength(200))),
    /** The kubeconfig context it was created with. */
    context: z.optional(z.string().check(z.maxLength(200))),
    steps: z.array(planStep).check(z.minLength(1), z.maxLength(200)),
    deadMan: z.optional(deadMan),
  })
  .check(
    z.refine(value => value.deadMan !== undefined || !value.steps.some(({cuts}) => cuts), {
      message: 'a plan with a cutting step needs a reachability check',
      path: ['deadMan'],
    }),
  );

export type Plan = z.infer<typeof plan>;

/** What must work again after a step that cuts the network, and within what time. */
export type DeadMan = NonNullable<Plan['deadMan']>;

const failure = z.object({kind: z.string(), message: z.string()});
const line = {type: z.literal('journal'), plan: guid, seq: z.int(), at: z.string()};
const atStep = {...line, step: z.int(), do: z.string()};

/** One line of a plan's journal, on the node's disk and on the wire. `step` counts from 0. */
export const journalEntry = z.discriminatedUnion('event', [
  z.looseObject({
    ...line,
    event: z.literal('plan.begin'),
    mode: z.enum(['run', 'resume', 'rollback']),
    hash: z.string(),
  }),
  /** Written before the step acts; `saved` is what its undo needs. */
  z.looseObject({...atStep, event: z.literal('step.begin'), saved: z.optional(z.unknown())}),
  /** `already`: the goal was reached before the step acted. */
  z.looseObject({...atStep, event: z.literal('step.end'), outcome: z.enum(['done', 'already']), ms: z.number()}),
  z.looseObject({...atStep, event: z.literal('step.failed'), error: failure, ms: z.number()}),
  z.looseObject({...line, event: z.literal('deadMan.begin'), withinSeconds: z.number()}),
  z.looseObject({...line, event: z.literal('deadMan.end'), outcome: z.enum(['ok', 'failed']), message: z.string()}),
  z.looseObject({...atStep, event: z.literal('undo.begin')}),
  /** `none`: this kind of step has no undo. */
  z.looseObject({...atStep, event: z.literal('undo.end'), outcome: z.enum(['done', 'already', 'none'])}),
  z.looseObject({...atStep, event: z.literal('undo.failed'), error: failure}),
  /** Addresses, routes and DNS servers that were missing after an undo and have been restored. */
  z.looseObject({...line, event: z.literal('network.restored'), message: z.string()}),
  /**
   * The plan was interrupted and the node lost its network: the guard restores it. `message` lists what was missing.
   */
  z.looseObject({...line, event: z.literal('guard.begin'), attempt: z.int(), message: z.string()}),
  z.looseObject({...line, event: z.literal('guard.end'), message: z.string()}),
  z.looseObject({
    ...line,
    event: z.literal('plan.end'),
    outcome: z.enum(['succeeded', 'failed', 'rolledBack', 'rollbackFailed']),
    message: z.optional(z.string()),
  }),
]);

export type JournalEntry = z.infer<typeof journalEntry>;

const planStates = ['stored', 'running', 'interrupted', 'succeeded', 'failed', 'rolledBack', 'rollbackFailed'] as const;

/** States from which `plan.resume` and `plan.rollback` may continue. */
export const unfinishedStates: ReadonlySet<string> = new Set(['stored', 'interrupted', 'failed', 'rollbackFailed']);

/**
 * A plan as a node reports it: answer to `plan.start|status|resume|rollback`, and (with `journal`) the section `plans`.
 */
export const planOnNode = z.looseObject({
  id: guid,
  state: z.enum(planStates),
  title: z.string(),
  createdAt: z.string(),
  steps: z.int(),
  done: z.int(),
  lastSeq: z.int(),
  /** Its steps. Older helpers do not report them. */
  planned: z.optional(z.array(z.unknown())),
  journal: z.optional(z.array(z.unknown())),
});

export type PlanOnNode = z.infer<typeof planOnNode>;

/** The steps of a plan on a node; undefined for a step that this client does not know. */
export function stepsOf({planned = []}: PlanOnNode): (PlanStep | undefined)[] {
  return planned.map(step => planStep.safeParse(step).data);
}

/** One step of the answer to `plan.check`: nothing was changed. */
export const stepCheck = z.looseObject({
  step: z.int(),
  do: z.string(),
  outcome: z.enum(['ready', 'already', 'blocked']),
  message: z.string(),
});

export type StepCheck = z.infer<typeof stepCheck>;

interface Timed {
  protocol: 1;
  deadlineMs: number;
}

/** The user that the node's audit log names, and the context of the kubeconfig. A new plan has them itself. */
export interface Requester {
  user: string;
  context: string;
}

/** The plan travels as text, so that its hash (sha256 in hex, of the text's UTF-8 bytes) means the same on both sides. */
interface WithPlan extends Timed {
  plan: string;
  hash: string;
}

/**
 * Requests about plans, and the lines that answer them:
 * `plan.check`     one `{type:'plan', id, check: StepCheck[]}`
 * `plan.start`     stores the plan, hands it to a scheduled task; one `{type:'plan', ...PlanOnNode}`
 * `plan.follow`    `{type:'journal', ...}` for every entry with `seq >= from`, then for new ones as they arrive; ends
 *                  with `plan.end` or just before its deadline: ask again with the next `seq`
 * `plan.status`    one `{type:'plan', ...PlanOnNode}` for the plan, or for every plan on the node
 * `plan.resume`, `plan.rollback`  as `plan.start`, for a plan that is on the node and unfinished
 * `plan.prune`     one `{type:'plan', ...PlanOnNode, pruned: true}` for every ended plan that was removed
 * Refusals are `{type:'error'}` of kind NotFound, Busy, Blocked or BadRequest.
 */
export type PlanRequest =
  | (WithPlan & {request: 'plan.check' | 'plan.start'})
  | (Timed & {request: 'plan.follow'; id: string; from: number})
  | (Timed & {request: 'plan.status'; id?: string})
  | (Timed & Requester & {request: 'plan.resume' | 'plan.rollback'; id: string})
  | (Timed & {request: 'plan.prune'; olderThanDays: number});
