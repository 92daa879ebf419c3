import {defaultNamespace} from '../helper/default-namespace.js';
import {installedFleet} from '../helper/fleet.js';
import type {InstalledVersion} from '../helper/version-skew.js';
import {ApiError} from '../kube/api-errors.js';
import {connect, type KubeClient} from '../kube/client.js';
import type {ConnectionFlags} from '../kube/kubeconfig.js';

export interface ServerVersion {
  readonly version: string;
  readonly context: string;
  /** The installed helper, if there is one and the user may read it. */
  readonly installedHelper?: InstalledVersion & {readonly namespace: string};
}

export async function serverVersion(
  flags: ConnectionFlags,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<ServerVersion> {
  const client = connect(flags);
  try {
    const [version, installedHelper] = await Promise.all([
      client.version({signal}),
      installedHelperOf(client, namespace, signal),
    ]);
    return {version, context: client.context, ...(installedHelper && {installedHelper})};
  } finally {
    await client.close();
  }
}

async function installedHelperOf(client: KubeClient, wanted: string | undefined, signal: AbortSignal) {
  const namespace = wanted ?? defaultNamespace;
  try {
    const installed = await installedFleet(client, {namespace, signal});
    if (!installed) return undefined;
    const {script, protocol: spoken, version, upToDate} = installed;
    return {namespace, script, ...(spoken && {protocol: spoken}), ...(version && {version}), upToDate};
  } catch (error) {
    // Everyone may read the cluster's version, but not everyone may read the namespace.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
