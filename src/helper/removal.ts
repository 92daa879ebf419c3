import type {V1ObjectMeta} from '@kubernetes/client-node';
import {isForbidden, isTemporary} from '../kube/api-errors.js';
import type {KubeClient} from '../kube/client.js';
import {persisting} from '../kube/retry.js';
import {apiPath} from '../lib/api-path.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {inParallel} from '../lib/in-parallel.js';
import {runLabel} from './manifests.js';

export interface Leftovers {
  namespace: string;
  run: string;
  /** Known pods; everything else is found by the run's label. */
  pods: readonly string[];
  configMap?: string | undefined;
}

/** A command must exit even if the API server no longer answers. */
const timeLimitMs = 30_000;
const retryEveryMs = 500;
const atOnce = 20;

/**
 * Removes the pods and scripts of a run, and retries while the API server is temporarily unavailable. The error for what
 * could not be removed includes the command that removes it.
 */
export async function removeRun(client: KubeClient, {namespace, run, pods, configMap}: Leftovers): Promise<void> {
  const signal = AbortSignal.timeout(timeLimitMs);
  const patience = {until: performance.now() + timeLimitMs, everyMs: retryEveryMs, signal};
  const failures: unknown[] = [];
  const note = (error: unknown) => void failures.push(error);
  const labelSelector = `${runLabel}=${run}`;
  if (pods.length > 0) await removePods(client, namespace, {labelSelector, pods, signal}).catch(note);
  if (configMap) {
    await persisting(() => removeObject(client, namespace, 'configmaps', configMap, signal), patience).catch(note);
  }
  // Objects with the run's label that are not known, for example after an aborted request.
  for (const kind of ['pods', 'configmaps']) {
    const names = await persisting(() => findByLabel(client, namespace, kind, labelSelector, signal), patience).catch(
      error => {
        // Without the right to list, removing the known objects must be enough.
        if (!isForbidden(error) || isTemporary(error)) note(error);
        return [];
      },
    );
    await inParallel(names, atOnce, name =>
      persisting(() => removeObject(client, namespace, kind, name, signal), patience).catch(note),
    );
    const left = names.length > 0 ? await findByLabel(client, namespace, kind, labelSelector, signal).catch(note) : [];
    if (left && left.length > 0) note(new Error(`${kind} ${left.join(', ')} still exist.`));
  }
  if (failures.length > 0) throw removalError(client, namespace, run, failures);
}

/**
 * Removes pods by label with one request, or one by one if that is not allowed. Returns the removed pods.
 */
export async function removePods(
  client: KubeClient,
  namespace: string,
  {labelSelector, pods, signal = AbortSignal.timeout(timeLimitMs)}: PodRemoval,
): Promise<readonly string[]> {
  const patience = {until: performance.now() + timeLimitMs, everyMs: retryEveryMs, signal};
  const path = apiPath`/api/v1/namespaces/${namespace}/pods`;
  try {
    await persisting(() => client.removeAll(path, {labelSelector, gracePeriodSeconds: 0, signal}), patience);
    return pods;
  } catch (error) {
    if (!isForbidden(error) || isTemporary(error)) throw error;
  }
  await inParallel(pods, atOnce, name =>
    persisting(() => removeObject(client, namespace, 'pods', name, signal), patience),
  );
  return pods;
}

interface PodRemoval {
  readonly labelSelector: string;
  readonly pods: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Removes one object immediately. It is no error if it does not exist. */
export function removeObject(
  client: KubeClient,
  namespace: string,
  kind: string,
  name: string,
  signal: AbortSignal = AbortSignal.timeout(timeLimitMs),
): Promise<void> {
  return client.remove(apiPath`/api/v1/namespaces/${namespace}/${kind}/${name}`, {gracePeriodSeconds: 0, signal});
}

async function findByLabel(
  client: KubeClient,
  namespace: string,
  kind: string,
  labelSelector: string,
  signal: AbortSignal,
) {
  const path = apiPath`/api/v1/namespaces/${namespace}/${kind}`;
  const {items} = await client.list<{metadata: V1ObjectMeta}>(path, {labelSelector, signal});
  return items.map(({metadata}) => metadata.name ?? '');
}

function removalError({context}: KubeClient, namespace: string, run: string, failures: readonly unknown[]): WinError {
  const [cause] = failures;
  const why = cause instanceof Error ? cause.message : String(cause);
  const kubectl = context ? `kubectl --context ${context}` : 'kubectl';
  return new WinError(`Some helpers of this run could not be removed: ${why}`, {
    exit: ExitCode.uninspected,
    next: [
      `Remove them: ${kubectl} delete pods,configmaps -n ${namespace} -l ${runLabel}=${run} --grace-period=0 --force`,
      'Or leave them: the pods expire, and "kubectl win helper prune" removes the rest.',
    ],
    cause,
  });
}
