import {type ApiObject, timestamp} from '../api/object.js';
import {disruptionBudgetType, podType, replicaSetType} from '../api/resource-types.js';
import {selectsLabels} from '../api/selectors.js';
import type {ObjectStore, StoreEvent} from '../api/store.js';
import {isReady} from '../cluster/pod-status.js';
import {at, isObject, mapAt, numberAt, sameJson, textAt} from '../json.js';
import {Due} from './due.js';

/** Counts the pods of each PodDisruptionBudget and computes the allowed disruptions. */
export class DisruptionBudgets {
  readonly #store: ObjectStore;
  readonly #due = new Due(namespace => this.#reconcile(namespace));
  readonly #unsubscribe: () => void;

  constructor(store: ObjectStore) {
    this.#store = store;
    this.#unsubscribe = store.subscribe(event => this.#notice(event));
    for (const budget of store.all(disruptionBudgetType)) this.#due.add(budget.metadata.namespace ?? '');
  }

  close(): void {
    this.#unsubscribe();
    this.#due.close();
  }

  #notice({resource, object}: StoreEvent): void {
    if (resource === podType || resource === disruptionBudgetType) this.#due.add(object.metadata.namespace ?? '');
  }

  #reconcile(namespace: string): void {
    for (const budget of this.#store.list(disruptionBudgetType, namespace)) {
      const status = this.#statusOf(budget);
      if (sameJson(withoutTimes(status), withoutTimes(budget.status))) continue;
      this.#store.update(disruptionBudgetType, {...budget, status});
    }
  }

  #statusOf(budget: ApiObject): object {
    const pods = this.#store.list(podType, budget.metadata.namespace).filter(({metadata, ...pod}) => {
      const done = ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
      return !done && selectsLabels(at(budget, 'spec', 'selector'), metadata.labels ?? {});
    });
    const evicted = Object.entries(mapAt(budget, 'status', 'disruptedPods')).filter(([name]) =>
      pods.some(({metadata}) => metadata.name === name && !metadata.deletionTimestamp),
    );
    const isDisrupted = (name: string) => evicted.some(([each]) => each === name);
    const currentHealthy = pods.filter(
      pod => isReady(pod) && !pod.metadata.deletionTimestamp && !isDisrupted(pod.metadata.name),
    ).length;
    const {expected, desiredHealthy} = this.#wanted(budget, pods);
    const disruptionsAllowed = expected > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
    const allowed = disruptionsAllowed > 0;
    return {
      observedGeneration: budget.metadata.generation ?? 1,
      currentHealthy,
      desiredHealthy,
      disruptionsAllowed,
      expectedPods: expected,
      ...(evicted.length > 0 && {disruptedPods: Object.fromEntries(evicted)}),
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: allowed ? 'True' : 'False',
          reason: allowed ? 'SufficientPods' : 'InsufficientPods',
          message: '',
          observedGeneration: budget.metadata.generation ?? 1,
          lastTransitionTime: timestamp(),
        },
      ],
    };
  }

  #wanted(budget: ApiObject, pods: readonly ApiObject[]): {expected: number; desiredHealthy: number} {
    const least = at(budget, 'spec', 'minAvailable');
    if (typeof least === 'number') return {expected: pods.length, desiredHealthy: least};
    // Percentages and maxUnavailable refer to the replicas of the owning controllers.
    const sets = new Set(pods.map(({metadata}) => metadata.ownerReferences?.find(({controller}) => controller)?.name));
    const expected = this.#store
      .list(replicaSetType, budget.metadata.namespace)
      .filter(({metadata}) => sets.has(metadata.name))
      .reduce((sum, set) => sum + numberAt(set, 'spec', 'replicas'), 0);
    if (least !== undefined) return {expected, desiredHealthy: share(least, expected)};
    const most = at(budget, 'spec', 'maxUnavailable') ?? 0;
    return {expected, desiredHealthy: Math.max(0, expected - share(most, expected))};
  }
}

/** A number, or a percentage that is rounded up as in the API. */
function share(value: unknown, of: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(String(value), 10) / 100) * of);
}

const withoutTimes = (status: unknown): unknown =>
  JSON.parse(
    JSON.stringify(isObject(status) ? status : {}, (key, value) => (key === 'lastTransitionTime' ? 0 : value)),
  );
