import type {ApiObject} from '../api/object.js';
import type {EventText} from '../api/record-event.js';
import {configMapType, nodeType} from '../api/resource-types.js';
import type {ObjectStore} from '../api/store.js';
import {isHostProcess} from '../api/validation/host-process.js';
import {at, listAt, textAt} from '../json.js';
import type {SimNode} from '../node/sim-node.js';
import type {Waiting} from './statuses.js';

/** Why a pod does not start: its events, its waiting reason, and the next state. */
export interface Obstacle {
  events: EventText[];
  waiting?: Waiting;
  later?: Obstacle;
  /** Whether the pod starts once the missing object exists. */
  passes?: boolean;
}

const warning = (reason: string, message: string): EventText => ({type: 'Warning', reason, message});
const normal = (reason: string, message: string): EventText => ({type: 'Normal', reason, message});

export function obstacleOf(store: ObjectStore, node: SimNode, pod: ApiObject): Obstacle | undefined {
  const configMap = missingConfigMap(store, pod);
  if (configMap) return configMap;
  if (node.faults.docker && isHostProcess(pod)) {
    const message = 'Error: HostProcess containers are not supported by the docker runtime';
    return {events: [warning('Failed', message)], waiting: {reason: 'CreateContainerError', message}};
  }
  const image = node.faults.imagePull ? missingImage(store, node, pod) : undefined;
  return image === undefined ? undefined : failedPull(image);
}

function missingConfigMap(store: ObjectStore, pod: ApiObject): Obstacle | undefined {
  for (const volume of listAt(pod, 'spec', 'volumes')) {
    const name = textAt(volume, 'configMap', 'name');
    if (!name || at(volume, 'configMap', 'optional') === true) continue;
    if (store.find(configMapType, pod.metadata.namespace, name)) continue;
    const message = `MountVolume.SetUp failed for volume "${textAt(volume, 'name')}" : configmap "${name}" not found`;
    return {events: [warning('FailedMount', message)], passes: true};
  }
  return undefined;
}

function missingImage(store: ObjectStore, node: SimNode, pod: ApiObject): string | undefined {
  const images = listAt(store.find(nodeType, undefined, node.name), 'status', 'images');
  const present = images.flatMap(image => listAt(image, 'names'));
  const wanted = listAt(pod, 'spec', 'containers').map(container => textAt(container, 'image'));
  return wanted.find(image => !present.includes(image));
}

function failedPull(image: string): Obstacle {
  const registry = image.split('/')[0];
  const why = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": failed to do request: Head "https://${registry}/v2/": dial tcp: lookup ${registry}: no such host`;
  const error = `rpc error: code = Unknown desc = ${why}`;
  const backOff = `Back-off pulling image "${image}"`;
  return {
    events: [
      normal('Pulling', `Pulling image "${image}"`),
      warning('Failed', `Failed to pull image "${image}": ${error}`),
      warning('Failed', 'Error: ErrImagePull'),
    ],
    waiting: {reason: 'ErrImagePull', message: error},
    later: {
      events: [normal('BackOff', backOff), warning('Failed', 'Error: ImagePullBackOff')],
      waiting: {reason: 'ImagePullBackOff', message: backOff},
    },
  };
}
