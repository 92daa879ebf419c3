import {isDeepStrictEqual} from 'node:util';
import type {V1ConfigMap, V1DaemonSet, V1ObjectMeta, V1Pod} from '@kubernetes/client-node';
import {isAlreadyThere} from '../kube/api-errors.js';
import type {CallOptions, KubeClient} from '../kube/client.js';
import {apiPath} from '../lib/api-path.js';
import {WinError} from '../lib/errors.js';
import {inParallel} from '../lib/in-parallel.js';
import {alphabetically} from '../lib/natural-order.js';
import {helperOwner} from './helper-run.js';
import {fixedImage} from './image.js';
import {installedSelector} from './installed-nodes.js';
import {
  bootAnnotation,
  expiresAnnotation,
  helperConfigMap,
  helperDaemonSet,
  intervalAnnotation,
  namespaceObject,
  ownerAnnotation,
  ownSelector,
  runLabel,
} from './manifests.js';
import {ensureNamespace} from './namespace.js';
import {removeObject} from './removal.js';
import {type InstalledVersion, installedVersion} from './version-skew.js';

export interface InstallOptions extends CallOptions {
  namespace: string;
  image?: string | undefined;
  /** How often helpers read their node on schedule; undefined: never. */
  intervalSeconds?: number | undefined;
  /** Whether nodes have boot tasks; undefined: unchanged. */
  cleanupOnBoot?: boolean | undefined;
}

/** Installs the helper on all Windows nodes as a DaemonSet, or updates the existing one. */
export async function installHelpers(
  client: KubeClient,
  {namespace, image, intervalSeconds, cleanupOnBoot, signal}: InstallOptions,
): Promise<void> {
  const daemonSetImage = fixedImage(image);
  await ensureNamespace(client, namespace, {signal});
  const identity = {namespace, owner: helperOwner()};
  const configMap = helperConfigMap(identity);
  const name = configMap.metadata?.name ?? '';
  const daemonSet = helperDaemonSet({
    ...identity,
    image: daemonSetImage,
    configMap: name,
    intervalSeconds,
    cleanupOnBoot,
  });
  const present = await presentDaemonSet(client, namespace, daemonSet, signal);
  const changed = await putScript(client, namespace, configMap, signal);
  const path = apiPath`/apis/apps/v1/namespaces/${namespace}/daemonsets`;
  if (present) {
    const replaced = {...daemonSet, metadata: replacedMetadata(daemonSet.metadata, present.metadata)};
    await client.replace(`${path}/${daemonSet.metadata?.name}`, replaced, {signal});
  } else await client.create(path, daemonSet, {signal});
  const outdated = (await installedConfigMaps(client, namespace, signal)).filter(other => other !== name);
  await inParallel(outdated, 4, other => removeObject(client, namespace, 'configmaps', other, signal));
  if (changed) await restartPods(client, namespace, signal);
}

/** The existing DaemonSet of that name. Throws if it was not created by kubectl win. */
async function presentDaemonSet(
  client: KubeClient,
  namespace: string,
  {metadata}: V1DaemonSet,
  signal: AbortSignal | undefined,
): Promise<V1DaemonSet | undefined> {
  const path = apiPath`/apis/apps/v1/namespaces/${namespace}/daemonsets`;
  const fieldSelector = `metadata.name=${metadata?.name}`;
  const [present] = (await client.list<V1DaemonSet>(path, {fieldSelector, signal})).items;
  if (!present || present.metadata?.labels?.[managedBy] === 'kubectl-win') return present;
  throw new WinError(`The DaemonSet ${metadata?.name} in namespace ${namespace} was not created by kubectl win.`, {
    next: [
      `Inspect it: kubectl get daemonset ${metadata?.name} -n ${namespace} -o yaml`,
      'Delete it, or use another namespace with --helper-namespace.',
    ],
  });
}

const managedBy = 'app.kubernetes.io/managed-by';

