import type {V1Pod} from '@kubernetes/client-node';
import {isForbidden} from '../kube/api-errors.js';
import type {CallOptions, KubeClient} from '../kube/client.js';
import {apiPath} from '../lib/api-path.js';

// Separate from the code that creates helpers, so that listing them does not load the helper script.

/** Selects the objects that `helper install` created in a namespace. */
export const installedSelector = 'app.kubernetes.io/component=installed-helper';

/** The nodes on which an installed helper runs. Undefined if the user may not list its pods. */
export async function nodesWithHelper(
  client: KubeClient,
  {namespace, signal}: CallOptions & {namespace: string},
): Promise<ReadonlySet<string> | undefined> {
  const path = apiPath`/api/v1/namespaces/${namespace}/pods`;
  try {
    const {items} = await client.list<V1Pod>(path, {labelSelector: installedSelector, signal});
    return new Set(items.flatMap(({spec, status}) => (status?.phase === 'Running' && spec?.nodeName) || []));
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
