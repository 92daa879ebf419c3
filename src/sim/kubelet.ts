import {finishNamespace} from './api/delete.js';
import {type ApiObject, timestamp} from './api/object.js';
import {type EventText, recordEvent} from './api/record-event.js';
import {configMapType, nodeType, podType} from './api/resource-types.js';
import type {Store, StoreEvent} from './api/store.js';
import {isHostProcess} from './api/validation/host-process.js';
import {podConditions, podStatus} from './cluster/pod-status.js';
import {at, isObject, type JsonObject, listAt, numberAt, textAt} from './json.js';
import type {SimNode} from './node/sim-node.js';
import {Random} from './random.js';

export interface KubeletOptions {
  store: Store;
  nodes: ReadonlyMap<string, SimNode>;
  /** How long a pod takes to run, and to end. */
  startMs: number;
  stopMs: number;
}

/** The kubelets of all nodes: they start pods that are bound to a node, and end those that are deleted. */
export class Kubelets {
  readonly #options: KubeletOptions;
  readonly #timers = new Map<string, Set<NodeJS.Timeout>>();
  readonly #running = new Map<string, AbortController>();
  readonly #unsubscribe: () => void;

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.subscribe(event => this.#notice(event));
  }

  close(): void {
    this.#unsubscribe();
    for (const timers of this.#timers.values()) for (const timer of timers) clearTimeout(timer);
    for (const running of this.#running.values()) running.abort();
  }

  /** Aborted when the pod's containers are killed. */
  lifeOf(pod: ApiObject): AbortSignal {
    const uid = pod.metadata.uid ?? '';
    const present = this.#running.get(uid) ?? new AbortController();
    this.#running.set(uid, present);
    return present.signal;
  }

  #notice({type, resource, object, previous}: StoreEvent): void {
    if (resource !== podType) return;
    const node = this.#options.nodes.get(textAt(object, 'spec', 'nodeName'));
    if (type === 'DELETED') {
      this.#kill(object);
      // The store has told everybody of the deletion before the namespace can follow.
      queueMicrotask(() => finishNamespace(this.#options.store, object.metadata.namespace ?? ''));
    } else if (node && !node.faults.kubeletDown) {
      if (type === 'ADDED') this.#start(node, object);
      else if (object.metadata.deletionTimestamp && !previous?.metadata.deletionTimestamp) this.#stop(object);
    }
  }

  #start(node: SimNode, pod: ApiObject): void {
    const wait = this.#options.startMs + node.faults.slowStart;
    this.#event(node, pod, {
      type: 'Normal',
      reason: 'Scheduled',
      message: `Successfully assigned ${path(pod)} to ${node.name}`,
    });
    this.#later(pod, wait / 3, () => this.#create(node, pod, wait));
    const deadline = numberAt(pod, 'spec', 'activeDeadlineSeconds');
    if (deadline > 0) this.#later(pod, deadline * 1_000, () => this.#expire(node, pod));
  }

