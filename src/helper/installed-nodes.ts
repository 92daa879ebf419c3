import type {V1Pod} from '@kubernetes/client-node';
import {isForbidden} from '../kube/api-errors.js';
import type {CallOptions, KubeClient} from '../kube/client.js';
import {apiPath} from '../lib/api-path.js';

// Apart from whatever makes helpers: who only asks where they are need not load the script that they run.

/** Chooses what `helper install` made in a namespace. */
export const installedSelector = 'app.kubernetes.io/component=installed-helper';

/** The nodes on which an installed helper runs. Undefined for those who may not list its pods. */
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