/** Replaces everything, so that nothing added to the old object runs as SYSTEM, but keeps the annotation about boot tasks. */
function replacedMetadata(wanted: V1ObjectMeta | undefined, present: V1ObjectMeta | undefined): V1ObjectMeta {
  const boot = present?.annotations?.[bootAnnotation];
  return {
    ...wanted,
    // The server refuses it if the object has changed meanwhile.
    ...(present?.resourceVersion && {resourceVersion: present.resourceVersion}),
    annotations: {...(boot !== undefined && {[bootAnnotation]: boot}), ...wanted?.annotations},
  };
}

/** Creates the ConfigMap with the script. If it exists with different content, recreates it and returns true. */
async function putScript(client: KubeClient, namespace: string, object: V1ConfigMap, signal: AbortSignal | undefined) {
  const path = apiPath`/api/v1/namespaces/${namespace}/configmaps`;
  if (await createUnlessThere(client, path, object, signal)) return false;
  const {name = ''} = object.metadata ?? {};
  const {data} = await client.get<V1ConfigMap>(`${path}/${name}`, {signal});
  if (isDeepStrictEqual(data, object.data)) return false;
  await removeObject(client, namespace, 'configmaps', name, signal);
  await client.create(path, object, {signal});
  return true;
}

/** A running pod keeps its script, so it must be restarted. */
async function restartPods(client: KubeClient, namespace: string, signal: AbortSignal | undefined): Promise<void> {
  const path = apiPath`/api/v1/namespaces/${namespace}/pods`;
  const {items} = await client.list<V1Pod>(path, {labelSelector: installedSelector, signal});
  await inParallel(items, 8, ({metadata}) => removeObject(client, namespace, 'pods', metadata?.name ?? '', signal));
}

/** All objects of an installation. */
export function helperObjects({
  namespace,
  image,
  intervalSeconds,
}: Pick<InstallOptions, 'namespace' | 'image' | 'intervalSeconds'>): object[] {
  const identity = {namespace, owner: helperOwner()};
  const configMap = helperConfigMap(identity);
  const daemonSet = helperDaemonSet({
    ...identity,
    image: fixedImage(image),
    intervalSeconds,
    configMap: configMap.metadata?.name ?? '',
  });
  return [namespaceObject(namespace), configMap, daemonSet];
}

/** Removes the DaemonSet and its scripts, but not the namespace. Returns false if nothing was installed. */
export async function uninstallHelpers(client: KubeClient, {namespace, signal}: InstallOptions): Promise<boolean> {
  const path = apiPath`/apis/apps/v1/namespaces/${namespace}/daemonsets`;
  const {items} = await client.list<V1DaemonSet>(path, {labelSelector: installedSelector, signal});
  await inParallel(items, 4, ({metadata}) => client.remove(`${path}/${metadata?.name}`, {signal}));
  const configMaps = await installedConfigMaps(client, namespace, signal);
  await inParallel(configMaps, 4, name => removeObject(client, namespace, 'configmaps', name, signal));
  return items.length + configMaps.length > 0;
}

export interface InstalledFleet extends InstalledVersion {
  name: string;
  desired: number;
  ready: number;
  image: string;
  /** How often its helpers read their node on schedule, in seconds; 0: never. */
  intervalSeconds: number;
  cleanupOnBoot: boolean;
}

export interface FleetStatus {
  namespace: string;
  installed: InstalledFleet | undefined;
  /** Pods and scripts of single runs, in use or orphaned. */
  runs: RunStatus[];
}

export interface RunStatus {
  run: string;
  owner: string;
  /** True: the run has expired, so nothing of it can be in use. */
  over: boolean;
  pods: {name: string; node: string; phase: string}[];
  configMaps: string[];
}

/** What this program has in the cluster now. */
export async function fleetStatus(client: KubeClient, {namespace, signal}: InstallOptions): Promise<FleetStatus> {
  const core = apiPath`/api/v1/namespaces/${namespace}`;
  const own = {labelSelector: `${ownSelector},${runLabel}`, signal};
  const [installed, pods, configMaps] = await Promise.all([
    installedFleet(client, {namespace, signal}),
    client.list<V1Pod>(`${core}/pods`, own),
    client.list<V1ConfigMap>(`${core}/configmaps`, own),
  ]);
  return {namespace, installed, runs: runsOf(pods.items, configMaps.items)};
}

