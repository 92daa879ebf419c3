import * as z from 'zod/mini';
import '../lib/zod-messages.js';

/**
 * What client and node agree on: the plan, its steps, the journal and the requests about them.
 * `helper/plan*.ps1` and `helper/steps/` hold the same rules in PowerShell; a node checks a plan again before it runs it.
 */

const guid = z.guid();
/** Names come from Windows: blanks, quotes and any language are fine, control characters are not. */
const name = z
  .string()
  .check(z.minLength(1), z.maxLength(256), z.regex(/^\P{Cc}+$/u, 'must not hold control characters'));
const seconds = (most: number) => z.int().check(z.minimum(1), z.maximum(most));
const address = z.union([z.ipv4(), z.ipv6()]);
const prefix = z.union([z.cidrv4(), z.cidrv6()]);
const hostAndPort = z.string().check(z.regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):[0-9]{1,5}$/, 'must be host:port'));
/** Written as on a node. The node resolves links and `..` itself, and removes only below the folders of the CNIs. */
const windowsPath = z.string().check(z.maxLength(260), z.regex(/^[Cc]:\\\P{Cc}+$/u, 'must be a full path on C:'));
const registryPath = z.string().check(z.regex(/^HKLM:\\\P{Cc}+$/u, 'must start with HKLM:\\'));
const switchExtension = {switchName: name, extensionId: guid, enabled: z.boolean()};

/** Something that can be waited for. */
export const condition = z.discriminatedUnion('until', [
  z.strictObject({until: z.literal('service'), name, state: z.enum(['Running', 'Stopped'])}),
  z.strictObject({until: z.literal('hnsNetwork'), name, present: z.boolean()}),
  z.strictObject({until: z.literal('adapter'), name, present: z.boolean()}),
  z.strictObject({until: z.literal('address'), address}),
  z.strictObject({until: z.literal('tcp'), target: hostAndPort}),
  z.strictObject({until: z.literal('extension'), ...switchExtension}),
]);

const step = <Do extends string, With extends z.ZodMiniType>(what: Do, parameters: With) =>
  z.strictObject({
    do: z.literal(what),
    with: parameters,
    /** One sentence for the person who reads the plan. */
    why: z.optional(z.string().check(z.maxLength(500))),
    /** The node may lose its network here: the dead-man check follows the last of these. */
    cuts: z.optional(z.boolean()),
    timeoutSeconds: z.optional(seconds(900)),
  });

const service = z.strictObject({name});

/** The closed vocabulary. No step runs a free-form command. */
export const planStep = z.discriminatedUnion('do', [
  step('ovs.deleteBridge', z.strictObject({bridge: name})),
  /** `endpoints`: the attached endpoints that go with the network; any other attached one blocks the step. */
  step('hns.removeNetwork', z.strictObject({id: guid, name, endpoints: z.optional(z.array(guid))})),
  step('hns.removeEndpoint', z.strictObject({id: guid})),
  /** Without `ids`: every policy list of the node. */
  step('hns.removePolicyLists', z.strictObject({ids: z.optional(z.array(guid))})),
  step('vswitch.remove', z.strictObject({name})),
  step('vswitch.setExtension', z.strictObject(switchExtension)),
  step('vnic.remove', z.strictObject({switchName: name, name})),
  step(
    'adapter.setBinding',
    z.strictObject({adapter: name, componentId: z.enum(['vms_pp', 'ms_tcpip', 'ovsext']), enabled: z.boolean()}),
  ),
  step('service.start', service),
  step('service.stop', service),
  step('service.restart', service),
  step('file.remove', z.strictObject({path: windowsPath})),
  step('registry.removeValue', z.strictObject({path: registryPath, name})),
  step(
    'firewall.allow',
    z.strictObject({
      name,
      displayName: name,
      protocol: z.enum(['TCP', 'UDP']),
      port: z.int().check(z.minimum(1), z.maximum(65535)),
    }),
  ),
  step(
    'route.add',
    z.strictObject({
      destination: prefix,
      nextHop: address,
      adapter: name,
      metric: z.optional(z.int().check(z.minimum(0), z.maximum(9999))),
    }),
  ),
  step('ip.renew', z.strictObject({adapter: name})),
  /** Puts what adapter `from` had when the plan began (addresses, routes, DNS servers) on adapter `to`. */
  step('ip.restore', z.strictObject({from: name, to: name})),
  step('wait.until', condition),
]);

