import type {CoreV1Event, V1Pod} from '@kubernetes/client-node';
import {admissionRefusal} from '../kube/admission.js';
import {ApiError} from '../kube/api-errors.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {printable} from '../lib/untrusted.js';
import {defaultNamespace} from './default-namespace.js';

const manual = 'Or run the script that "kubectl win helper script" prints on the node manually.';
const enforceLabel = 'pod-security.kubernetes.io/enforce';

/** A namespace that lets no HostProcess pod in. `label`: the level that its own label says; else the cluster's default holds. */
export function podSecurityError(namespace: string, {level, label}: {level: string; label: boolean}): WinError {
  const why = label ? `its label ${enforceLabel} is "${level}"` : `the Pod Security level there is "${level}"`;
  return new WinError(
    `The namespace "${namespace}" forbids the helper pod: ${why}, and HostProcess needs "privileged".`,
    {exit: ExitCode.denied, next: podSecurityRemedies(namespace)},
  );
}

const podSecurityRemedies = (namespace: string) => [
  `Allow it: kubectl label namespace ${namespace} ${enforceLabel}=privileged --overwrite`,
  ...(namespace === defaultNamespace
    ? []
    : ['Or leave out --helper-namespace: kubectl win then uses a namespace of its own.']),
];

/** Why the API server would not take a helper pod, with what to do about the usual reasons. */
export function creationError(error: unknown, namespace: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const level = /violates PodSecurity "([a-z]+)/.exec(error.detail)?.[1];
  // The namespace's own label was inspected before, where it could be read.
  if (level) return podSecurityError(namespace, {level, label: false});
  const refusal = admissionRefusal(error.detail, namespace);
  const next = error.detail.includes('security context constraint')
    ? `Allow it on OpenShift: oc adm policy add-scc-to-user privileged -z default -n ${namespace}`
    : refusal?.next;
  return new WinError(`The helper pod could not be made in namespace "${namespace}": ${error.detail}`, {
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
  /** Undefined when the pod failed before its time was over. */
  waitedMs: number | undefined;
  /** Why nothing was heard of the pod: what is known of it may be old. */
  unseen?: string | undefined;
}

/** A helper pod that does not run, as one sentence with phase, reason and last event, and what helps. */
export function startError(stuck: Stuck): WinError {
  const {pod, node, waitedMs} = stuck;
  const within = waitedMs === undefined ? '' : ` within ${Math.round(waitedMs / 1000)} s`;
  const unseen = stuck.unseen && `its state could not be read lately (${printable(stuck.unseen)})`;
  const facts = [podState(pod), lastEvent(stuck.events), unseen].filter(Boolean).join('; ');
  return new WinError(`The helper pod on ${node} did not start${within}: ${facts}.`, {
    exit: ExitCode.uninspected,
    next: remedies(stuck),
  });
}

/** Phase, and what the container waits for or died of. */
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
  /** Words in the pod's state and its events that give the cause away. */
  words: RegExp;
  next: (stuck: Stuck) => readonly string[];
}

const known: readonly Remedy[] = [
  {
    words:
      /ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|RegistryUnavailable|[Ff]ailed to pull image/,
    next: ({image}) => [
      `The node cannot get ${image}: use an image that it already has with --helper-image=auto.`,
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
    next: () => ['Let containerd on the node run as LocalSystem: it may not start processes as SYSTEM now.', manual],
  },
  {
    words: /host ?process|job container|not supported/i,
    next: () => [
      'The container runtime of the node cannot run HostProcess containers; containerd 1.6 or newer can.',
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
  if (seen) return ['Allow it more time with --helper-timeout: the first pull of an image on Windows is slow.', manual];
  return [
    `The kubelet of ${stuck.node} has not taken notice of the pod: check that it runs and reaches the API server.`,
    manual,
  ];
}