  #create(node: SimNode, pod: ApiObject, wait: number): void {
    this.#waiting(node, pod, 'ContainerCreating');
    const missing = this.#missingConfigMap(pod);
    if (missing) return this.#event(node, pod, missing);
    if (node.faults.docker && isHostProcess(pod)) {
      const message =
        'Error: failed to create containerd container: hostProcess containers are not supported by the docker runtime';
      this.#waiting(node, pod, 'CreateContainerError', message);
      return this.#event(node, pod, {type: 'Warning', reason: 'Failed', message});
    }
    const image = this.#missingImage(node, pod);
    if (image && node.faults.imagePull) return this.#failPull(node, pod, image, wait);
    this.#later(pod, (wait * 2) / 3, () => this.#run(node, pod));
  }

  #run(node: SimNode, pod: ApiObject): void {
    for (const container of listAt(pod, 'spec', 'containers')) {
      const [name, image] = [textAt(container, 'name'), textAt(container, 'image')];
      this.#event(node, pod, {
        type: 'Normal',
        reason: 'Pulled',
        message: `Container image "${image}" already present on machine`,
      });
      this.#event(node, pod, {type: 'Normal', reason: 'Created', message: `Created container: ${name}`});
      this.#event(node, pod, {type: 'Normal', reason: 'Started', message: `Started container ${name}`});
    }
    const now = new Date();
    const hostNetwork = at(pod, 'spec', 'hostNetwork') === true;
    const random = new Random(pod.metadata.uid ?? pod.metadata.name);
    this.lifeOf(pod);
    this.#setStatus(pod, () =>
      podStatus(isObject(pod.spec) ? pod.spec : {}, {
        startTime: new Date(pod.metadata.creationTimestamp ?? now),
        startedAt: now,
        hostIP: node.address,
        podIP: hostNetwork ? node.address : `10.0.${random.int(0, 255)}.${random.int(2, 250)}`,
        random,
      }),
    );
  }

  #stop(pod: ApiObject): void {
    const {store, stopMs} = this.#options;
    this.#clear(pod);
    this.#later(pod, stopMs, () => {
      this.#kill(pod);
      const {name, namespace, uid} = pod.metadata;
      if (store.find(podType, namespace, name)?.metadata.uid === uid) store.delete(podType, namespace, name);
    });
  }

  #expire(node: SimNode, pod: ApiObject): void {
    const message = 'Pod was active on the node longer than the specified deadline';
    this.#kill(pod);
    this.#event(node, pod, {type: 'Normal', reason: 'DeadlineExceeded', message});
    this.#setStatus(pod, status => ({
      ...status,
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message,
      containerStatuses: listAt(status, 'containerStatuses').map(container => ({
        ...(isObject(container) && container),
        ready: false,
        started: false,
        state: {terminated: {exitCode: 137, reason: 'Error', finishedAt: timestamp()}},
      })),
    }));
  }

  #failPull(node: SimNode, pod: ApiObject, image: string, wait: number): void {
    const why = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": dial tcp: lookup ${image.split('/')[0]}: no such host`;
    const rpc = `rpc error: code = Unknown desc = ${why}`;
    this.#event(node, pod, {type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"`});
    this.#event(node, pod, {type: 'Warning', reason: 'Failed', message: `Failed to pull image "${image}": ${rpc}`});
    this.#event(node, pod, {type: 'Warning', reason: 'Failed', message: 'Error: ErrImagePull'});
    this.#waiting(node, pod, 'ErrImagePull', rpc);
    this.#later(pod, wait, () => {
      this.#waiting(node, pod, 'ImagePullBackOff', `Back-off pulling image "${image}"`);
      this.#event(node, pod, {type: 'Normal', reason: 'BackOff', message: `Back-off pulling image "${image}"`});
      this.#event(node, pod, {type: 'Warning', reason: 'Failed', message: 'Error: ImagePullBackOff'});
    });
  }

  #missingImage(node: SimNode, pod: ApiObject): string | undefined {
    const present = listAt(this.#options.store.find(nodeType, undefined, node.name), 'status', 'images').flatMap(
      image => listAt(image, 'names'),
    );
    const wanted = listAt(pod, 'spec', 'containers').map(container => textAt(container, 'image'));
    return wanted.find(image => !present.includes(image));
  }

  #missingConfigMap(pod: ApiObject): EventText | undefined {
    for (const volume of listAt(pod, 'spec', 'volumes')) {
      const name = textAt(volume, 'configMap', 'name');
      if (!name || at(volume, 'configMap', 'optional') === true) continue;
      if (this.#options.store.find(configMapType, pod.metadata.namespace, name)) continue;
      const message = `MountVolume.SetUp failed for volume "${textAt(volume, 'name')}" : configmap "${name}" not found`;
      return {type: 'Warning', reason: 'FailedMount', message};
    }
    return undefined;
  }

  #waiting(node: SimNode, pod: ApiObject, reason: string, message?: string): void {
    const names = listAt(pod, 'spec', 'containers').map(container => textAt(container, 'name'));
    const now = new Date();
    this.#setStatus(pod, status => ({
      ...status,
      conditions: podConditions(now, now, false, names),
      containerStatuses: listAt(pod, 'spec', 'containers').map(container => ({
        name: textAt(container, 'name'),
        image: textAt(container, 'image'),
        imageID: '',
        ready: false,
        started: false,
        restartCount: 0,
        state: {waiting: {reason, ...(message && {message})}},
        lastState: {},
      })),
      hostIP: node.address,
      startTime: textAt(status, 'startTime') || timestamp(now),
    }));
  }

  #setStatus(pod: ApiObject, change: (status: JsonObject) => JsonObject): void {
    const {store} = this.#options;
    const present = store.find(podType, pod.metadata.namespace, pod.metadata.name);
    if (!present || present.metadata.uid !== pod.metadata.uid) return;
    store.update(podType, {...present, status: change(isObject(present.status) ? present.status : {})});
  }

  #event(node: SimNode, pod: ApiObject, text: EventText): void {
    const {store} = this.#options;
    if (store.find(podType, pod.metadata.namespace, pod.metadata.name)) recordEvent(store, pod, text, node.name);
  }

  #kill(pod: ApiObject): void {
    this.#clear(pod);
    this.#running.get(pod.metadata.uid ?? '')?.abort();
    this.#running.delete(pod.metadata.uid ?? '');
  }

  #clear(pod: ApiObject): void {
    const uid = pod.metadata.uid ?? '';
    for (const timer of this.#timers.get(uid) ?? []) clearTimeout(timer);
    this.#timers.delete(uid);
  }

  #later(pod: ApiObject, milliseconds: number, action: () => void): void {
    const uid = pod.metadata.uid ?? '';
    const timers = this.#timers.get(uid) ?? new Set();
    this.#timers.set(uid, timers);
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, milliseconds);
    timer.unref();
    timers.add(timer);
  }
}

const path = ({metadata}: ApiObject) => `${metadata.namespace}/${metadata.name}`;
