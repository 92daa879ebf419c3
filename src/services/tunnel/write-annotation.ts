import type {V1Node} from '@kubernetes/client-node';
import {isConflict, isNotFound} from '../../kube/api-errors.js';
import {type CallOptions, fieldManager, type KubeClient} from '../../kube/client.js';
import {apiPath} from '../../lib/api-path.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {tunnelAnnotation} from '../../plugins/annotated-tunnel.js';

export const annotationName = tunnelAnnotation;

/** A change of one node's annotation, starting from its value when the node was inspected. */
export interface Change {
  readonly node: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Server-side dry run. */
  readonly dryRun: boolean;
  /** Called with the field manager whose value is replaced: a program may set it again. */
  readonly onTakeOver?: ((author: string) => void) | undefined;
}

/** Kubelets update their Nodes constantly, so conflicts about other fields are retried. */
const attempts = 5;

/** Writes the annotation unless it has changed since the node was inspected. */
export async function writeAnnotation(client: KubeClient, change: Change, options: WriteOptions): Promise<V1Node> {
  const path = apiPath`/api/v1/nodes/${change.node}`;
  for (let attempt = 1; ; attempt += 1) {
    const present = await readNode(client, path, change.node, options);
    if (annotated(present) !== change.before) throw changedMeanwhile(change, present);
    const author = change.before === undefined || attempt > 1 ? undefined : authorOf(present);
    if (author !== undefined && author.manager !== fieldManager) options.onTakeOver?.(nameOf(author));
    try {
      return await client.patch<V1Node>(path, 'merge', patchOf(change, present), options);
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === attempts) throw neverStill(change.node, error);
    }
  }
}

async function readNode(client: KubeClient, path: string, name: string, options: CallOptions): Promise<V1Node> {
  try {
    return await client.get<V1Node>(path, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new WinError(`the node ${name} no longer exists.`, {exit: ExitCode.usage, cause: error});
  }
}

/** A merge patch that the server refuses if the Node has changed since it was read. */
export function patchOf({after}: Pick<Change, 'after'>, {metadata}: Pick<V1Node, 'metadata'> = {}) {
  const {resourceVersion} = metadata ?? {};
  return {metadata: {...(resourceVersion && {resourceVersion}), annotations: {[tunnelAnnotation]: after ?? null}}};
}

function annotated({metadata}: V1Node): string | undefined {
  return metadata?.annotations?.[tunnelAnnotation] || undefined;
}

function changedMeanwhile({node, before}: Change, present: V1Node): WinError {
  const now = annotated(present);
  const author = now === undefined ? undefined : authorOf(present);
  const what = `the annotation of ${node} was changed while its adapters were being inspected`;
  const how = `was ${before ?? 'not set'}, is ${now ?? 'not set'}${author ? `, written by ${nameOf(author)}` : ''}`;
  return new WinError(`${what} (${how}); nothing was written.`, {
    exit: ExitCode.usage,
    next: [`Check the annotation and run the command again: kubectl win annotate-tunnel ${node} --show`],
  });
}

function neverStill(node: string, cause: unknown): WinError {
  return new WinError(`${node} kept changing during ${attempts} attempts to annotate it; nothing was written.`, {
    exit: ExitCode.usage,
    next: ['Run it again.'],
    cause,
  });
}

interface Author {
  readonly manager: string;
  readonly time: string | undefined;
}

const nameOf = ({manager, time}: Author) => `${manager}${time === undefined ? '' : ` at ${time}`}`;

/** The field manager that last wrote the annotation. */
function authorOf({metadata}: V1Node): Author | undefined {
  const entry = metadata?.managedFields?.find(({fieldsV1}) => {
    const fields = fieldsV1 as {'f:metadata'?: {'f:annotations'?: object}} | undefined;
    return `f:${tunnelAnnotation}` in (fields?.['f:metadata']?.['f:annotations'] ?? {});
  });
  if (entry?.manager === undefined) return undefined;
  return {manager: entry.manager, time: entry.time && new Date(entry.time).toISOString()};
}
