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
  /** How often helpers read their node by themselves; undefined: never. */
  intervalSeconds?: number | undefined;
  /** Whether nodes have been told what to do at boots; undefined: as it was. */
  cleanupOnBoot?: boolean | undefined;
}

/** Puts the helper on all Windows nodes as a DaemonSet, or brings the one that is there up to date. */
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

/** The DaemonSet of that name. One that someone else made is none to bring up to date. */
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
  throw new WinError(`The DaemonSet ${metadata?.name} in namespace ${namespace} is not one of kubectl win.`, {
    next: [
      `See what it is: kubectl get daemonset ${metadata?.name} -n ${namespace} -o yaml`,
      'Delete it, or use another namespace with --helper-namespace.',
    ],
  });
}

const managedBy = 'app.kubernetes.io/managed-by';

/** All of the old one goes, so that nothing that was added to it runs as SYSTEM; whether nodes have tasks for boots stays. */
function replacedMetadata(wanted: V1ObjectMeta | undefined, present: V1ObjectMeta | undefined): V1ObjectMeta {
  const boot = present?.annotations?.[bootAnnotation];
  return {
    ...wanted,
    // Refused where someone changed it in between.
    ...(present?.resourceVersion && {resourceVersion: present.resourceVersion}),
    annotations: {...(boot !== undefined && {[bootAnnotation]: boot}), ...wanted?.annotations},
  };
}

/** Makes the script's object, or recreates it where someone put something else under its name. True then. */
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

/** A pod keeps the script that it began with. */
async function restartPods(client: KubeClient, namespace: string, signal: AbortSignal | undefined): Promise<void> {
  const path = apiPath`/api/v1/namespaces/${namespace}/pods`;
  const {items} = await client.list<V1Pod>(path, {labelSelector: installedSelector, signal});
  await inParallel(items, 8, ({metadata}) => removeObject(client, namespace, 'pods', metadata?.name ?? '', signal));
}

/** All that an installation is made of. */
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

/** Removes the DaemonSet and its scripts. The namespace stays. False when nothing was installed. */
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
  /** How often its helpers read their node by themselves, in seconds; 0: never. */
  intervalSeconds: number;
  cleanupOnBoot: boolean;
}

export interface FleetStatus {
  namespace: string;
  installed: InstalledFleet | undefined;
  /** Pods and scripts of single runs: in use, or left behind. */
  runs: RunStatus[];
}

export interface RunStatus {
  run: string;
  owner: string;
  /** Nothing of it can be in use any more. */
  over: boolean;
  pods: {name: string; node: string; phase: string}[];
  configMaps: string[];
}

/** What of this program is in the cluster now. */
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

/** What `helper install` created, for any user. */
export async function installedFleet(
  client: KubeClient,
  {namespace, signal}: InstallOptions,
): Promise<InstalledFleet | undefined> {
  const path = apiPath`/apis/apps/v1/namespaces/${namespace}/daemonsets`;
  const {items} = await client.list<V1DaemonSet>(path, {labelSelector: installedSelector, signal});
  return items[0] && describe(items[0]);
}

/** What of runs was removed, and what was left because it may still be in use. */
export interface Pruned {
  readonly removed: readonly RunStatus[];
  readonly kept: readonly RunStatus[];
}

/** Removes what runs have left behind; with `all`, also what may still be in use. */
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

/** Of a run that may still be in use only the pods that have ended: it may need its scripts for the next ones. */
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
