import {listAt, mapAt, textAt} from '../../json.js';
import type {ApiObject} from '../object.js';
import {podType, resourceQuotaType} from '../resource-types.js';
import type {ObjectStore} from '../store.js';
import {quantity} from './quantity.js';

/** The container field that each quota name counts. */
const counted: Record<string, readonly [kind: 'requests' | 'limits', name: string]> = {
  cpu: ['requests', 'cpu'],
  memory: ['requests', 'memory'],
  'requests.cpu': ['requests', 'cpu'],
  'requests.memory': ['requests', 'memory'],
  'limits.cpu': ['limits', 'cpu'],
  'limits.memory': ['limits', 'memory'],
};

/** Why a ResourceQuota rejects a pod, in the wording of the server. */
export function quotaViolation(store: ObjectStore, pod: ApiObject): string | undefined {
  for (const quota of store.list(resourceQuotaType, pod.metadata.namespace)) {
    const hard = mapAt(quota, 'spec', 'hard');
    const missing = Object.keys(hard)
      .sort()
      .flatMap(name => unspecified(name, pod));
    if (missing.length > 0) return `failed quota: ${quota.metadata.name}: must specify ${missing.join('; ')}`;
    const over = exceeded(store, hard, pod);
    if (over) return `exceeded quota: ${quota.metadata.name}, ${over}`;
  }
  return undefined;
}

function unspecified(name: string, pod: ApiObject): string[] {
  const place = counted[name];
  if (!place) return [];
  const without = listAt(pod, 'spec', 'containers').filter(
    container => mapAt(container, 'resources', place[0])[place[1]] === undefined,
  );
  return without.length > 0 ? [`${name} for: ${without.map(each => textAt(each, 'name')).join(',')}`] : [];
}

function exceeded(store: ObjectStore, hard: Record<string, string>, pod: ApiObject): string | undefined {
  const others = store
    .list(podType, pod.metadata.namespace)
    .filter(other => !['Succeeded', 'Failed'].includes(textAt(other, 'status', 'phase')));
  const over = Object.keys(hard)
    .sort()
    .filter(name => {
      const all = [...others, pod].map(each => usage(name, each)).reduce((sum, each) => sum + each, 0);
      return all > quantity(hard[name]);
    });
  if (over.length === 0) return undefined;
  const list = (value: (name: string) => unknown) => over.map(name => `${name}=${value(name)}`).join(',');
  const used = (name: string) =>
    shown(
      name,
      others.map(each => usage(name, each)).reduce((sum, each) => sum + each, 0),
    );
  return `requested: ${list(name => shown(name, usage(name, pod)))}, used: ${list(used)}, limited: ${list(name => hard[name])}`;
}

function usage(name: string, pod: ApiObject): number {
  if (name === 'pods' || name === 'count/pods') return 1;
  const place = counted[name];
  if (!place) return 0;
  const values = listAt(pod, 'spec', 'containers').map(container => mapAt(container, 'resources', place[0])[place[1]]);
  return values.reduce((sum, value) => sum + (value === undefined ? 0 : quantity(value)), 0);
}

/** Quantities in the server's format: thousandths of a CPU, binary units of memory. */
function shown(name: string, value: number): string {
  if (name.endsWith('cpu')) return Number.isInteger(value) ? String(value) : `${Math.round(value * 1000)}m`;
  if (!name.endsWith('memory') || value === 0) return String(value);
  for (const [unit, factor] of [
    ['Gi', 2 ** 30],
    ['Mi', 2 ** 20],
    ['Ki', 2 ** 10],
  ] as const)
    if (value % factor === 0) return `${value / factor}${unit}`;
  return String(value);
}
