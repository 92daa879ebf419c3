import {randomBytes} from 'node:crypto';
import {type ApiObject, timestamp} from '../api/object.js';
import {eventType, nodeType, podType} from '../api/resource-types.js';
import {podConditions} from '../cluster/pod-status.js';
import {at, isObject, type JsonObject, listAt, numberAt, textAt} from '../json.js';
import {rebootState} from '../node/reboot.js';
import type {PodPlan} from '../plan.js';
import {pluginNamed} from '../plugins/registry.js';
import {after, before, minute, second} from '../time.js';
import {recount} from './counts.js';
import type {EventContext} from './world.js';

/** Long enough that a healthy agent would have recovered. */
const ago = 36 * minute;

/** A reboot that the plugin did not recover from: node state, pods and conditions. */
export function reboot({world, node, plan}: EventContext): void {
  const {cluster, store} = world;
  const bootedAt = before(new Date(), ago);
  const plugin = pluginNamed(node.plugin);
  node.change(state => {
    rebootState(state, bootedAt);
    plugin.afterReboot?.(cluster, plan, state, bootedAt);
  });

  const pods = [...store.all(podType)].filter(pod => textAt(pod, 'spec', 'nodeName') === node.name);
  const back = plugin.podsAfterReboot?.(plan, bootedAt);
  for (const pod of pods) {
    const isHost = isObject(pod.spec) && pod.spec.hostNetwork === true;
    const again = back?.find(({name, namespace}) => name === pod.metadata.name && namespace === pod.metadata.namespace);
    if (isHost) store.update(podType, restarted(pod, bootedAt));
    else if (again) store.update(podType, runsAgain(pod, again, bootedAt));
    else {
      store.update(podType, withoutNetwork(pod, bootedAt));
      store.create(eventType, sandboxEvent(pod, node.name, plugin.sandboxFailure, bootedAt));
    }
  }
  const object = store.get(nodeType, undefined, node.name);
  store.update(nodeType, {...object, status: bootedStatus(object, bootedAt)});
  plugin.clusterAfterReboot?.(world, plan, bootedAt);
  recount(store);
}

function bootedStatus({status}: ApiObject, bootedAt: Date): JsonObject {
  const since = timestamp(after(bootedAt, 2 * minute));
  const info = isObject(status) && isObject(status.nodeInfo) ? status.nodeInfo : {};
  return {
    ...(isObject(status) && status),
    conditions: listAt(status, 'conditions').map(condition => ({
      ...(isObject(condition) && condition),
      lastTransitionTime: since,
    })),
    nodeInfo: {...info, bootID: String(Number(textAt(info, 'bootID')) + 1)},
  };
}

/**
 * Host-network pods, which the kubelet restarts after the boot. A container with a readiness probe is the agent: it
 * failed once, was restarted, and is not ready. The others run.
 */
function restarted(pod: ApiObject, bootedAt: Date): ApiObject {
  const first = after(bootedAt, 80 * second);
  const second_ = after(bootedAt, 17 * minute + 49 * second);
  const asked = listAt(pod, 'spec', 'containers')
    .filter(container => at(container, 'readinessProbe') !== undefined)
    .map(container => textAt(container, 'name'));
  const {startTime} = isObject(pod.status) ? pod.status : {};
  // A pod that the kubelet had not started yet still waits.
  if (startTime === undefined) return pod;
  return {
    ...pod,
    status: {
      ...(isObject(pod.status) && pod.status),
      conditions: podConditions(new Date(String(startTime)), after(bootedAt, 75 * second), asked.length === 0, asked),
      containerStatuses: listAt(pod, 'status', 'containerStatuses').map(status =>
        asked.includes(textAt(status, 'name'))
          ? {
              ...(isObject(status) && status),
              ready: false,
              restartCount: numberAt(status, 'restartCount') + 2,
              state: {running: {startedAt: timestamp(second_)}},
              lastState: {
                terminated: {
                  exitCode: 1,
                  reason: 'Error',
                  startedAt: timestamp(first),
                  finishedAt: timestamp(before(second_, 40 * second)),
                  containerID: textAt(status, 'containerID'),
                },
              },
            }
          : startedAnew(status, bootedAt, after(bootedAt, 140 * second)),
      ),
    },
  };
}

/** A pod of the pod network that lost only its containers. */
function runsAgain(pod: ApiObject, {address, startedAt}: PodPlan, bootedAt: Date): ApiObject {
  const {startTime} = isObject(pod.status) ? pod.status : {};
  return {
    ...pod,
    status: {
      ...(isObject(pod.status) && pod.status),
      conditions: podConditions(new Date(String(startTime)), after(startedAt, 12 * second), true),
      containerStatuses: listAt(pod, 'status', 'containerStatuses').map(status =>
        startedAnew(status, bootedAt, after(startedAt, 8 * second)),
      ),
      podIP: address,
      podIPs: [{ip: address}],
    },
  };
}

const startedAnew = (status: unknown, bootedAt: Date, startedAt: Date): JsonObject => ({
  ...(isObject(status) && status),
  restartCount: numberAt(status, 'restartCount') + 1,
  state: {running: {startedAt: timestamp(startedAt)}},
  lastState: {terminated: endedByBoot(status, bootedAt)},
});

const endedByBoot = (status: unknown, bootedAt: Date): JsonObject => ({
  exitCode: 255,
  reason: 'Unknown',
  message: 'The container could not be located when the pod was terminated',
  startedAt: textAt(status, 'state', 'running', 'startedAt'),
  finishedAt: timestamp(after(bootedAt, minute)),
  containerID: textAt(status, 'containerID'),
});

/** A pod of the pod network: its sandbox is gone, and a new one gets no network. */
function withoutNetwork(pod: ApiObject, bootedAt: Date): ApiObject {
  const names = listAt(pod, 'spec', 'containers').map(container => textAt(container, 'name'));
  const {podIP: _, podIPs: __, startTime, ...status} = isObject(pod.status) ? pod.status : {};
  return {
    ...pod,
    status: {
      ...status,
      phase: 'Running',
      startTime,
      conditions: podConditions(new Date(String(startTime)), after(bootedAt, 140 * second), false, names),
      containerStatuses: listAt(pod, 'status', 'containerStatuses').map(container => ({
        ...(isObject(container) && container),
        containerID: '',
        imageID: '',
        ready: false,
        started: false,
        state: {waiting: {reason: 'ContainerCreating'}},
        lastState: {terminated: endedByBoot(container, bootedAt)},
      })),
    },
  };
}

function sandboxEvent(pod: ApiObject, host: string, why: string, bootedAt: Date): ApiObject {
  const {name, namespace = '', uid} = pod.metadata;
  const sandbox = randomBytes(32).toString('hex');
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {name: `${name}.${randomBytes(8).toString('hex')}`, namespace},
    involvedObject: {apiVersion: 'v1', kind: 'Pod', name, namespace, ...(uid && {uid})},
    type: 'Warning',
    reason: 'FailedCreatePodSandBox',
    message: `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "${sandbox}": ${why}`,
    count: 61,
    firstTimestamp: timestamp(after(bootedAt, 3 * minute)),
    lastTimestamp: timestamp(before(new Date(), 17 * second)),
    source: {component: 'kubelet', host},
    reportingComponent: 'kubelet',
    reportingInstance: host,
  };
}
