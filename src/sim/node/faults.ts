import * as z from 'zod/mini';
import {errorKinds} from '../../helper/wire.js';

/** A fault in the output of the helper. */
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
  /** Number of complete lines before the fault, for faults that cut the output. */
  afterLines: z._default(z.int().check(z.nonnegative()), 3),
  /** With `slow`: delay before each line. */
  ms: z._default(z.int().check(z.nonnegative()), 200),
  /** Affects only the first exec. */
  once: z._default(z.boolean(), false),
});

export type HelperFault = z.infer<typeof helperFault>;

export const nodeFaults = z.strictObject({
  /** The kubelet does nothing: new pods stay Pending without events, and exec fails. */
  kubeletDown: z._default(z.boolean(), false),
  /** Images that are not on the node cannot be pulled. */
  imagePull: z._default(z.boolean(), false),
  /** A container runtime without HostProcess containers. */
  docker: z._default(z.boolean(), false),
  /** Additional time until a pod runs. */
  slowStart: z._default(z.int().check(z.nonnegative()), 0),
  helper: z.optional(helperFault),
  /** After the node's address moves, no other adapter has connectivity until an undo starts. */
  uplinkLost: z._default(z.boolean(), false),
  /** Targets that do not answer, although the node's network works. */
  silent: z._default(z.array(z.enum(['gateway', 'apiServer'])), []),
  /** A plan step that always fails. */
  failStep: z.optional(z.string()),
  /** The agent starts but never becomes ready. */
  agentStuck: z._default(z.boolean(), false),
  /** Sections that cannot be read, and why. */
  sectionErrors: z._default(
    z.record(z.string(), z.strictObject({kind: z.enum(errorKinds), message: z._default(z.string(), '')})),
    {},
  ),
});

export type NodeFaults = z.infer<typeof nodeFaults>;
