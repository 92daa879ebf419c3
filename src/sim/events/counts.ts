import type {ApiObject} from '../api/object.js';
import {podType} from '../api/resource-types.js';
import type {ObjectStore} from '../api/store.js';
import {isReady} from '../cluster/pod-status.js';
import {isObject, listAt, mapAt, textAt} from '../json.js';

/** Updates the status that depends on pods: DaemonSets, Deployments, ReplicaSets and EndpointSlices. */
export function recount(store: ObjectStore): void {
  const pods = [...store.all(podType)];
  for (const type of store.types) {
    if (type.kind === 'DaemonSet') for (const set of [...store.all(type)]) countDaemons(set);
    if (type.kind === 'ReplicaSet' || type.kind === 'Deployment')
      for (const set of [...store.all(type)]) countReplicas(set);
    if (type.kind === 'EndpointSlice') for (const slice of [...store.all(type)]) markEndpoints(slice);
  }

  function podsOf(owner: ApiObject): ApiObject[] {
    const wanted = Object.entries(mapAt(owner, 'spec', 'selector', 'matchLabels'));
    const owned = (pod: ApiObject) =>
      owner.kind === 'Deployment'
        ? wanted.every(([key, value]) => pod.metadata.labels?.[key] === value)
        : pod.metadata.ownerReferences?.some(reference => reference.uid === owner.metadata.uid);
    return pods.filter(pod => pod.metadata.namespace === owner.metadata.namespace && owned(pod));
  }

  function save(object: ApiObject, changed: ApiObject): void {
    const type = store.typeOf(object);
    if (type && JSON.stringify(object) !== JSON.stringify(changed)) store.update(type, changed);
  }

  function countDaemons(set: ApiObject): void {
    const ready = podsOf(set).filter(isReady).length;
    const {numberUnavailable: _, ...status} = isObject(set.status) ? set.status : {};
    const missing = Number(status.desiredNumberScheduled ?? 0) - ready;
    const counts = {numberReady: ready, numberAvailable: ready, ...(missing > 0 && {numberUnavailable: missing})};
    save(set, {...set, status: {...status, ...counts}});
  }

  function countReplicas(set: ApiObject): void {
    const ready = podsOf(set).filter(isReady).length;
    const status = {...(isObject(set.status) && set.status), readyReplicas: ready, availableReplicas: ready};
    save(set, {...set, status});
  }

  function markEndpoints(slice: ApiObject): void {
    const readyAddresses = new Set(pods.filter(isReady).map(pod => textAt(pod, 'status', 'podIP')));
    const ofService = slice.metadata.labels?.['kubernetes.io/service-name'] ?? '';
    if (ofService === 'kubernetes') return;
    const endpoints = listAt(slice, 'endpoints').map(endpoint => {
      const ready = listAt(endpoint, 'addresses').some(address => readyAddresses.has(String(address)));
      return {...(isObject(endpoint) && endpoint), conditions: {ready, serving: ready, terminating: false}};
    });
    save(slice, {...slice, endpoints});
  }
}
