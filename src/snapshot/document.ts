import {z} from 'zod';

const sectionFailure = z
  .object({kind: z.string().catch('Failed'), message: z.string().catch('')})
  .catch({kind: 'Failed', message: ''});

/** What cannot be read of one node is as if it was not collected: its neighbours must not be lost with it. */
export const nodeDump = z
  .object({
    sections: z.record(z.string(), z.unknown()).catch({}),
    errors: z.record(z.string(), sectionFailure).catch({}),
  })
  .catch({sections: {}, errors: {}});

/** The snapshot file: what `collect` writes and `doctor --from` reads. Every part is optional. */
export const snapshotDocument = z.object({
  apiVersion: z.literal('kubectl-win/v1'),
  kind: z.literal('Snapshot'),
  collectedAt: z.string().optional().catch(undefined),
  cluster: z
    .object({version: z.string().optional().catch(undefined), objects: z.array(z.unknown()).default([])})
    .optional()
    .catch(undefined),
  nodes: z
    .record(z.string(), nodeDump)
    .nullish()
    .transform(value => value ?? {}),
});

export type NodeDump = z.infer<typeof nodeDump>;
export type SectionFailure = z.infer<typeof sectionFailure>;
export type SnapshotDocument = z.infer<typeof snapshotDocument>;
