import {at, isObject, listAt, mapAt, textAt} from '../../json.js';
import type {ApiObject} from '../object.js';

export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

interface Violation {
  reason: string;
  detail: string;
}

type PodCheck = (pod: ApiObject) => Violation | undefined;

const containers = (pod: ApiObject) => [...listAt(pod, 'spec', 'initContainers'), ...listAt(pod, 'spec', 'containers')];
const namesOf = (pod: ApiObject, picks: (container: unknown) => boolean) =>
  containers(pod)
    .filter(picks)
    .map(container => textAt(container, 'name'));
const quoted = (names: readonly string[]) =>
  `${names.length === 1 ? 'container' : 'containers'} ${names.map(name => `"${name}"`).join(', ')}`;
const isWindows = (pod: ApiObject) => textAt(pod, 'spec', 'os', 'name') === 'windows';

function each(reason: string, picks: (container: unknown) => boolean, must: string): PodCheck {
  return pod => {
    const names = namesOf(pod, picks);
    return names.length > 0 ? {reason, detail: `${quoted(names)} must ${must}`} : undefined;
  };
}

/** Reasons and details as in the Kubernetes pod-security-admission, in the order of its check IDs. */
const baseline: readonly PodCheck[] = [
  pod => {
    const set = ['hostNetwork', 'hostPID', 'hostIPC'].filter(field => at(pod, 'spec', field) === true);
    if (set.length === 0) return undefined;
    return {reason: 'host namespaces', detail: set.map(field => `${field}=true`).join(', ')};
  },
  pod => {
    const names = listAt(pod, 'spec', 'volumes').filter(volume => isObject(at(volume, 'hostPath')));
    if (names.length === 0) return undefined;
    const list = names.map(volume => `"${textAt(volume, 'name')}"`).join(', ');
    return {reason: 'hostPath volumes', detail: `${names.length === 1 ? 'volume' : 'volumes'} ${list}`};
  },
  each(
    'privileged',
    container => at(container, 'securityContext', 'privileged') === true,
    'not set securityContext.privileged=true',
  ),
  pod => {
    const hostProcess = (value: unknown) => at(value, 'securityContext', 'windowsOptions', 'hostProcess') === true;
    const names = namesOf(pod, hostProcess);
    const setters = [...(hostProcess(pod.spec) ? ['pod'] : []), ...(names.length > 0 ? [quoted(names)] : [])];
    if (setters.length === 0) return undefined;
    const detail = `${setters.join(' and ')} must not set securityContext.windowsOptions.hostProcess=true`;
    return {reason: 'hostProcess', detail};
  },
];

const unlessWindows =
  (check: PodCheck): PodCheck =>
  pod =>
    isWindows(pod) ? undefined : check(pod);

const restricted: readonly PodCheck[] = [
  unlessWindows(
    each(
      'allowPrivilegeEscalation != false',
      container => at(container, 'securityContext', 'allowPrivilegeEscalation') !== false,
      'set securityContext.allowPrivilegeEscalation=false',
    ),
  ),
  unlessWindows(
    each(
      'unrestricted capabilities',
      container => !listAt(container, 'securityContext', 'capabilities', 'drop').includes('ALL'),
      'set securityContext.capabilities.drop=["ALL"]',
    ),
  ),
  pod => {
    if (at(pod, 'spec', 'securityContext', 'runAsNonRoot') === true) return undefined;
    const names = namesOf(pod, container => at(container, 'securityContext', 'runAsNonRoot') !== true);
    if (names.length === 0) return undefined;
    return {
      reason: 'runAsNonRoot != true',
      detail: `pod or ${quoted(names)} must set securityContext.runAsNonRoot=true`,
    };
  },
  unlessWindows(pod => {
    const good = (value: unknown) =>
      ['RuntimeDefault', 'Localhost'].includes(textAt(value, 'securityContext', 'seccompProfile', 'type'));
    if (good(pod.spec)) return undefined;
    const names = namesOf(pod, container => !good(container));
    const must = 'set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
    return names.length > 0 ? {reason: 'seccompProfile', detail: `pod or ${quoted(names)} must ${must}`} : undefined;
  }),
];

/** Why the Pod Security level of the namespace, or of the cluster, rejects a pod. Undefined: it does not. */
export function podSecurityViolation(
  namespace: ApiObject | undefined,
  pod: ApiObject,
  otherwise: PodSecurityLevel,
): string | undefined {
  const labels = mapAt(namespace, 'metadata', 'labels');
  const level = (labels['pod-security.kubernetes.io/enforce'] ?? otherwise) as PodSecurityLevel;
  const checks = level === 'restricted' ? [...baseline, ...restricted] : level === 'baseline' ? baseline : [];
  const violations = checks.map(check => check(pod)).filter(violation => violation !== undefined);
  if (violations.length === 0) return undefined;
  const version = labels['pod-security.kubernetes.io/enforce-version'] ?? 'latest';
  const list = violations.map(({reason, detail}) => `${reason} (${detail})`).join(', ');
  return `violates PodSecurity "${level}:${version}": ${list}`;
}
