import * as z from 'zod/mini';
import {deadMan, type Requester} from './plan.js';
import {condition, objectName, planStep} from './step.js';

/**
 * What a node does automatically at every boot: it waits for the network to become healthy. If that takes too long, it
 * runs steps that an operator approved when the plan was stored. `helper/plan/boot.ps1` implements the same rules.
 */

export const bootPlanShape = z.strictObject({
  apiVersion: z.literal('kubectl-win/v1'),
  kind: z.literal('BootPlan'),
  node: objectName,
  title: z.string().check(z.minLength(1), z.maxLength(200)),
  createdAt: z.iso.datetime({offset: true}),
  createdBy: z.optional(z.string().check(z.maxLength(200))),
  /** If all of these conditions hold, the node has recovered without help and no step runs. */
  unless: z.array(condition).check(z.minLength(1), z.maxLength(10)),
  /** How long the node may take to recover without help. */
  settleSeconds: z.int().check(z.minimum(1), z.maximum(1800)),
  /** Only steps whose `atBoot` allows it; `repair/boot` and the node both check this. */
  steps: z.array(planStep).check(z.minLength(1), z.maxLength(50)),
  /** Required because an agent that starts recreates the switch that carries the node's address. */
  deadMan,
});

export type BootPlan = z.infer<typeof bootPlanShape>;

/** Outcome of the last boot: the node was healthy, the steps ran, or something blocked them. */
const lastBoot = z.looseObject({
  at: z.string(),
  outcome: z.enum(['notNeeded', 'ran', 'blocked']),
  /** The plan created from the steps, as shown by `cleanup --status`. */
  plan: z.optional(z.guid()),
  message: z.optional(z.string()),
});

/** What a node reports about its boot plan. */
export const bootStatus = z.looseObject({
  set: z.boolean(),
  hash: z.optional(z.string()),
  title: z.optional(z.string()),
  createdAt: z.optional(z.string()),
  steps: z.optional(z.int()),
  last: z.optional(lastBoot),
});

export type BootStatus = z.infer<typeof bootStatus>;

interface Timed {
  protocol: 1;
  deadlineMs: number;
}

/** The answer to each is one `{type:'boot', ...BootStatus}`. */
export type BootRequest =
  | (Timed & Requester & {request: 'boot.set'; plan: string; hash: string})
  | (Timed & Requester & {request: 'boot.remove'})
  | (Timed & {request: 'boot.status'});
