import {at, isObject, listAt, textAt} from '../../json.js';
import type {ApiObject} from '../object.js';
import type {Cause} from '../status.js';
import {invalidValue} from './names.js';

/** Linux-only fields that are rejected in a pod for Windows (validation.go, validateWindows). */
const linuxOnlyInPod = [
  ['hostPID'],
  ['hostIPC'],
  ['securityContext', 'runAsUser'],
  ['securityContext', 'runAsGroup'],
  ['securityContext', 'fsGroup'],
  ['securityContext', 'seLinuxOptions'],
  ['securityContext', 'seccompProfile'],
  ['securityContext', 'sysctls'],
  ['securityContext', 'supplementalGroups'],
  ['shareProcessNamespace'],
];
const linuxOnlyInContainer = [
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

interface Placed {
  container: unknown;
  path: string;
}

const containersOf = (pod: ApiObject): Placed[] =>
  ['initContainers', 'containers', 'ephemeralContainers'].flatMap(list =>
    listAt(pod, 'spec', list).map((container, index) => ({container, path: `spec.${list}[${index}]`})),
  );

const forbiddenForWindows = (field: string): Cause => ({
  reason: 'FieldValueForbidden',
  message: 'Forbidden: cannot be set for a windows pod',
  field,
});

export function windowsPodErrors(pod: ApiObject): Cause[] {
  return [...hostProcessErrors(pod), ...(textAt(pod, 'spec', 'os', 'name') === 'windows' ? linuxFieldErrors(pod) : [])];
}

function linuxFieldErrors(pod: ApiObject): Cause[] {
  const ofPod = linuxOnlyInPod
    .filter(path => truthy(at(pod, 'spec', ...path)))
    .map(path => forbiddenForWindows(['spec', ...path].join('.')));
  const ofContainers = containersOf(pod).flatMap(({container, path}) =>
    linuxOnlyInContainer
      .filter(field => at(container, 'securityContext', field) !== undefined)
      .map(field => forbiddenForWindows(`${path}.securityContext.${field}`)),
  );
  return [...ofPod, ...ofContainers];
}

const truthy = (value: unknown) => value !== undefined && value !== false && value !== null;

const hostProcessOf = (value: unknown) => {
  const set = at(value, 'securityContext', 'windowsOptions', 'hostProcess');
  return typeof set === 'boolean' ? set : undefined;
};

/** The rules and messages for HostProcess pods (validation.go, validateWindowsHostProcessPod). */
function hostProcessErrors(pod: ApiObject): Cause[] {
  const ofPod = hostProcessOf(pod.spec);
  const containers = containersOf(pod);
  const causes: Cause[] = [];
  for (const {container, path} of containers) {
    const own = hostProcessOf(container);
    if (own !== undefined && ofPod !== undefined && own !== ofPod) {
      const why = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      causes.push(invalidValue(`${path}.securityContext.windowsOptions.hostProcess`, own, why));
    }
  }
  const count = containers.filter(({container}) => hostProcessOf(container) ?? ofPod ?? false).length;
  if (count === 0) return causes;
  if (count !== containers.length) {
    const why = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    causes.push(invalidValue('spec', '', why));
  }
  if (at(pod, 'spec', 'hostNetwork') !== true) {
    const why = 'hostNetwork must be true if pod contains any hostProcess containers';
    causes.push(invalidValue('spec.hostNetwork', false, why));
  }
  return causes;
}

export const isHostProcess = (pod: ApiObject): boolean =>
  isObject(pod.spec) && containersOf(pod).some(({container}) => hostProcessOf(container) ?? hostProcessOf(pod.spec));