/** The installed helper, no matter which user installed it. */
export async function installedFleet(
  client: KubeClient,
  {namespace, signal}: InstallOptions,
): Promise<InstalledFleet | undefined> {
  const path = apiPath`/apis/apps/v1/namespaces/${namespace}/daemonsets`;
  const {items} = await client.list<V1DaemonSet>(path, {labelSelector: installedSelector, signal});
  return items[0] && describe(items[0]);
}

/** The removed runs, and those that were kept because they may still be active. */
export interface Pruned {
  readonly removed: readonly RunStatus[];
  readonly kept: readonly RunStatus[];
}

/** Removes orphaned objects; with `all`, also those that may still be in use. */
export async function pruneHelpers(
  client: KubeClient,
  {all = false, ...options}: InstallOptions & {all?: boolean},
): Promise<Pruned> {
  const {namespace, signal} = options;
  const {runs} = await fleetStatus(client, options);
  const isOver = (run: RunStatus) => run.over || all;
  const leftovers = runs.flatMap(run => (isOver(run) ? [run] : withoutLiving(run)));
  const pods = leftovers.flatMap(run => run.pods.map(({name}) => ['pods', name] as const));
  const configMaps = leftovers.flatMap(run => run.configMaps.map(name => ['configmaps', name] as const));
  await inParallel([...pods, ...configMaps], 8, ([kind, name]) => removeObject(client, namespace, kind, name, signal));
  return {removed: leftovers, kept: runs.filter(run => !isOver(run))};
}

/** For a run that may still be active, only its terminated pods: it may need its scripts for further pods. */
function withoutLiving(run: RunStatus): RunStatus[] {
  const pods = run.pods.filter(hasEnded);
  return pods.length > 0 ? [{...run, pods, configMaps: []}] : [];
}

export const hasEnded = ({phase}: {readonly phase: string}): boolean => phase === 'Failed' || phase === 'Succeeded';

async function createUnlessThere(
  client: KubeClient,
  path: string,
  object: object,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await client.create(path, object, {signal});
    return true;
  } catch (error) {
    if (isAlreadyThere(error)) return false;
    throw error;
  }
}

async function installedConfigMaps(client: KubeClient, namespace: string, signal: AbortSignal | undefined) {
  const path = apiPath`/api/v1/namespaces/${namespace}/configmaps`;
  const {items} = await client.list<V1ConfigMap>(path, {labelSelector: installedSelector, signal});
  return items.map(({metadata}) => metadata?.name ?? '');
}

function describe({metadata, spec, status}: V1DaemonSet): InstalledFleet {
  return {
    name: metadata?.name ?? '',
    desired: status?.desiredNumberScheduled ?? 0,
    ready: status?.numberReady ?? 0,
    image: spec?.template.spec?.containers[0]?.image ?? '',
    ...installedVersion(metadata),
    intervalSeconds: Number(metadata?.annotations?.[intervalAnnotation]) || 0,
    cleanupOnBoot: metadata?.annotations?.[bootAnnotation] === 'true',
  };
}

function runsOf(pods: readonly V1Pod[], configMaps: readonly V1ConfigMap[]): RunStatus[] {
  const runs = new Map<string, RunStatus>();
  const runOf = (metadata: V1ObjectMeta | undefined): RunStatus => {
    const id = metadata?.labels?.[runLabel] ?? '';
    const expires = Date.parse(metadata?.annotations?.[expiresAnnotation] ?? '');
    const known = runs.get(id);
    const owner = metadata?.annotations?.[ownerAnnotation] ?? '';
    const run = known ?? {run: id, owner, over: !(expires > Date.now()), pods: [], configMaps: []};
    runs.set(id, run);
    return run;
  };
  for (const {metadata, spec, status} of pods) {
    const {name = ''} = metadata ?? {};
    runOf(metadata).pods.push({name, node: spec?.nodeName ?? '', phase: status?.phase ?? 'Pending'});
  }
  for (const {metadata} of configMaps) runOf(metadata).configMaps.push(metadata?.name ?? '');
  return [...runs.values()].sort((a, b) => alphabetically(a.run, b.run));
}
