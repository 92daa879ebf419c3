import {nodeType} from '../api/resource-types.js';
import type {ObjectStore} from '../api/store.js';
import {type ScenarioEvent, scenarioEvent} from '../scenario.js';

/** `kubectl annotate node NODE demo.kubectl-win/happen=reboot` triggers an event while the demo runs. */
const annotation = 'demo.kubectl-win/happen';

/** Triggers the event that an annotation requests, and removes the annotation. Returns a function that stops it. */
export function onRequest(store: ObjectStore, happen: (node: string, event: ScenarioEvent) => unknown): () => void {
  return store.subscribe(({type, resource, object}) => {
    if (resource !== nodeType || type === 'DELETED') return;
    const event = scenarioEvent.safeParse(object.metadata.annotations?.[annotation]).data;
    if (event === undefined) return;
    // The store notifies all listeners of one change before it accepts the next.
    queueMicrotask(() => {
      const node = store.get(nodeType, undefined, object.metadata.name);
      const {[annotation]: asked, ...annotations} = node.metadata.annotations ?? {};
      if (asked === undefined) return;
      store.update(nodeType, {...node, metadata: {...node.metadata, annotations}});
      happen(object.metadata.name, event);
    });
  });
}
