import type {V1OwnerReference, V1Pod} from '@kubernetes/client-node';
import {cordonMark} from '../../checks/cordon.js';
import {ApiError, isNotFound, isTemporary} from '../../kube/api-errors.js';
import type {KubeClient} from '../../kube/client.js';
import {persisting} from '../../kube/retry.js';
import {apiPath} from '../../lib/api-path.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {inParallel} from '../../lib/in-parallel.js';
import {pause} from '../../lib/pause.js';
import type {RepairPlan} from '../../model/repair-plan.js';
import type {ClientStep, ClientStepName} from '../../model/step.js';

const pollEvery = 1000;
const drainFor = 5 * 60_000;

interface StepOptions {
  readonly signal: AbortSignal;
  /** How long to wait for a new pod to become ready, and for the API server to come back. */
  readonly waitMs: number;
  /** Called with the reason while a step waits. */
  readonly onWait: (why: string) => void;
}

/** Runs one client step: a change through the API, before or after the node's steps. */
export async function runClientStep(
  client: KubeClient,
  {id, node}: Pick<RepairPlan, 'id' | 'node'>,
  step: ClientStep,
  options: StepOptions,
): Promise<void> {
  // Each function matches the parameters of its step, but TypeScript cannot infer that from the table.
  const run = clientSteps[step.do] as ClientSteps[ClientStepName];
  await run({client, id, node, ...options}, step as never);
}

interface Place extends StepOptions {
  readonly client: KubeClient;
  /** Id of the plan. */
  readonly id: string;
  readonly node: string;
}

type ClientSteps = {
  readonly [Name in ClientStepName]: (place: Place, step: Extract<ClientStep, {do: Name}>) => Promise<void>;
};

const clientSteps: ClientSteps = {
  'node.cordon': (place, {with: {node}}) => setCordon(place, node, place.id),
  'node.uncordon': (place, {with: {node}}) => setCordon(place, node, null),
  'node.drain': (place, {with: {node, force}}) => drain(place, node, force),
  'pod.delete': (place, step) => restartPod(place, step),
};

/** Cordons a node for a plan, or uncordons it. Annotation and cordon are one patch, so that neither exists alone. */
async function setCordon({client, signal, waitMs}: Place, node: string, plan: string | null): Promise<void> {
  const patch = {metadata: {annotations: {[cordonMark]: plan}}, spec: {unschedulable: plan === null ? null : true}};
  const write = () => client.patch(apiPath`/api/v1/nodes/${node}`, 'merge', patch, {signal});
  await persisting(write, {until: performance.now() + waitMs, signal});
}

/** Evicts the pods that can run elsewhere, like `kubectl drain --ignore-daemonsets`. */
async function drain(place: Place, node: string, force: boolean): Promise<void> {
  const {client, signal} = place;
  const until = performance.now() + drainFor;
  const all = await persisting(() => podsOn(client, node, signal), {until, signal});
  const pods = all.filter(pod => isEvictable(pod));
  const bare = pods.filter(({metadata}) => !metadata?.ownerReferences?.length);
  if (bare.length > 0 && !force) {
    throw new WinError(`${node} has pods that no controller recreates: ${bare.map(fullName).join(', ')}.`, {
      next: ['Delete them yourself, or use --force.'],
    });
  }
  await inParallel(pods, 8, pod => evict(place, pod, until));
}

function isEvictable({metadata, spec, status}: V1Pod): boolean {
  const ofNode = metadata?.ownerReferences?.some(({kind}) => kind === 'DaemonSet' || kind === 'Node') ?? false;
  const done = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const ours = metadata?.labels?.['app.kubernetes.io/managed-by'] === 'kubectl-win';
  return !ofNode && !done && !ours && spec !== undefined;
}

