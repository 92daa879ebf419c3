import type {ObjectStore} from '../api/store.js';
import type {PodSecurityLevel} from '../api/validation/pod-security.js';
import {DaemonSets} from './daemon-sets.js';
import {DisruptionBudgets} from './disruption-budgets.js';
import {EndpointSlices} from './endpoint-slices.js';
import {ReplicaSets} from './replica-sets.js';

/** Starts the controllers. Returns a function that stops them. */
export function startControllers(store: ObjectStore, podSecurity: PodSecurityLevel): () => void {
  const all = [
    new DaemonSets(store, podSecurity),
    new ReplicaSets(store),
    new EndpointSlices(store),
    new DisruptionBudgets(store),
  ];
  return () => {
    for (const controller of all) controller.close();
  };
}
