import type {ApiObject} from '../api/object.js';
import type {EventText} from '../api/record-event.js';
import {nodeType} from '../api/resource-types.js';
import type {ObjectStore} from '../api/store.js';
import {listAt, textAt} from '../json.js';
import type {SimNode} from '../node/sim-node.js';

const normal = (reason: string, message: string): EventText => ({type: 'Normal', reason, message});

/** The kubelet's events for starting containers. */
export function startEvents(store: ObjectStore, node: SimNode, pod: ApiObject): EventText[] {
  const images = listAt(store.find(nodeType, undefined, node.name), 'status', 'images').flatMap(image =>
    listAt(image, 'names'),
  );
  return listAt(pod, 'spec', 'containers').flatMap(container => {
    const [name, image] = [textAt(container, 'name'), textAt(container, 'image')];
    const pulled = images.includes(image)
      ? [normal('Pulled', `Container image "${image}" already present on machine`)]
      : [
          normal('Pulling', `Pulling image "${image}"`),
          normal('Pulled', `Successfully pulled image "${image}" in 812ms (812ms including waiting)`),
        ];
    return [...pulled, normal('Created', `Created container: ${name}`), normal('Started', `Started container ${name}`)];
  });
}
