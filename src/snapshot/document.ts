import * as z from 'zod/mini';
import '../lib/zod-messages.js';
import {clusterList} from './cluster-lists.js';

const sectionFailure = z.catch(z.object({kind: z.catch(z.string(), 'Failed'), message: z.catch(z.string(), '')}), {
  kind: 'Failed',
  message: '',
});

/** Invalid parts of one node count as not collected, so that the rest of the snapshot stays usable. */
export const nodeDump = z.catch(
  z.object({
    sections: z.catch(z.record(z.string(), z.unknown()), {}),
    errors: z.catch(z.record(z.string(), sectionFailure), {}),
  }),
  {sections: {}, errors: {}},
);

const textIfAny = z.catch(z.optional(z.string()), undefined);

/** The snapshot file: what `collect` writes and `doctor --from` reads. Every part is optional. */
export const snapshotDocument = z.object({
  apiVersion: z.literal('kubectl-win/v1'),
  kind: z.literal('Snapshot'),
  collectedAt: textIfAny,
  cluster: z.catch(
    z.optional(
      z.object({
        version: textIfAny,
        objects: z._default(z.array(z.unknown()), []),
        /** Which lists were requested. Older snapshots lack it: what was read of the cluster is unknown. */
        lists: z.optional(z.array(clusterList)),
        /** How many objects had private data left out, by kind of data. */
        leftOut: z.catch(z.optional(z.record(z.string(), z.number())), undefined),
      }),
    ),
    undefined,
  ),
  nodes: z.pipe(
    z.nullish(z.record(z.string(), nodeDump)),
    z.transform(value => value ?? {}),
  ),
});

export type NodeDump = z.infer<typeof nodeDump>;
export type SectionFailure = z.infer<typeof sectionFailure>;
export type SnapshotDocument = z.infer<typeof snapshotDocument>;