/** After the last cutting step all of this must hold in time, or the node undoes the plan by itself. */
export const deadMan = z.strictObject({
  address,
  /** Only where it answered a ping before: many gateways never do. */
  gateway: z.optional(address),
  apiServer: hostAndPort,
  withinSeconds: seconds(1800),
});

export const plan = z
  .strictObject({
    apiVersion: z.literal('kubectl-win/v1'),
    kind: z.literal('Plan'),
    id: guid,
    node: name,
    title: z.string().check(z.minLength(1), z.maxLength(200)),
    createdAt: z.iso.datetime({offset: true}),
    createdBy: z.optional(z.string().check(z.maxLength(200))),
    steps: z.array(planStep).check(z.minLength(1), z.maxLength(200)),
    deadMan: z.optional(deadMan),
  })
  .check(
    z.refine(value => value.deadMan !== undefined || !value.steps.some(({cuts}) => cuts), {
      message: 'a plan with a cutting step needs a dead-man check',
      path: ['deadMan'],
    }),
  );

export type Plan = z.infer<typeof plan>;
export type PlanStep = z.infer<typeof planStep>;
export type StepName = PlanStep['do'];

/** What a rollback can put back. The others change nothing that lasts, or Windows keeps no way back. */
export const stepsWithUndo: ReadonlySet<StepName> = new Set<StepName>([
  'ovs.deleteBridge',
  'hns.removeNetwork',
  'hns.removeEndpoint',
  'hns.removePolicyLists',
  'vswitch.setExtension',
  'vnic.remove',
  'adapter.setBinding',
  'service.start',
  'service.stop',
  'file.remove',
  'registry.removeValue',
  'firewall.allow',
  'route.add',
]);

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
  /** Addresses, routes and DNS servers after an undo, put back where they were missing. */
  z.looseObject({...line, event: z.literal('network.restored'), message: z.string()}),
  z.looseObject({
    ...line,
    event: z.literal('plan.end'),
    outcome: z.enum(['succeeded', 'failed', 'rolledBack', 'rollbackFailed']),
    message: z.optional(z.string()),
  }),
]);

export type JournalEntry = z.infer<typeof journalEntry>;

const planStates = ['stored', 'running', 'interrupted', 'succeeded', 'failed', 'rolledBack', 'rollbackFailed'] as const;

/** States from which `plan.resume` and `plan.rollback` may go on. */
export const unfinishedStates: ReadonlySet<string> = new Set(['stored', 'interrupted', 'failed', 'rollbackFailed']);

/** A plan as a node tells of it: answer to `plan.start|status|resume|rollback`, and (with `journal`) the section `plans`. */
export const planOnNode = z.looseObject({
  id: guid,
  state: z.enum(planStates),
  title: z.string(),
  createdAt: z.string(),
  steps: z.int(),
  done: z.int(),
  lastSeq: z.int(),
  journal: z.optional(z.array(z.unknown())),
});

export type PlanOnNode = z.infer<typeof planOnNode>;

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

/** The plan travels as text, so that its hash (sha256 in hex, of the text's UTF-8 bytes) means the same on both sides. */
interface WithPlan extends Timed {
  plan: string;
  hash: string;
}

/**
 * Requests about plans, and the lines that answer them:
 * `plan.check`     one `{type:'plan', id, check: StepCheck[]}`
 * `plan.start`     stores the plan, hands it to a scheduled task; one `{type:'plan', ...PlanOnNode}`
 * `plan.follow`    `{type:'journal', ...}` for every entry with `seq >= from`, then for new ones as they come; ends with
 *                  `plan.end` or just before its deadline: ask again with the next `seq`
 * `plan.status`    one `{type:'plan', ...PlanOnNode}` for the plan, or for every plan on the node
 * `plan.resume`, `plan.rollback`  as `plan.start`, for a plan that is on the node and unfinished
 * `plan.prune`     one `{type:'plan', ...PlanOnNode, pruned: true}` for every ended plan that was removed
 * Refusals are `{type:'error'}` of kind NotFound, Busy, Blocked or BadRequest.
 */
export type PlanRequest =
  | (WithPlan & {request: 'plan.check' | 'plan.start'})
  | (Timed & {request: 'plan.follow'; id: string; from: number})
  | (Timed & {request: 'plan.status'; id?: string})
  | (Timed & {request: 'plan.resume' | 'plan.rollback'; id: string})
  | (Timed & {request: 'plan.prune'; olderThanDays: number});
