import type {CoreV1Event, V1Pod} from '@kubernetes/client-node';
import {admissionRefusal} from '../kube/admission.js';
import {ApiError} from '../kube/api-errors.js';
import {durationText} from '../lib/duration.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {printable} from '../lib/untrusted.js';
import {defaultNamespace} from './default-namespace.js';

const manual = 'Or run the script that "kubectl win helper script" prints on the node manually.';
const enforceLabel = 'pod-security.kubernetes.io/enforce';

/** A namespace that does not allow HostProcess pods. `label`: the level comes from its label, otherwise from the cluster's default. */
export function podSecurityError(namespace: string, {level, label}: {level: string; label: boolean}): WinError {
  const why = label ? `its label ${enforceLabel} is "${level}"` : `the Pod Security level there is "${level}"`;
  return new WinError(
    `The namespace "${namespace}" does not allow the helper pod: ${why}, but HostProcess requires "privileged".`,
    {exit: ExitCode.denied, next: podSecurityRemedies(namespace)},
  );
}

const podSecurityRemedies = (namespace: string) => [
  `Allow it: kubectl label namespace ${namespace} ${enforceLabel}=privileged --overwrite`,
  ...(namespace === defaultNamespace ? [] : ['Or omit --helper-namespace to use the default namespace.']),
];

/** Why the API server refused a helper pod, with advice for known reasons. */
export function creationError(error: unknown, namespace: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const level = /violates PodSecurity "([a-z]+)/.exec(error.detail)?.[1];
  // The namespace's label was already checked if it could be read.
  if (level) return podSecurityError(namespace, {level, label: false});
  const refusal = admissionRefusal(error.detail, namespace);
  const next = error.detail.includes('security context constraint')
    ? `Allow it on OpenShift: oc adm policy add-scc-to-user privileged -z default -n ${namespace}`
    : refusal?.next;
  return new WinError(`The helper pod could not be created in namespace "${namespace}": ${error.detail}`, {
    exit: refusal ? ExitCode.denied : error.exit,
    next: next === undefined ? error.next : [next],
    cause: error,
  });
}

export interface Stuck {
  pod: V1Pod;
  node: string;
  image: string;
  events: readonly CoreV1Event[];
  /** Undefined if the pod failed before the timeout. */
  waitedMs: number | undefined;
  /** Why the pod's state could not be read lately, so that it may be outdated. */
  unseen?: string | undefined;
}

/** A helper pod that did not start: phase, reason and last event, with advice. */
export function startError(stuck: Stuck): WinError {
  const {pod, node, waitedMs} = stuck;
  const within = waitedMs === undefined ? '' : ` within ${durationText(Math.round(waitedMs / 1000))}`;
  const unseen = stuck.unseen && `its state could not be read lately (${printable(stuck.unseen)})`;
  const facts = [podState(pod), lastEvent(stuck.events), unseen].filter(Boolean).join('; ');
  return new WinError(`The helper pod on ${node} did not start${within}: ${facts}.`, {
    exit: ExitCode.uninspected,
    next: remedies(stuck),
  });
}

/** The phase, and why the container is waiting or terminated. */
export function podState(pod: V1Pod): string {
  const {phase = 'Pending', reason, message, containerStatuses} = pod.status ?? {};
  const {waiting, terminated} = containerStatuses?.[0]?.state ?? {};
  const container = waiting ?? terminated;
  const parts = [
    `phase ${phase}`,
    reason && `${reason}${message ? ` (${printable(message)})` : ''}`,
    container?.reason &&
      `container ${container.reason}${container.message ? ` (${printable(container.message)})` : ''}`,
  ];
  return parts.filter(Boolean).join(', ');
}

function lastEvent(events: readonly CoreV1Event[]): string | undefined {
  const warnings = events.filter(({type}) => type === 'Warning');
  const event = warnings.at(-1) ?? events.at(-1);
  return event && `last event ${event.reason ?? ''}: ${printable(event.message ?? '')}`;
}

interface Remedy {
  /** Text in the pod's state and events that identifies the cause. */
  words: RegExp;
  next: (stuck: Stuck) => readonly string[];
}

const known: readonly Remedy[] = [
  {
    words:
      /ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|RegistryUnavailable|[Ff]ailed to pull image/,
    next: ({image}) => [
      `The node cannot pull ${image}: use an image that it already has with --helper-image=auto.`,
      'Or name one that it can pull with --helper-image.',
    ],
  },
  {
    words: /violates PodSecurity/,
    next: ({pod}) => podSecurityRemedies(pod.metadata?.namespace ?? ''),
  },
  {
    // https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#troubleshooting-hostprocess-containers
    words: /failed to create user process token|failed to logon user/,
    next: () => [
      'Run containerd on the node as LocalSystem: its current account may not start processes as SYSTEM.',
      manual,
    ],
  },
  {
    words: /host ?process|job container|not supported/i,
    next: () => [
      'The container runtime of the node cannot run HostProcess containers; containerd 1.6 or newer is required.',
      manual,
    ],
  },
  {
    words: /FailedMount|MountVolume/,
    next: () => [
      'The kubelet cannot read the ConfigMap with the scripts: check that the node reaches the API server.',
      manual,
    ],
  },
  {
    words: /Evicted|TaintManager|NodeShutdown|Preempt/,
    next: ({node}) => [
      `The node evicts pods: check its taints and conditions with "kubectl describe node ${node}".`,
      manual,
    ],
  },
  {
    words: /OutOf(cpu|memory|pods)|UnexpectedAdmissionError/,
    next: ({node}) => [`The node is full: move a pod away from ${node}.`, manual],
  },
];

function remedies(stuck: Stuck): readonly string[] {
  const said = [podState(stuck.pod), ...stuck.events.map(({reason, message}) => `${reason} ${message}`)].join('\n');
  const remedy = known.find(({words}) => words.test(said));
  if (remedy) return remedy.next(stuck);
  const seen = stuck.pod.status?.startTime !== undefined || stuck.events.length > 0;
  if (seen) return ['Increase --helper-timeout: the first pull of an image on Windows is slow.', manual];
  return [
    `The kubelet of ${stuck.node} has not started the pod: check that it is running and reaches the API server.`,
    manual,
  ];
}
