import type {CoreV1Event, V1Pod} from '@kubernetes/client-node';
import {ApiError, isNotFound} from '../kube/api-errors.js';
import type {KubeClient} from '../kube/client.js';
import {apiPath} from '../lib/api-path.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {pause} from '../lib/pause.js';
import {podState, startError} from './pod-trouble.js';

export interface StartOptions {
  timeoutMs: number;
  /** How long a pull or a start may fail before it counts: the next try often succeeds. */
  stuckGraceMs?: number | undefined;
  onState?: ((state: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

const pollMs = 2000;

type Progress = 'running' | 'starting' | 'stuck' | 'failed';

/** Waits until a pod's container runs. When it will not: what the cluster knows about why. */
export async function waitUntilRunning(client: KubeClient, created: V1Pod, options: StartOptions): Promise<void> {
  const {timeoutMs, stuckGraceMs = 20_000, onState, signal} = options;
  const givingUp = new AbortController();
  const timers = [setTimeout(() => givingUp.abort(), timeoutMs)];
  const watching = signal ? AbortSignal.any([signal, givingUp.signal]) : givingUp.signal;
  let pod = created;
  let stuck = false;
  try {
    for await (pod of podStates(client, created, watching)) {
      const progress = progressOf(pod);
      if (progress === 'running') return;
      onState?.(podState(pod));
      if (progress === 'failed') break;
      if (progress === 'stuck' && !stuck) timers.push(setTimeout(() => givingUp.abort(), stuckGraceMs));
      stuck ||= progress === 'stuck';
    }
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
  signal?.throwIfAborted();
  const events = await eventsOf(client, pod, signal);
  const {nodeName: node = '', containers = []} = pod.spec ?? {};
  const early = stuck || progressOf(pod) === 'failed';
  throw startError({pod, node, image: containers[0]?.image ?? '', events, waitedMs: early ? undefined : timeoutMs});
}

/** The kubelet tries these again by itself. */
const stuckReasons =
  /^(ErrImagePull|ImagePullBackOff|RegistryUnavailable|CreateContainer(Config)?Error|RunContainerError)$/;

function progressOf({status}: V1Pod): Progress {
  const {running, waiting} = status?.containerStatuses?.[0]?.state ?? {};
  if (status?.phase === 'Running' && running) return 'running';
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return 'failed';
  if (/^(InvalidImageName|ErrImageNeverPull)$/.test(waiting?.reason ?? '')) return 'failed';
  return stuckReasons.test(waiting?.reason ?? '') ? 'stuck' : 'starting';
}

/** A pod's states one after another: from a watch, and by asking where watching is not possible. */
async function* podStates(client: KubeClient, created: V1Pod, signal: AbortSignal): AsyncGenerator<V1Pod> {
  const {namespace = '', name = ''} = created.metadata ?? {};
  let canWatch = true;
  let pod = created;
  while (!signal.aborted) {
    yield pod;
    try {
      if (canWatch) yield* watchPod(client, pod, signal);
      else await pause(pollMs, signal);
    } catch (error) {
      canWatch = error instanceof ApiError && error.status === 410;
    }
    if (signal.aborted) return;
    try {
      pod = await client.get<V1Pod>(apiPath`/api/v1/namespaces/${namespace}/pods/${name}`, {signal});
    } catch (error) {
      if (signal.aborted) return;
      throw isNotFound(error) ? removedByOthers(created) : error;
    }
  }
}

async function* watchPod(client: KubeClient, {metadata}: V1Pod, signal: AbortSignal): AsyncGenerator<V1Pod> {
  const {namespace = '', name = '', resourceVersion = ''} = metadata ?? {};
  const selection = {fieldSelector: `metadata.name=${name}`, resourceVersion, signal};
  const events = client.watch<V1Pod>(apiPath`/api/v1/namespaces/${namespace}/pods`, selection);
  for await (const {type, object} of events) {
    if (type === 'DELETED') return;
    yield object;
  }
}

function removedByOthers({metadata, spec}: V1Pod): WinError {
  return new WinError(`The helper pod ${metadata?.name} on ${spec?.nodeName} was removed before it ran.`, {
    exit: ExitCode.uninspected,
    next: ['Something else in the cluster deletes pods in this namespace (a policy, or a person): look for it.'],
  });
}

/** The pod's events, oldest first. Who may not read them does without. */
async function eventsOf(client: KubeClient, pod: V1Pod, signal: AbortSignal | undefined): Promise<CoreV1Event[]> {
  const {namespace = '', name = ''} = pod.metadata ?? {};
  try {
    const options = {fieldSelector: `involvedObject.name=${name}`, signal};
    const {items} = await client.list<CoreV1Event>(apiPath`/api/v1/namespaces/${namespace}/events`, options);
    return items.sort((a, b) => timeOf(a) - timeOf(b));
  } catch {
    signal?.throwIfAborted();
    return [];
  }
}

function timeOf({lastTimestamp, eventTime, metadata}: CoreV1Event): number {
  const time = lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return time ? new Date(time).getTime() : 0;
}
