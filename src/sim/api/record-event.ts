import {randomBytes} from 'node:crypto';
import {type ApiObject, timestamp} from './object.js';
import {eventType} from './resource-types.js';
import type {ObjectStore} from './store.js';

export interface EventText {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

/** Records an event about an object. A repeated event only increases the count. */
export function recordEvent(
  store: ObjectStore,
  about: ApiObject,
  {type, reason, message}: EventText,
  host: string,
): void {
  const {name, namespace = 'default', uid} = about.metadata;
  const now = timestamp();
  for (const event of store.all(eventType)) {
    const involved = event.involvedObject as {uid?: string} | undefined;
    if (involved?.uid !== uid || event.reason !== reason || event.message !== message) continue;
    store.update(eventType, {...event, count: Number(event.count) + 1, lastTimestamp: now});
    return;
  }
  store.create(eventType, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {name: `${name}.${randomBytes(8).toString('hex')}`, namespace},
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name,
      namespace,
      ...(uid && {uid}),
      ...(about.metadata.resourceVersion && {resourceVersion: about.metadata.resourceVersion}),
    },
    type,
    reason,
    message,
    count: 1,
    firstTimestamp: now,
    lastTimestamp: now,
    source: {component: 'kubelet', host},
    reportingComponent: 'kubelet',
    reportingInstance: host,
  });
}
