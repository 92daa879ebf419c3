import * as z from 'zod/mini';
import {errorKinds} from '../../helper/wire.js';

/** What goes wrong with an answer of the helper. */
export const helperFault = z.strictObject({
  kind: z.enum([
    'cut',
    'truncate',
    'silent',
    'garbage',
    'onlyGarbage',
    'halfLine',
    'empty',
    'wrongHash',
    'slow',
    'noSections',
  ]),
  /** Lines that still come whole, for those faults that cut something off. */
  afterLines: z._default(z.int().check(z.nonnegative()), 3),
  /** With `slow`: time before each line. */
  ms: z._default(z.int().check(z.nonnegative()), 200),
  /** Only the first exec suffers, the next one is right. */
  once: z._default(z.boolean(), false),
});

export type HelperFault = z.infer<typeof helperFault>;

export const nodeFaults = z.strictObject({
  /** The kubelet does nothing: new pods stay Pending, without an event, and exec cannot reach them. */
  kubeletDown: z._default(z.boolean(), false),
  /** Images that the node does not have cannot be pulled. */
  imagePull: z._default(z.boolean(), false),
  /** A runtime that knows no HostProcess containers. */
  docker: z._default(z.boolean(), false),
  /** Time until a pod runs, beside the usual one. */
  slowStart: z._default(z.int().check(z.nonnegative()), 0),
  helper: z.optional(helperFault),
  /** Once the node's address has left its adapter, nothing is reached from any other one until an undo begins. */
  uplinkLost: z._default(z.boolean(), false),
  /** What does not answer the node, though its network carries packets. */
  silent: z._default(z.array(z.enum(['gateway', 'apiServer'])), []),
  /** A step of plans that fails, whatever it finds. */
  failStep: z.optional(z.string()),
  /** The agent starts and never gets ready. */
  agentStuck: z._default(z.boolean(), false),
  /** Sections that cannot be read, and why. */
  sectionErrors: z._default(
    z.record(z.string(), z.strictObject({kind: z.enum(errorKinds), message: z._default(z.string(), '')})),
    {},
  ),
});

export type NodeFaults = z.infer<typeof nodeFaults>;
