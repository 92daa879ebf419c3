import * as z from 'zod/mini';
import '../lib/zod-messages.js';
import {clusterList} from './cluster-lists.js';

const sectionFailure = z.catch(z.object({kind: z.catch(z.string(), 'Failed'), message: z.catch(z.string(), '')}), {
  kind: 'Failed',
  message: '',
});

/** What cannot be read of one node is as if it was not collected: its neighbours must not be lost with it. */
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
        /** Which lists were asked for. Older snapshots have none: it is not known what of the cluster was read. */
        lists: z.optional(z.array(clusterList)),
        /** Of how many objects something private was left out, by what it was. */
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
