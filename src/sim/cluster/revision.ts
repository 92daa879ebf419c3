import {createHash} from 'node:crypto';

export const revisionLabel = 'controller-revision-hash';

/** Identifies a pod template, like the hash in the label of a pod. */
export const templateRevision = (template: unknown): string =>
  createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10);
