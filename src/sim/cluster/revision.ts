import {createHash} from 'node:crypto';

export const revisionLabel = 'controller-revision-hash';

/** Tells one pod template from another, as the hash in a pod's label does. */
export const templateRevision = (template: unknown): string =>
  createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10);