async function evict({client, signal, onWait}: Place, pod: V1Pod, until: number): Promise<void> {
  const path = podPath(pod);
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: {name: pod.metadata?.name, namespace: pod.metadata?.namespace},
  };
  for (;;) {
    try {
      // The client does not retry, so that the reason for the wait can be reported here.
      await client.create(`${path}/eviction`, body, {signal, retry: false});
      break;
    } catch (error) {
      if (isNotFound(error)) return;
      if (hasTwoBudgets(error)) {
        throw new WinError(`${fullName(pod)} cannot be evicted: more than one PodDisruptionBudget selects it.`, {
          next: ['Change or delete all but one of them: kubectl get poddisruptionbudgets.'],
          cause: error,
        });
      }
      if (!isTemporary(error)) throw error;
      const why = `${fullName(pod)} cannot be evicted yet: ${obstacleOf(error)}`;
      if (performance.now() > until) throw new WinError(why, {exit: ExitCode.problems, cause: error});
      onWait(why);
      await pause(5 * pollEvery, signal);
    }
  }
  await untilTrue(until, signal, `Pod ${fullName(pod)} did not terminate in time.`, async () => {
    const now = await readPod(client, path, signal);
    return now === undefined || now.metadata?.uid !== pod.metadata?.uid;
  });
}

/** Waiting does not help: the eviction API does not support pods with several budgets. */
const hasTwoBudgets = (error: unknown) =>
  error instanceof ApiError && error.detail.includes('more than one PodDisruptionBudget');

/** A disruption budget refuses an eviction with status 429; the causes name the budget. */
function obstacleOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const named = error.causes.map(cause => cause.replace(/^The disruption budget (\S+)/, 'PodDisruptionBudget $1'));
  return `${(named.length > 0 ? named.join('; ') : error.detail).replace(/\.$/, '')}.`;
}

/** Deletes a pod so that its controller starts a new one, and waits for the new one if the plan says so. */
async function restartPod(place: Place, step: Extract<ClientStep, {do: 'pod.delete'}>): Promise<void> {
  const {client, node, signal, waitMs} = place;
  const {namespace, name, awaits} = step.with;
  const path = apiPath`/api/v1/namespaces/${namespace}/pods/${name}`;
  const patience = {until: performance.now() + waitMs, signal};
  const pod = await persisting(() => readPod(client, path, signal), patience);
  if (pod) await persisting(() => client.remove(path, {signal}), patience);
  const owner =
    pod?.metadata?.ownerReferences?.find(({controller}) => controller) ?? pod?.metadata?.ownerReferences?.[0];
  if (!awaits || !pod || !owner) return;
  const until = performance.now() + Math.min(waitMs, (step.timeoutSeconds ?? 300) * 1000);
  await untilTrue(
    until,
    signal,
    `No new pod of ${owner.kind} ${owner.name} became ready on ${node} in time.`,
    async () => {
      const pods = await podsOn(client, node, signal);
      return pods.some(other => other.metadata?.uid !== pod.metadata?.uid && isOwnedBy(other, owner) && isReady(other));
    },
  );
}

async function untilTrue(
  until: number,
  signal: AbortSignal,
  message: string,
  check: () => Promise<boolean>,
): Promise<void> {
  while (!(await persisting(check, {until, signal}))) {
    if (performance.now() > until) throw new WinError(message, {exit: ExitCode.problems});
    await pause(pollEvery, signal);
  }
}

async function podsOn(client: KubeClient, node: string, signal: AbortSignal): Promise<V1Pod[]> {
  const {items} = await client.list<V1Pod>('/api/v1/pods', {fieldSelector: `spec.nodeName=${node}`, signal});
  return items;
}

async function readPod(client: KubeClient, path: string, signal: AbortSignal): Promise<V1Pod | undefined> {
  try {
    return await client.get<V1Pod>(path, {signal});
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const isOwnedBy = ({metadata}: V1Pod, {uid}: V1OwnerReference) =>
  metadata?.ownerReferences?.some(owner => owner.uid === uid) ?? false;
const isReady = ({status, metadata}: V1Pod) =>
  metadata?.deletionTimestamp === undefined &&
  (status?.conditions?.some(({type, status: its}) => type === 'Ready' && its === 'True') ?? false);
const podPath = ({metadata}: V1Pod) =>
  apiPath`/api/v1/namespaces/${metadata?.namespace ?? ''}/pods/${metadata?.name ?? ''}`;
const fullName = ({metadata}: V1Pod) => `${metadata?.namespace}/${metadata?.name}`;
