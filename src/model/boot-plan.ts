import * as z from 'zod/mini';
import {deadMan, type Requester} from './plan.js';
import {condition, objectName, planStep} from './step.js';

/**
 * What a node does by itself at every boot: it waits until the network is healthy, and where that does not come true in
 * time, runs steps that a person approved when they were stored. `helper/plan/boot.ps1` holds the same rules.
 */

export const bootPlanShape = z.strictObject({
  apiVersion: z.literal('kubectl-win/v1'),
  kind: z.literal('BootPlan'),
  node: objectName,
  title: z.string().check(z.minLength(1), z.maxLength(200)),
  createdAt: z.iso.datetime({offset: true}),
  createdBy: z.optional(z.string().check(z.maxLength(200))),
  /** All of this holds on a node that recovered on its own: then nothing is done. */
  unless: z.array(condition).check(z.minLength(1), z.maxLength(10)),
  /** How long the node may take to come back by itself. */
  settleSeconds: z.int().check(z.minimum(1), z.maximum(1800)),
  /** Which steps may be here their objects say: `repair/boot` and the node check that. */
  steps: z.array(planStep).check(z.minLength(1), z.maxLength(50)),
  /** An agent that starts makes the switch under the node's address. */
  deadMan,
});

export type BootPlan = z.infer<typeof bootPlanShape>;

/** How the last boot went: the node was healthy; the steps ran; something blocked them. */
const lastBoot = z.looseObject({
  at: z.string(),
  outcome: z.enum(['notNeeded', 'ran', 'blocked']),
  /** The plan that was made of the steps, as `cleanup --status` shows it. */
  plan: z.optional(z.guid()),
  message: z.optional(z.string()),
});

/** What a node says of its plan for boots. */
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

/** Each is answered by one `{type:'boot', ...BootStatus}`. */
export type BootRequest =
  | (Timed & Requester & {request: 'boot.set'; plan: string; hash: string})
  | (Timed & Requester & {request: 'boot.remove'})
  | (Timed & {request: 'boot.status'});
