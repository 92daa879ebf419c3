import type {CoreV1Event, V1Pod} from '@kubernetes/client-node';
import type {KubeClient} from '../kube/client.js';
import {apiPath} from '../lib/api-path.js';
import {ExitCode, WinError} from '../lib/errors.js';
import type {PodStates} from './pod-states.js';
import {podState, startError} from './pod-trouble.js';

export interface StartOptions {
  timeoutMs: number;
  /** How long a pull or start may fail before it counts as failed: the kubelet's next attempt often succeeds. */
  stuckGraceMs?: number | undefined;
  onState?: ((state: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

type Progress = 'running' | 'starting' | 'stuck' | 'failed';

/** Creates a pod and waits until its container runs. If it does not start, the error includes the reason from the cluster. */
export async function startPod(
  client: KubeClient,
  states: PodStates,
  {name, make}: {name: string; make: () => Promise<V1Pod>},
  options: StartOptions,
): Promise<void> {
  const {timeoutMs, stuckGraceMs = 20_000, onState, signal} = options;
  const {promise: ended, resolve, reject} = Promise.withResolvers<'running' | 'failed' | 'late'>();
  // If creation fails or is aborted, the error is thrown below and nothing awaits this promise.
  ended.catch(() => {});
  const timers: NodeJS.Timeout[] = [];
  const giveUp = () => reject(signal?.reason);
  let pod: V1Pod | undefined;
  let stuck = false;
  const following = states.follow(name, {
    state(seen) {
      pod = seen;
      const progress = progressOf(seen);
      if (progress === 'running') return resolve('running');
      onState?.(podState(seen));
      if (progress === 'failed') return resolve('failed');
      if (progress === 'stuck' && !stuck) timers.push(setTimeout(resolve, stuckGraceMs, 'failed'));
      stuck ||= progress === 'stuck';
    },
    gone: () => pod && reject(removedByOthers(pod)),
    failed: reject,
  });
  signal?.addEventListener('abort', giveUp, {once: true});
  try {
    const made = await make();
    pod ??= made;
    following.made();
    onState?.(podState(pod));
    timers.push(setTimeout(resolve, timeoutMs, 'late'));
    if (signal?.aborted) giveUp();
    const end = await ended;
    if (end === 'running') return;
    const events = await eventsOf(client, pod, signal);
    const {nodeName: node = '', containers = []} = pod.spec ?? {};
    const waitedMs = end === 'late' ? timeoutMs : undefined;
    const unseen = end === 'late' ? states.trouble : undefined;
    throw startError({pod, node, image: containers[0]?.image ?? '', events, waitedMs, unseen});
  } finally {
    following.stop();
    signal?.removeEventListener('abort', giveUp);
    for (const timer of timers) clearTimeout(timer);
  }
}

/** The kubelet retries these. */
const stuckReasons =
  /^(ErrImagePull|ImagePullBackOff|RegistryUnavailable|CreateContainer(Config)?Error|RunContainerError)$/;

function progressOf({status}: V1Pod): Progress {
  const {running, waiting} = status?.containerStatuses?.[0]?.state ?? {};
  if (status?.phase === 'Running' && running) return 'running';
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return 'failed';
  if (/^(InvalidImageName|ErrImageNeverPull)$/.test(waiting?.reason ?? '')) return 'failed';
  return stuckReasons.test(waiting?.reason ?? '') ? 'stuck' : 'starting';
}

function removedByOthers({metadata, spec}: V1Pod): WinError {
  return new WinError(`The helper pod ${metadata?.name} on ${spec?.nodeName} was removed before it ran.`, {
    exit: ExitCode.uninspected,
    next: ['A policy, controller or user deletes pods in this namespace: find out which.'],
  });
}

/** The pod's events, oldest first; empty if they cannot be read. */
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
