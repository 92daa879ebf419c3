import {timestamp} from '../api/object.js';
import {qosClassOf} from '../api/qos.js';
import {type JsonObject, listAt, textAt} from '../json.js';
import {Random} from '../random.js';
import {after, second} from '../time.js';

export interface RunningFacts {
  startTime: Date;
  startedAt: Date;
  hostIP: string;
  podIP: string;
  ready?: boolean;
  random: Random;
}

export const isReady = (pod: unknown): boolean =>
  listAt(pod, 'status', 'conditions').some(
    condition => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  );

export function podConditions(
  since: Date,
  readySince: Date,
  ready: boolean,
  unready: readonly string[] = [],
): JsonObject[] {
  const notReady = ready
    ? {}
    : {reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]`};
  const condition = (type: string, holds: boolean, time: Date, extra: JsonObject = {}) => ({
    type,
    status: holds ? 'True' : 'False',
    lastProbeTime: null,
    lastTransitionTime: timestamp(time),
    ...extra,
  });
  return [
    condition('Initialized', true, since),
    condition('Ready', ready, readySince, notReady),
    condition('ContainersReady', ready, readySince, notReady),
    condition('PodScheduled', true, since),
  ];
}

/** The status of a running pod. */
export function runningPodStatus(spec: JsonObject, facts: RunningFacts): JsonObject {
  const {startTime, startedAt, hostIP, podIP, random, ready = true} = facts;
  const names = listAt(spec, 'containers').map(container => textAt(container, 'name'));
  return {
    phase: 'Running',
    conditions: podConditions(startTime, after(startedAt, 12 * second), ready, names),
    containerStatuses: listAt(spec, 'containers').map(container => {
      const image = textAt(container, 'image');
      return {
        name: textAt(container, 'name'),
        image,
        imageID: imageDigest(image),
        containerID: `containerd://${random.hex(64)}`,
        ready,
        restartCount: 0,
        started: true,
        state: {running: {startedAt: timestamp(startedAt)}},
        lastState: {},
      };
    }),
    hostIP,
    hostIPs: [{ip: hostIP}],
    podIP,
    podIPs: [{ip: podIP}],
    startTime: timestamp(startTime),
    qosClass: qosClassOf(spec),
  };
}

/** An image has the same digest on every node. */
export function imageDigest(image: string): string {
  const name = image.replace(/:[^/:]+$/, '');
  return `${name}@sha256:${new Random(image).hex(64)}`;
}
