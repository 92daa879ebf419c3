import {isReady} from '../cluster/pod-status.js';
import {at, isObject, mapAt, numberAt, textAt} from '../json.js';
import {remove} from './delete.js';
import {type ApiObject, timestamp} from './object.js';
import {type ApiAnswer, isDryRun, type ResourceRequest} from './request.js';
import {disruptionBudgetType, podType} from './resource-types.js';
import {selectsLabels} from './selectors.js';
import {badRequest, StatusError, success} from './status.js';
import type {ObjectStore} from './store.js';

/** Deletes a pod if its disruption budget allows it. Otherwise answers 429, as the eviction API does. */
export function evictPod(store: ObjectStore, request: ResourceRequest): ApiAnswer {
  const pod = store.get(podType, request.namespace, request.name ?? '');
  if (textAt(request.body, 'metadata', 'name') !== pod.metadata.name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const budgets = budgetsOf(store, pod);
  if (budgets.length > 1) throw new StatusError(500, '', tooManyBudgets);
  const [budget] = budgets;
  const guard = budget && !isUnhealthyAndAllowed(budget, pod) ? budget : undefined;
  if (guard) refuseViolation(guard);
  const dryRun = at(request.body, 'deleteOptions', 'dryRun');
  if (isDryRun(request) || (Array.isArray(dryRun) && dryRun.includes('All'))) return {code: 201, body: success()};
  if (guard) spendOne(store, guard, pod);
  const grace = at(request.body, 'deleteOptions', 'gracePeriodSeconds');
  remove(store, podType, pod, typeof grace === 'number' ? {gracePeriodSeconds: grace} : {});
  return {code: 201, body: success()};
}

const tooManyBudgets =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

/** The budgets that apply to a pod. A pod that has ended or not started has none. */
function budgetsOf(store: ObjectStore, pod: ApiObject): ApiObject[] {
  const isIdle = ['Succeeded', 'Failed', 'Pending'].includes(textAt(pod, 'status', 'phase'));
  if (isIdle || pod.metadata.deletionTimestamp) return [];
  const labels = mapAt(pod, 'metadata', 'labels');
  return store
    .list(disruptionBudgetType, pod.metadata.namespace)
    .filter(budget => selectsLabels(at(budget, 'spec', 'selector'), labels));
}

/** A pod that is not ready is not counted as available, so evicting it disrupts nothing. */
function isUnhealthyAndAllowed(budget: ApiObject, pod: ApiObject): boolean {
  if (isReady(pod)) return false;
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const desired = numberAt(budget, 'status', 'desiredHealthy');
  return desired > 0 && numberAt(budget, 'status', 'currentHealthy') >= desired;
}

function refuseViolation(budget: ApiObject): void {
  const {name, generation = 1} = budget.metadata;
  if (numberAt(budget, 'status', 'observedGeneration') < generation) {
    throw tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (numberAt(budget, 'status', 'disruptionsAllowed') > 0) return;
  const [desired, current] = [
    numberAt(budget, 'status', 'desiredHealthy'),
    numberAt(budget, 'status', 'currentHealthy'),
  ];
  throw tooManyRequests(
    current <= desired
      ? `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`
      : `The disruption budget ${name} does not allow evicting pods currently`,
  );
}

function tooManyRequests(message: string, retryAfterSeconds?: number): StatusError {
  return new StatusError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{reason: 'DisruptionBudget', message}],
    ...(retryAfterSeconds && {retryAfterSeconds}),
  });
}

/** Reduces the budget by one until the controller has seen the deletion. */
function spendOne(store: ObjectStore, budget: ApiObject, pod: ApiObject): void {
  const status = isObject(budget.status) ? budget.status : {};
  store.update(disruptionBudgetType, {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed: numberAt(budget, 'status', 'disruptionsAllowed') - 1,
      disruptedPods: {...mapAt(budget, 'status', 'disruptedPods'), [pod.metadata.name]: timestamp()},
    },
  });
}
