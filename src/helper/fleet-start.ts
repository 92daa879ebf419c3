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
  /** How long the pods may take to be ready. */
  timeoutMs: number;
  /** How long no pod at all may come before that counts: its controller tries again by itself. */
  graceMs?: number | undefined;
  /** Told how far it has come, as it comes. */
  onProgress?: ((start: FleetStart) => void) | undefined;
}

/** How far an installation has come. */
export interface FleetStart {
  readonly ready: number;
  readonly desired: number;
}

const pollMs = 1000;

/** Waits until the helper runs on all nodes that are to have it. Where no pod comes at all, the cluster says why. */
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
    // Those with the present script alone: pods of before an update are replaced one after the other.
    ready: Math.min(status?.numberReady ?? 0, status?.updatedNumberScheduled ?? 0),
    current: status?.currentNumberScheduled ?? 0,
    /** Whether its controller has taken notice of it in its current state. */
    seen: (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 1),
  };
}

/** Events of the DaemonSet, oldest first. Undefined for those who may not read them. */
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
    `The helper is installed in namespace "${namespace}", but none of its pods starts. ${said.join(' ') || unsaid(events)}`,
    {
      exit: refusal ? ExitCode.denied : ExitCode.uninspected,
      next: [...(refusal ? [refusal.next] : []), `To remove it: kubectl win helper uninstall${elsewhere}`],
    },
  );
}

/** What events say, each once: the controller tells of every pod that it tried, and then of all together. */
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
    ? 'There are no events about it: check that the controller manager runs.'
    : 'You may not list events, which say why.';
