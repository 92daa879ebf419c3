import type {V1Namespace} from '@kubernetes/client-node';
import {isAlreadyThere, isForbidden, isNotFound} from '../kube/api-errors.js';
import type {CallOptions, KubeClient} from '../kube/client.js';
import {apiPath} from '../lib/api-path.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {defaultNamespace} from './default-namespace.js';
import {namespaceObject} from './manifests.js';
import {podSecurityError} from './pod-trouble.js';

const enforceLabel = 'pod-security.kubernetes.io/enforce';

/**
 * Ensures that helper pods have a namespace that allows them. The default namespace is created on demand and stays:
 * deleting a namespace takes long and would race with the next run. Any other namespace must exist.
 */
export async function ensureNamespace(client: KubeClient, name: string, options: CallOptions = {}): Promise<void> {
  const existing = await readNamespace(client, name, options);
  if (existing === 'absent') await makeNamespace(client, name, options);
  if (typeof existing === 'string') return;
  const level = existing.metadata?.labels?.[enforceLabel];
  if (level && level !== 'privileged') throw podSecurityError(name, {level, label: true});
}

async function readNamespace(client: KubeClient, name: string, options: CallOptions) {
  try {
    return await client.get<V1Namespace>(apiPath`/api/v1/namespaces/${name}`, options);
  } catch (error) {
    if (isNotFound(error)) return 'absent';
    // A user may have rights in a namespace without being allowed to read it: creating the pod will show.
    if (isForbidden(error)) return 'unreadable';
    throw error;
  }
}

async function makeNamespace(client: KubeClient, name: string, options: CallOptions): Promise<void> {
  if (name !== defaultNamespace) {
    throw new WinError(`The namespace "${name}" for helper pods does not exist.`, {
      next: ['Create it, or omit --helper-namespace to use the default namespace, which is created on demand.'],
    });
  }
  try {
    await client.create('/api/v1/namespaces', namespaceObject(name), options);
  } catch (error) {
    if (isAlreadyThere(error)) return;
    if (!isForbidden(error)) throw error;
    throw new WinError(
      `The namespace "${name}" for helper pods does not exist, and you are not allowed to create it.`,
      {
        exit: ExitCode.denied,
        next: [
          "Ask an administrator to apply kubectl win's manifests/namespace.yaml and manifests/rbac.yaml.",
          'Or use a namespace that allows privileged pods with --helper-namespace.',
        ],
        cause: error,
      },
    );
  }
}
