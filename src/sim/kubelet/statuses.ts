import {type ApiObject, timestamp} from '../api/object.js';
import {podConditions} from '../cluster/pod-status.js';
import {isObject, type JsonObject, listAt, textAt} from '../json.js';

export interface Waiting {
  reason: string;
  message?: string;
}

export function waitingStatus(pod: ApiObject, status: JsonObject, hostIP: string, waiting: Waiting): JsonObject {
  const containers = listAt(pod, 'spec', 'containers');
  const names = containers.map(container => textAt(container, 'name'));
  const now = new Date();
  return {
    ...status,
    conditions: podConditions(now, now, false, names),
    containerStatuses: containers.map(container => ({
      name: textAt(container, 'name'),
      image: textAt(container, 'image'),
      imageID: '',
      ready: false,
      started: false,
      restartCount: 0,
      state: {waiting},
      lastState: {},
    })),
    hostIP,
    hostIPs: [{ip: hostIP}],
    startTime: textAt(status, 'startTime') || timestamp(now),
  };
}

/** The status of a pod that was killed and is not restarted. */
export function expiredStatus(status: JsonObject, reason: string, message: string, finishedAt: string): JsonObject {
  return {
    ...status,
    phase: 'Failed',
    reason,
    message,
    containerStatuses: listAt(status, 'containerStatuses').map(container => ({
      ...(isObject(container) && container),
      ready: false,
      started: false,
      state: {terminated: {exitCode: 137, reason: 'Error', finishedAt}},
    })),
  };
}

/** A pod without a sandbox, or whose sandbox never got a network. The kubelet keeps retrying. */
export function isWaitingForSandbox(pod: ApiObject): boolean {
  return (
    textAt(pod, 'status', 'phase') === 'Running' &&
    textAt(pod, 'status', 'podIP') === '' &&
    listAt(pod, 'status', 'containerStatuses').some(
      container => textAt(container, 'state', 'waiting', 'reason') === 'ContainerCreating',
    )
  );
}

/** The status after a number of restarts; sets `ready` if given. */
export function restartedStatus(status: JsonObject, restarts: number, ready?: boolean): JsonObject {
  const now = new Date();
  const containers = listAt(status, 'containerStatuses').filter(isObject);
  const names = containers.map(container => textAt(container, 'name'));
  const since = textAt(status, 'startTime') ? new Date(textAt(status, 'startTime')) : now;
  return {
    ...status,
    ...(ready !== undefined && {conditions: podConditions(since, now, ready, names)}),
    containerStatuses: containers.map(container => ({
      ...container,
      restartCount: restarts,
      ...(ready !== undefined && {ready}),
      ...(ready === false && {
        lastState: {terminated: {exitCode: 1, reason: 'Error', finishedAt: timestamp(now)}},
        state: {running: {startedAt: timestamp(now)}},
      }),
    })),
  };
}
