import type {CoreV1Event, V1DaemonSet} from '@kubernetes/client-node';
import {admissionRefusal} from '../kube/admission.js';
import {isForbidden} from '../kube/api-errors.js';
import type {CallOptions, KubeClient} from '../kube/client.js';
import {apiPath} from '../lib/api-path.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {pause} from '../lib/pause.js';
import {printable} from '../lib/untrusted.js';
import {defaultNamespace} from './default-namespace.js';
import {installedSelector} from './installed-nodes.js';

export interface FleetStartOptions extends CallOptions {
  namespace: string;
  /** How long to wait for the pods to become ready. */
  timeoutMs: number;
  /** How long to wait for a first pod before that counts as a failure: the DaemonSet controller retries. */
  graceMs?: number | undefined;
  /** Called on every poll. */
  onProgress?: ((start: FleetStart) => void) | undefined;
}

/** Progress of an installation, in pods. */
export interface FleetStart {
  readonly ready: number;
  readonly desired: number;
}

const pollMs = 1000;

/** Waits until the helper runs on all its nodes. If no pod is created at all, the error quotes the DaemonSet's events. */
export async function waitForFleet(client: KubeClient, options: FleetStartOptions): Promise<FleetStart> {
  const {namespace, timeoutMs, graceMs = 20_000, onProgress, signal} = options;
  const startedAt = performance.now();
  for (;;) {
    const daemonSet = await readDaemonSet(client, namespace, signal);
    const {ready, desired, current, seen} = stateOf(daemonSet);
    if (seen) onProgress?.({ready, desired});
    if (seen && ready >= desired) return {ready, desired};
    const waited = performance.now() - startedAt;
    if (current === 0 && waited > Math.min(graceMs, timeoutMs)) {
      throw noPods(namespace, await eventsOf(client, namespace, daemonSet, signal));
    }
    if (waited > timeoutMs) return {ready, desired};
    await pause(pollMs, signal);
  }
}

async function readDaemonSet(client: KubeClient, namespace: string, signal: AbortSignal | undefined) {
  const path = apiPath`/apis/apps/v1/namespaces/${namespace}/daemonsets`;
  const {items} = await client.list<V1DaemonSet>(path, {labelSelector: installedSelector, signal});
  return items[0];
}

function stateOf(daemonSet: V1DaemonSet | undefined) {
  const {metadata, status} = daemonSet ?? {};
  const desired = status?.desiredNumberScheduled ?? 0;
  return {
    desired,
    // Count only pods with the current script: an update replaces the older ones one by one.
    ready: Math.min(status?.numberReady ?? 0, status?.updatedNumberScheduled ?? 0),
    current: status?.currentNumberScheduled ?? 0,
    /** Whether the controller has observed the current generation. */
    seen: (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 1),
  };
}

/** Events of the DaemonSet, oldest first. Undefined if the user may not read them. */
async function eventsOf(
  client: KubeClient,
  namespace: string,
  daemonSet: V1DaemonSet | undefined,
  signal: AbortSignal | undefined,
): Promise<CoreV1Event[] | undefined> {
  const fieldSelector = `involvedObject.name=${daemonSet?.metadata?.name},involvedObject.kind=DaemonSet`;
  const path = apiPath`/api/v1/namespaces/${namespace}/events`;
  try {
    return (await client.list<CoreV1Event>(path, {fieldSelector, signal})).items;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

function noPods(namespace: string, events: readonly CoreV1Event[] | undefined): WinError {
  const said = saidOf(events ?? []);
  const refusal = admissionRefusal(said.join(' '), namespace);
  const elsewhere = namespace === defaultNamespace ? '' : ` --helper-namespace ${namespace}`;
  return new WinError(
    `The helper is installed in namespace "${namespace}", but none of its pods started. ${said.join(' ') || unsaid(events)}`,
    {
      exit: refusal ? ExitCode.denied : ExitCode.uninspected,
      next: [...(refusal ? [refusal.next] : []), `To remove it: kubectl win helper uninstall${elsewhere}`],
    },
  );
}

/** The messages of the events, without duplicates: the controller reports every failed pod, then a combined event. */
function saidOf(events: readonly CoreV1Event[]): string[] {
  const podName = /(pods? ")[^"]+(?=")/g;
  const texts = new Map(
    events.map(({reason, message = ''}) => {
      const text = `${reason}: ${printable(message.replace('(combined from similar events): ', ''))}`;
      return [text.replace(podName, '$1'), text];
    }),
  );
  return [...texts.values()].slice(-3);
}

const unsaid = (events: readonly CoreV1Event[] | undefined) =>
  events
    ? 'It has no events: check that kube-controller-manager is running.'
    : 'The reason is in its events, which you are not allowed to list.';
