import * as z from 'zod/mini';
import {canonical} from '../lib/canonical-json.js';
import {digest} from '../lib/digest.js';
import {levels} from './level.js';
import {type Plan, plan} from './plan.js';
import {clientStep, objectName, planStep} from './step.js';

/**
 * A repair as a person reviews it, and as `--plan FILE` holds it: what the client does before, what the node does,
 * what the client does after. The node gets its own part alone: `nodePlan`.
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
    /** Ids of the checks that fail now and must not fail afterwards. Plans of older builds, which may lie on nodes, lack it. */
    repairs: z._default(z.array(name), []),
    before: z.array(clientStep),
    steps: z.array(planStep).check(z.maxLength(200)),
    after: z.array(clientStep),
    deadMan: plan.shape.deadMan,
    /** What the node saves before it begins, and puts back. */
    uplink: z.optional(uplink),
    /** Networks that the agent takes down by itself when it starts. */
    remakes: z.array(name),
    /** Running pods whose endpoint goes. */
    loses: z.array(z.strictObject({namespace: name, pod: name, endpoint: name})),
    notes: z.array(text),
    /** Made with --force: running it takes --force again. */
    forced: z.boolean(),
    /** What of the node the plan depends on: a plan is for the state it was made from. */
    state: z.record(z.string(), z.string()),
    /** Of all of the above (`planHash`): a plan runs as it was made, or not at all. */
    hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    /** The node's own part for the helper script (-RunPlanFile), which reads no YAML: base64 of its JSON. */
    manual: z.optional(z.base64()),
  })
  .check(
    z.refine(value => value.deadMan !== undefined || !value.steps.some(({cuts}) => cuts), {
      message: 'a plan with a cutting step needs a dead-man check',
      path: ['deadMan'],
    }),
  );

export type RepairPlan = z.infer<typeof repairPlan>;

/** The hash of all that a plan says, whatever the order in which a file has it. */
export function planHash(plan: Omit<RepairPlan, 'hash' | 'manual'>): string {
  const {hash: _, manual: __, ...said} = plan as RepairPlan;
  return digest('sha256', canonical(said));
}

type NodePart = Pick<RepairPlan, 'id' | 'node' | 'title' | 'createdAt' | 'createdBy' | 'context' | 'steps' | 'deadMan'>;

/** The node's own part; undefined where the client does all there is to do. */
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

/** A plan that a person runs on the node with the helper script. */
export function forHand(plan: RepairPlan): RepairPlan {
  const onNode = nodePlan(plan);
  return onNode ? {...plan, manual: Buffer.from(JSON.stringify(onNode)).toString('base64')} : plan;
}

/** Whether the node's own network goes at some point, by a step of the node or by its agent. */
export function cutsNetwork({before, steps, after}: Pick<RepairPlan, 'before' | 'steps' | 'after'>): boolean {
  return [...before, ...steps, ...after].some(({cuts}) => cuts);
}
