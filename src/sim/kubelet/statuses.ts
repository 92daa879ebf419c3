import {type ApiObject, timestamp} from '../api/object.js';
import {podConditions} from '../cluster/pod-status.js';
import {isObject, type JsonObject, listAt, textAt} from '../json.js';

export interface Waiting {
  reason: string;
  message?: string;
}

/** The status of a pod whose containers cannot run yet. */
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

/** The status of a pod that was killed because its time was over. */
export function expiredStatus(status: JsonObject, message: string, finishedAt: string): JsonObject {
  return {
    ...status,
    phase: 'Failed',
    reason: 'DeadlineExceeded',
    message,
    containerStatuses: listAt(status, 'containerStatuses').map(container => ({
      ...(isObject(container) && container),
      ready: false,
      started: false,
      state: {terminated: {exitCode: 137, reason: 'Error', finishedAt}},
    })),
  };
}
