import type {V1SelfSubjectAccessReview} from '@kubernetes/client-node';
import {defaultNamespace} from '../helper/default-namespace.js';
import {ApiError, isNotFound} from '../kube/api-errors.js';
import type {CallOptions, KubeClient} from '../kube/client.js';
import {apiPath} from '../lib/api-path.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {inParallel} from '../lib/in-parallel.js';
import {type AccessNeed, need, roleTitle} from './rights.js';

/** Fails before anything is created if a permission is missing. The error lists all missing permissions. */
export async function requireAccess(
  client: KubeClient,
  needs: readonly AccessNeed[],
  {next = [], ...options}: CallOptions & {next?: readonly string[]} = {},
): Promise<void> {
  const asked = [...new Map(needs.map(each => [JSON.stringify(each), each])).values()];
  const allowed = await inParallel(asked, 8, each => isAllowed(client, each, options));
  const missing = asked.filter((_, index) => !allowed[index]);
  if (missing.length === 0) return;
  const where = client.context ? ` in context "${client.context}"` : '';
  const titles = [...new Set(missing.flatMap(({role}) => (role ? [roleTitle(role)] : [])))];
  const ask = `Ask an administrator for the role${titles.length > 1 ? 's' : ''} ${titles.join(' and ')} of kubectl win's manifests/rbac.yaml.`;
  throw new WinError(`You are not allowed to ${listed(missing)}${where}.`, {
    exit: ExitCode.denied,
    next: [...(titles.length > 0 ? [ask] : []), ...next],
  });
}

interface HelperAccess extends CallOptions {
  /** The alternative without helpers, if the command has one. */
  instead?: string | undefined;
}

/** Requires the permissions for inspecting nodes through helper pods. */
export async function requireHelperAccess(
  client: KubeClient,
  namespace: string = defaultNamespace,
  {instead, ...options}: HelperAccess = {},
): Promise<void> {
  const needs: AccessNeed[] = helperRights.map(right => need('inspect', right, {namespace}));
  if (await mustMakeNamespace(client, namespace, options)) needs.unshift(makeNamespaces);
  await requireAccess(client, needs, {...options, next: instead === undefined ? [] : [instead]});
}

/** The role's other permissions are optional: without them, reasons of failed pods and leftovers of earlier runs stay unknown. */
const helperRights = [
  'create configmaps',
  'delete configmaps',
  'create pods',
  'list pods',
  'delete pods',
  'get pods/exec',
  'create pods/exec',
];

/** Requires the permissions for `helper install`. */
export async function requireInstallAccess(
  client: KubeClient,
  namespace: string,
  options: CallOptions = {},
): Promise<void> {
  const where = {namespace};
  const needs: AccessNeed[] = [
    ...[
      'create configmaps',
      'list configmaps',
      'delete configmaps',
      'list daemonsets.apps',
      'list pods',
      'delete pods',
    ].map(right => need('inspect', right, where)),
    ...['create daemonsets.apps', 'update daemonsets.apps', 'get configmaps'].map(right =>
      need('install', right, where),
    ),
  ];
  if (await mustMakeNamespace(client, namespace, options)) needs.unshift(makeNamespaces);
  await requireAccess(client, needs, options);
}

/** Requires the permissions for `helper uninstall`. */
export async function requireUninstallAccess(
  client: KubeClient,
  namespace: string,
  options: CallOptions = {},
): Promise<void> {
  const inspect = ['list daemonsets.apps', 'list configmaps', 'delete configmaps'];
  const needs = [
    ...inspect.map(right => need('inspect', right, {namespace})),
    need('install', 'delete daemonsets.apps', {namespace}),
  ];
  await requireAccess(client, needs, options);
}

/** Requires the permissions for `helper prune`. */
export async function requirePruneAccess(
  client: KubeClient,
  namespace: string,
  options: CallOptions = {},
): Promise<void> {
  const rights = ['list daemonsets.apps', 'list configmaps', 'delete configmaps', 'list pods', 'delete pods'];
  await requireAccess(
    client,
    rights.map(right => need('inspect', right, {namespace})),
    options,
  );
}

/** None of our roles includes it: an administrator creates the namespace once. */
const makeNamespaces: AccessNeed = {verb: 'create', group: '', resource: 'namespaces'};

const mustMakeNamespace = async (client: KubeClient, namespace: string, options: CallOptions): Promise<boolean> =>
  namespace === defaultNamespace && (await isAbsent(client, namespace, options));

/** Asks the API server whether the user has a permission. */
export async function isAllowed(client: KubeClient, asked: AccessNeed, options: CallOptions = {}): Promise<boolean> {
  const [resource, subresource] = asked.resource.split('/');
  const {verb, group, namespace, name} = asked;
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {resourceAttributes: {verb, group, resource, subresource, namespace, name}},
  };
  try {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const {status} = await client.ask<V1SelfSubjectAccessReview>(path, review, options);
    return status?.allowed ?? false;
  } catch (error) {
    // If the review fails, the request itself will report a missing permission.
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

/** Groups verbs by resource: "create and delete pods, get pods/exec in namespace x". */
function listed(needs: readonly AccessNeed[]): string {
  const verbs = new Map<string, string[]>();
  for (const {verb, resource, namespace, name} of needs) {
    const object = name === undefined ? resource : `${resource} ${name}`;
    const what = namespace ? `${object} in namespace "${namespace}"` : object;
    verbs.set(what, [...(verbs.get(what) ?? []), verb]);
  }
  return [...verbs].map(([what, all]) => `${all.join(' and ')} ${what}`).join(', ');
}
