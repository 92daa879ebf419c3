import {nodeType} from '../api/resource-types.js';
import type {ObjectStore} from '../api/store.js';
import {type ScenarioEvent, scenarioEvent} from '../scenario.js';

/** `kubectl annotate node NODE demo.kubectl-win/happen=reboot` lets it happen while someone looks. */
const annotation = 'demo.kubectl-win/happen';

/** Lets happen to a node what an annotation asks for, and takes the annotation away. Gives its end. */
export function onRequest(store: ObjectStore, happen: (node: string, event: ScenarioEvent) => unknown): () => void {
  return store.subscribe(({type, resource, object}) => {
    if (resource !== nodeType || type === 'DELETED') return;
    const event = scenarioEvent.safeParse(object.metadata.annotations?.[annotation]).data;
    if (event === undefined) return;
    // The store is telling others of the change: it cannot be changed again before they have heard.
    queueMicrotask(() => {
      const node = store.get(nodeType, undefined, object.metadata.name);
      const {[annotation]: asked, ...annotations} = node.metadata.annotations ?? {};
      if (asked === undefined) return;
      store.update(nodeType, {...node, metadata: {...node.metadata, annotations}});
      happen(object.metadata.name, event);
    });
  });
}
