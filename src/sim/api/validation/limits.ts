import {isObject, type JsonObject, listAt, mapAt, textAt} from '../../json.js';
import type {ApiObject} from '../object.js';
import {limitRangeType, podType, type ResourceType} from '../resource-types.js';
import type {Cause} from '../status.js';
import type {ObjectStore} from '../store.js';
import {invalidValue} from './names.js';
import {quantity} from './quantity.js';

/** The container limits of the LimitRanges in a namespace. */
const limitsIn = (store: ObjectStore, namespace: string | undefined) =>
  store
    .list(limitRangeType, namespace)
    .flatMap(range => listAt(range, 'spec', 'limits').filter(limit => textAt(limit, 'type') === 'Container'));

/** Sets the default limits and requests of a LimitRange on containers without them. */
export function withLimits(store: ObjectStore, type: ResourceType, pod: ApiObject): ApiObject {
  const limits = type === podType ? limitsIn(store, pod.metadata.namespace) : [];
  if (limits.length === 0 || !isObject(pod.spec)) return pod;
  const containers = listAt(pod, 'spec', 'containers').map(container =>
    limits.reduce<JsonObject>(filled, isObject(container) ? container : {}),
  );
  return {...pod, spec: {...pod.spec, containers}};
}

function filled(container: JsonObject, limit: unknown): JsonObject {
  // The default limit defaults to max; the default request defaults to that limit.
  const limits = {...mapAt(limit, 'max'), ...mapAt(limit, 'default')};
  const requests = {...mapAt(limit, 'min'), ...limits, ...mapAt(limit, 'defaultRequest')};
  return {
    ...container,
    resources: {
      ...(isObject(container.resources) && container.resources),
      limits: {...limits, ...mapAt(container, 'resources', 'limits')},
      requests: {...requests, ...mapAt(container, 'resources', 'requests')},
    },
  };
}

/** Why a LimitRange rejects a pod, in the wording of the server's LimitRanger. */
export function limitViolation(store: ObjectStore, pod: ApiObject): string | undefined {
  const broken = limitsIn(store, pod.metadata.namespace).flatMap(limit =>
    listAt(pod, 'spec', 'containers').flatMap(container => [
      ...outside(limit, container, 'min', (value, bound) => value < bound),
      ...outside(limit, container, 'max', (value, bound) => value > bound),
    ]),
  );
  return broken.length > 1 ? `[${broken.join(', ')}]` : broken[0];
}

function outside(
  limit: unknown,
  container: unknown,
  side: 'min' | 'max',
  breaks: (value: number, bound: number) => boolean,
): string[] {
  const words = side === 'min' ? 'minimum' : 'maximum';
  const order = side === 'min' ? (['request', 'limit'] as const) : (['limit', 'request'] as const);
  return Object.entries(mapAt(limit, side)).flatMap(([name, bound]) => {
    const rule = `${words} ${name} usage per Container is ${bound}`;
    const told = order.map(kind => [kind, mapAt(container, 'resources', `${kind}s`)[name]] as const);
    const [[first, value]] = told as [(typeof told)[number]];
    if (value === undefined) return [`${rule}.  No ${first} is specified`];
    const found = told.find(([, given]) => given !== undefined && breaks(quantity(given), quantity(bound)));
    return found ? [`${rule}, but ${found[0]} is ${found[1]}`] : [];
  });
}

/** Requests above the limits, which the defaults of a LimitRange can cause. */
export function requestErrors(pod: ApiObject): Cause[] {
  return listAt(pod, 'spec', 'containers').flatMap((container, index) => {
    const limits = mapAt(container, 'resources', 'limits');
    return Object.entries(mapAt(container, 'resources', 'requests')).flatMap(([name, request]) => {
      const limit = limits[name];
      if (limit === undefined || !(quantity(request) > quantity(limit))) return [];
      const field = `spec.containers[${index}].resources.requests`;
      return [invalidValue(field, request, `must be less than or equal to ${name} limit of ${limit}`)];
    });
  });
}
