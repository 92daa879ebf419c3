import * as z from 'zod/mini';
import {canonical} from '../lib/canonical-json.js';
import {digest} from '../lib/digest.js';
import {levels} from './level.js';
import {type Plan, plan} from './plan.js';
import {clientStep, objectName, planStep} from './step.js';

/**
 * A repair as the user reviews it and as `--plan FILE` stores it: what the client does before, what the node does, what
 * the client does after. The node receives only its own part: `nodePlan`.
 */

const text = z.string().check(z.maxLength(2000));
const name = z.string().check(z.minLength(1), z.maxLength(256));

const uplink = z.strictObject({
  adapter: name,
  nic: name,
  address: name,
  prefixLength: z.optional(z.int()),
  static: z.boolean(),
  gateway: z.optional(name),
  dnsServers: z.array(name),
  routes: z.array(z.strictObject({destination: name, nextHop: name})),
});

export const repairPlan = z
  .strictObject({
    apiVersion: z.literal('kubectl-win/v1'),
    kind: z.literal('RepairPlan'),
    id: z.guid(),
    node: objectName,
    plugin: name,
    level: z.enum(levels),
    title: z.string().check(z.minLength(1), z.maxLength(200)),
    createdAt: z.iso.datetime({offset: true}),
    createdBy: z.optional(z.string().check(z.maxLength(200))),
    context: z.optional(z.string().check(z.maxLength(200))),
    /**
     * Ids of the checks that fail now and must not fail afterwards. Plans from older builds, which may still be on
     * nodes, lack it.
     */
    repairs: z._default(z.array(name), []),
    before: z.array(clientStep),
    steps: z.array(planStep).check(z.maxLength(200)),
    after: z.array(clientStep),
    deadMan: plan.shape.deadMan,
    /** What the node saves before it begins, and restores. */
    uplink: z.optional(uplink),
    /** Networks that the agent recreates when it starts. */
    remakes: z.array(name),
    /** Running pods that lose their endpoint. */
    loses: z.array(z.strictObject({namespace: name, pod: name, endpoint: name})),
    notes: z.array(text),
    /** Created with --force: running it requires --force again. */
    forced: z.boolean(),
    /** The node state that the plan was created from and depends on. */
    state: z.record(z.string(), z.string()),
    /** Over all of the above (`planHash`): a modified plan does not run. */
    hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    /** The node's own part for the helper script (-RunPlanFile), which reads no YAML: base64 of its JSON. */
    manual: z.optional(z.base64()),
  })
  .check(
    z.refine(value => value.deadMan !== undefined || !value.steps.some(({cuts}) => cuts), {
      message: 'a plan with a cutting step needs a reachability check',
      path: ['deadMan'],
    }),
  );

export type RepairPlan = z.infer<typeof repairPlan>;

/** The hash of a plan's content, independent of the key order in a file. */
export function planHash(plan: Omit<RepairPlan, 'hash' | 'manual'>): string {
  const {hash: _, manual: __, ...said} = plan as RepairPlan;
  return digest('sha256', canonical(said));
}

type NodePart = Pick<RepairPlan, 'id' | 'node' | 'title' | 'createdAt' | 'createdBy' | 'context' | 'steps' | 'deadMan'>;

/** The node's own part; undefined if there are only client steps. */
export function nodePlan(plan: NodePart): Plan | undefined {
  const {id, node, title, createdAt, createdBy, context, steps, deadMan} = plan;
  if (steps.length === 0) return undefined;
  return {
    apiVersion: 'kubectl-win/v1',
    kind: 'Plan',
    id,
    node,
    title,
    createdAt,
    ...(createdBy !== undefined && {createdBy}),
    ...(context !== undefined && {context}),
    steps,
    ...(deadMan && {deadMan}),
  };
}

/** A plan that the operator runs on the node with the helper script. */
export function withManualPart(plan: RepairPlan): RepairPlan {
  const onNode = nodePlan(plan);
  return onNode ? {...plan, manual: Buffer.from(JSON.stringify(onNode)).toString('base64')} : plan;
}

/** Whether a step of the client or the node, or the restart of the agent, interrupts the node's own network. */
export function cutsNetwork({before, steps, after}: Pick<RepairPlan, 'before' | 'steps' | 'after'>): boolean {
  return [...before, ...steps, ...after].some(({cuts}) => cuts);
}
