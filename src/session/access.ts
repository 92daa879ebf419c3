import type {V1SelfSubjectAccessReview} from '@kubernetes/client-node';
import {defaultNamespace} from '../helper/default-namespace.js';
import {ApiError, isNotFound} from '../kube/api-errors.js';
import type {CallOptions, KubeClient} from '../kube/client.js';
import {apiPath} from '../lib/api-path.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {inParallel} from '../lib/in-parallel.js';

/** One thing that a command must be allowed to do. */
export interface AccessNeed {
  verb: string;
  group?: string;
  /** With a subresource behind a slash, as in `pods/exec`. */
  resource: string;
  namespace?: string;
  /** The one object, where a right for it alone is enough. */
  name?: string;
}

/** Fails before anything is made when something is not allowed, and names all of it at once. */
export async function requireAccess(
  client: KubeClient,
  needs: readonly AccessNeed[],
  next: readonly string[],
  options: CallOptions = {},
): Promise<void> {
  const allowed = await inParallel(needs, 8, need => isAllowed(client, need, options));
  const missing = needs.filter((_, index) => !allowed[index]);
  if (missing.length === 0) return;
  const where = client.context ? ` in context "${client.context}"` : '';
  throw new WinError(`You may not ${listed(missing)}${where}.`, {exit: ExitCode.denied, next});
}

interface HelperAccess extends CallOptions {
  /** What the command can do without helpers, where it can do anything. */
  instead?: string | undefined;
}

/** All that looking at nodes through helper pods takes. */
export async function requireHelperAccess(
  client: KubeClient,
  namespace: string = defaultNamespace,
  {instead, ...options}: HelperAccess = {},
): Promise<void> {
  const needs: AccessNeed[] = [
    {verb: 'create', resource: 'configmaps', namespace},
    {verb: 'delete', resource: 'configmaps', namespace},
    {verb: 'create', resource: 'pods', namespace},
    {verb: 'list', resource: 'pods', namespace},
    {verb: 'delete', resource: 'pods', namespace},
    // A WebSocket begins as a GET; from Kubernetes 1.35 on the API server asks for `create` as well.
    {verb: 'get', resource: 'pods/exec', namespace},
    {verb: 'create', resource: 'pods/exec', namespace},
  ];
  const mustMake = namespace === defaultNamespace && (await isAbsent(client, namespace, options));
  if (mustMake) needs.unshift({verb: 'create', resource: 'namespaces'});
  await requireAccess(
    client,
    needs,
    [
      "Ask an administrator for the role kubectl-win-helper of kubectl win's manifests/rbac.yaml.",
      ...(instead === undefined ? [] : [instead]),
    ],
    options,
  );
}

/** Whether the user may do it, as the API server says. */
export async function isAllowed(client: KubeClient, need: AccessNeed, options: CallOptions = {}): Promise<boolean> {
  const [resource, subresource] = need.resource.split('/');
  const {verb, group = '', namespace, name} = need;
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {resourceAttributes: {verb, group, resource, subresource, namespace, name}},
  };
  try {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const {status} = await client.create<V1SelfSubjectAccessReview>(path, review, options);
    return status?.allowed ?? false;
  } catch (error) {
    // Who may not even ask is told by the request itself.
    if (error instanceof ApiError && error.status !== 401) return true;
    throw error;
  }
}

async function isAbsent(client: KubeClient, namespace: string, options: CallOptions): Promise<boolean> {
  try {
    await client.get(apiPath`/api/v1/namespaces/${namespace}`, options);
    return false;
  } catch (error) {
    if (error instanceof ApiError) return isNotFound(error);
    throw error;
  }
}

/** "create and delete pods, get pods/exec in namespace x": what belongs together is said together. */
function listed(needs: readonly AccessNeed[]): string {
  const verbs = new Map<string, string[]>();
  for (const {verb, resource, namespace, name} of needs) {
    const object = name === undefined ? resource : `${resource} ${name}`;
    const what = namespace ? `${object} in namespace "${namespace}"` : object;
    verbs.set(what, [...(verbs.get(what) ?? []), verb]);
  }
  return [...verbs].map(([what, all]) => `${all.join(' and ')} ${what}`).join(', ');
}
