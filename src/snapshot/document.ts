import {z} from 'zod';

/** A Kubernetes object as the API returned it. Extra properties are kept. */
export const kubeObject = z.looseObject({
  apiVersion: z.string().catch(''),
  kind: z.string(),
  metadata: z
    .looseObject({name: z.string().catch(''), namespace: z.string().optional().catch(undefined)})
    .catch({name: ''}),
});

export const sectionFailure = z.object({kind: z.string().catch('Failed'), message: z.string().catch('')});

export const nodeDump = z.object({
  sections: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform(value => value ?? {}),
  errors: z
    .record(z.string(), sectionFailure)
    .nullish()
    .transform(value => value ?? {}),
});

/** The snapshot file: what `collect` writes and `doctor --from` reads. Every part is optional. */
export const snapshotDocument = z.object({
  apiVersion: z.literal('kubectl-win/v1'),
  kind: z.literal('Snapshot'),
  collectedAt: z.string().optional(),
  cluster: z.object({version: z.string().optional(), objects: z.array(z.unknown()).default([])}).optional(),
  nodes: z.record(z.string(), nodeDump).default({}),
});

export type KubeObject = z.infer<typeof kubeObject>;
export type NodeDump = z.infer<typeof nodeDump>;
export type SectionFailure = z.infer<typeof sectionFailure>;
export type SnapshotDocument = z.infer<typeof snapshotDocument>;
