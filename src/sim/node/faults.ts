import {z} from 'zod';
import {errorKinds} from '../../helper/wire.js';

/** What goes wrong with an answer of the helper. */
export const helperFault = z.strictObject({
  kind: z.enum(['cut', 'truncate', 'silent', 'garbage', 'onlyGarbage', 'halfLine', 'empty', 'wrongHash', 'slow']),
  /** Lines that still come whole, for those faults that cut something off. */
  afterLines: z.int().nonnegative().default(3),
  /** With `slow`: time before each line. */
  ms: z.int().nonnegative().default(200),
  /** Only the first exec suffers, the next one is right. */
  once: z.boolean().default(false),
});

export type HelperFault = z.infer<typeof helperFault>;

export const nodeFaults = z.strictObject({
  /** The kubelet does nothing: new pods stay Pending, without an event, and exec cannot reach them. */
  kubeletDown: z.boolean().default(false),
  /** Images that the node does not have cannot be pulled. */
  imagePull: z.boolean().default(false),
  /** A runtime that knows no HostProcess containers. */
  docker: z.boolean().default(false),
  /** Time until a pod runs, beside the usual one. */
  slowStart: z.int().nonnegative().default(0),
  helper: helperFault.optional(),
  /** Once the node's address has left its adapter, nothing is reached from any other one. */
  uplinkLost: z.boolean().default(false),
  /** A step of plans that fails, whatever it finds. */
  failStep: z.string().optional(),
  /** The agent starts and never gets ready. */
  agentStuck: z.boolean().default(false),
  /** Sections that cannot be read, and why. */
  sectionErrors: z
    .record(z.string(), z.strictObject({kind: z.enum(errorKinds), message: z.string().default('')}))
    .default({}),
});

export type NodeFaults = z.infer<typeof nodeFaults>;
