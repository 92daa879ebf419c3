import type {ResourceRequest} from './api/request.js';
import {podType} from './api/resource-types.js';
import {badRequest} from './api/status.js';
import type {ObjectStore} from './api/store.js';
import {listAt, textAt} from './json.js';

/** Simulated containers print nothing, but a container that never started has no log to read. */
export function podLog(store: ObjectStore, {namespace, name = '', query}: ResourceRequest): string {
  const pod = store.get(podType, namespace, name);
  const statuses = listAt(pod, 'status', 'containerStatuses');
  const asked = query.get('container') ?? textAt(listAt(pod, 'spec', 'containers')[0], 'name');
  const status = statuses.find(status => textAt(status, 'name') === asked);
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  if (!status || waiting) {
    const why = waiting || 'ContainerCreating';
    throw badRequest(`container "${asked}" in pod "${name}" is waiting to start: ${why}`);
  }
  return '';
}
