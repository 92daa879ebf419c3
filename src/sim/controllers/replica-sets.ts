import {nameSuffix, withDefaults} from '../api/defaults.js';
import type {ApiObject} from '../api/object.js';
import {deploymentType, nodeType, podType, replicaSetType} from '../api/resource-types.js';
import type {ObjectStore, StoreEvent} from '../api/store.js';
import {isReady} from '../cluster/pod-status.js';
import {owner} from '../cluster/workloads.js';
import {at, isObject, listAt, numberAt, sameJson, textAt} from '../json.js';
import {Due} from './due.js';
import {fits} from './node-fit.js';

/** Replaces deleted pods of ReplicaSets: on the same node if it is schedulable, otherwise on another. */
export class ReplicaSets {
  readonly #store: ObjectStore;
  readonly #due = new Due(key => this.#reconcile(key));
  readonly #unsubscribe: () => void;
  /** Nodes of deleted pods, by ReplicaSet. */
  readonly #left = new Map<string, string[]>();

  constructor(store: ObjectStore) {
    this.#store = store;
    this.#unsubscribe = store.subscribe(event => this.#notice(event));
  }

  close(): void {
    this.#unsubscribe();
    this.#due.close();
  }

  #notice({resource, object, type}: StoreEvent): void {
    if (resource === nodeType) for (const set of this.#store.all(replicaSetType)) this.#due.add(keyOf(set));
    if (resource !== podType) return;
    const set = object.metadata.ownerReferences?.find(({kind}) => kind === 'ReplicaSet');
    if (!set) return;
    const key = `${object.metadata.namespace}/${set.name}`;
    const node = textAt(object, 'spec', 'nodeName');
    if (type === 'DELETED' && node) this.#left.set(key, [...(this.#left.get(key) ?? []), node]);
    this.#due.add(key);
  }

  #reconcile(key: string): void {
    const [namespace = '', name = ''] = key.split('/');
    const set = this.#store.find(replicaSetType, namespace, name);
    if (!set || set.metadata.deletionTimestamp) return;
    const pods = [...this.#store.all(podType)].filter(pod =>
      pod.metadata.ownerReferences?.some(({uid}) => uid === set.metadata.uid),
    );
    const alive = pods.filter(pod => !['Failed', 'Succeeded'].includes(textAt(pod, 'status', 'phase')));
    const missing = numberAt(set, 'spec', 'replicas') - alive.length;
    for (let count = 0; count < missing; count += 1) this.#create(set, key);
    for (const pod of alive) if (!textAt(pod, 'spec', 'nodeName')) this.#place(pod, key);
    this.#count(set, alive);
  }

  #create(set: ApiObject, key: string): void {
    const {name, namespace = ''} = set.metadata;
    const template = at(set, 'spec', 'template');
    const metadata = isObject(template) && isObject(template.metadata) ? template.metadata : {};
    const nodeName = this.#nodeFor(at(template, 'spec'), key);
    const pod = withDefaults({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        name: `${name}-${nameSuffix()}`,
        generateName: `${name}-`,
        namespace,
        ownerReferences: [owner(set)],
      },
      spec: {
        ...(isObject(template) && isObject(template.spec) ? template.spec : {}),
        ...(nodeName !== undefined && {nodeName}),
      },
    });
    this.#store.create(podType, pod);
  }

  /** Acts as the scheduler: assigns a node to a pending pod once one is suitable. */
  #place(pod: ApiObject, key: string): void {
    const nodeName = this.#nodeFor(pod.spec, key);
    if (nodeName === undefined) return;
    this.#store.update(podType, {...pod, spec: {...(isObject(pod.spec) && pod.spec), nodeName}});
  }

  #nodeFor(spec: unknown, key: string): string | undefined {
    const suitable = [...this.#store.all(nodeType)].filter(node => takesPods(node) && fits(spec, node));
    const names = suitable.map(({metadata}) => metadata.name);
    const left = this.#left.get(key) ?? [];
    const chosen = left.find(name => names.includes(name)) ?? names[0];
    if (chosen !== undefined && left.includes(chosen)) left.splice(left.indexOf(chosen), 1);
    return chosen;
  }

  /** The Deployment gets the same counts, because it has only this ReplicaSet. */
  #count(set: ApiObject, pods: readonly ApiObject[]): void {
    const ready = pods.filter(isReady).length;
    const above = set.metadata.ownerReferences?.find(({kind}) => kind === 'Deployment')?.name ?? '';
    for (const [type, name] of [[replicaSetType, set.metadata.name] as const, [deploymentType, above] as const]) {
      const object = this.#store.find(type, set.metadata.namespace, name);
      if (!object) continue;
      const status = {...(isObject(object.status) && object.status), readyReplicas: ready, availableReplicas: ready};
      if (!sameJson(status, object.status)) this.#store.update(type, {...object, status});
    }
  }
}

const keyOf = ({metadata}: ApiObject) => `${metadata.namespace}/${metadata.name}`;

function takesPods(node: ApiObject): boolean {
  const ready = listAt(node, 'status', 'conditions').find(condition => textAt(condition, 'type') === 'Ready');
  return at(node, 'spec', 'unschedulable') !== true && textAt(ready, 'status') === 'True';
}
