import {finishNamespace} from '../api/delete.js';
import {type ApiObject, timestamp} from '../api/object.js';
import {type EventText, recordEvent} from '../api/record-event.js';
import {nodeType, podType} from '../api/resource-types.js';
import type {Store, StoreEvent} from '../api/store.js';
import {podStatus} from '../cluster/pod-status.js';
import {at, isObject, type JsonObject, listAt, numberAt, textAt} from '../json.js';
import type {SimNode} from '../node/sim-node.js';
import {Random} from '../random.js';
import {reportKubelet} from './heartbeat.js';
import {type Obstacle, obstacleOf} from './obstacles.js';
import {PodTimers} from './pod-timers.js';
import {expiredStatus, waitingStatus} from './statuses.js';

export interface KubeletOptions {
  store: Store;
  nodes: ReadonlyMap<string, SimNode>;
  /** How long a pod takes to run, and to end. */
  startMs: number;
  stopMs: number;
  /** Whether a pod that runs becomes ready. */
  becomesReady(node: SimNode, pod: ApiObject): boolean;
}

const normal = (reason: string, message: string): EventText => ({type: 'Normal', reason, message});

/** The kubelets of all nodes: they start pods that are bound to a node, and end those that are deleted. */
export class Kubelets {
  readonly #options: KubeletOptions;
  readonly #timers = new PodTimers();
  readonly #lives = new Map<string, AbortController>();
  readonly #unsubscribe: () => void;

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.subscribe(event => this.#notice(event));
    for (const node of options.nodes.values()) {
      if (node.faults.kubeletDown) reportKubelet(options.store, node.name, false);
      node.onFault = before => this.#upOrDown(node, before.kubeletDown);
    }
  }

  close(): void {
    this.#unsubscribe();
    this.#timers.close();
    for (const life of this.#lives.values()) life.abort();
  }

  /** Aborted when the pod's containers are killed. */
  lifeOf(pod: ApiObject): AbortSignal {
    const uid = pod.metadata.uid ?? '';
    const life = this.#lives.get(uid) ?? new AbortController();
    this.#lives.set(uid, life);
    return life.signal;
  }

  /** A kubelet that is back takes up what it missed. */
  #upOrDown(node: SimNode, wasDown: boolean): void {
    const {kubeletDown} = node.faults;
    if (kubeletDown === wasDown) return;
    reportKubelet(this.#options.store, node.name, !kubeletDown);
    if (kubeletDown) return;
    for (const pod of [...this.#options.store.all(podType)]) {
      if (textAt(pod, 'spec', 'nodeName') !== node.name) continue;
      if (pod.metadata.deletionTimestamp) this.#stop(pod);
      else if (textAt(pod, 'status', 'phase') === 'Pending') this.#start(node, pod);
    }
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
    this.#timers.later(pod, wait / 3, () => this.#create(node, pod, wait));
    const deadline = numberAt(pod, 'spec', 'activeDeadlineSeconds');
    if (deadline > 0) this.#timers.later(pod, deadline * 1_000, () => this.#expire(node, pod));
  }

  #create(node: SimNode, pod: ApiObject, wait: number): void {
    this.#setStatus(pod, status => waitingStatus(pod, status, node.address, {reason: 'ContainerCreating'}));
    const obstacle = obstacleOf(this.#options.store, node, pod);
    if (obstacle) this.#stumble(node, pod, obstacle, wait);
    else this.#timers.later(pod, (wait * 2) / 3, () => this.#run(node, pod));
  }

  #stumble(node: SimNode, pod: ApiObject, {events, waiting, later}: Obstacle, wait: number): void {
    for (const event of events) this.#event(node, pod, event);
    if (waiting) this.#setStatus(pod, status => waitingStatus(pod, status, node.address, waiting));
    if (later) this.#timers.later(pod, wait, () => this.#stumble(node, pod, later, wait));
  }

  #run(node: SimNode, pod: ApiObject): void {
    const {store} = this.#options;
    const images = listAt(store.find(nodeType, undefined, node.name), 'status', 'images').flatMap(image =>
      listAt(image, 'names'),
    );
    for (const container of listAt(pod, 'spec', 'containers')) {
      const [name, image] = [textAt(container, 'name'), textAt(container, 'image')];
      if (images.includes(image)) {
        this.#event(node, pod, normal('Pulled', `Container image "${image}" already present on machine`));
      } else {
        this.#event(node, pod, normal('Pulling', `Pulling image "${image}"`));
        this.#event(
          node,
          pod,
          normal('Pulled', `Successfully pulled image "${image}" in 812ms (812ms including waiting)`),
        );
      }
      this.#event(node, pod, normal('Created', `Created container: ${name}`));
      this.#event(node, pod, normal('Started', `Started container ${name}`));
    }
    const now = new Date();
    const hostNetwork = at(pod, 'spec', 'hostNetwork') === true;
    const random = new Random(pod.metadata.uid ?? pod.metadata.name);
    this.#setStatus(pod, () =>
      podStatus(isObject(pod.spec) ? pod.spec : {}, {
        startTime: new Date(pod.metadata.creationTimestamp ?? now),
        startedAt: now,
        hostIP: node.address,
        podIP: hostNetwork ? node.address : `10.0.${random.int(0, 255)}.${random.int(2, 250)}`,
        ready: this.#options.becomesReady(node, pod),
        random,
      }),
    );
  }

  #stop(pod: ApiObject): void {
    const {store, stopMs} = this.#options;
    this.#timers.clear(pod);
    this.#timers.later(pod, stopMs, () => {
      this.#kill(pod);
      const {name, namespace, uid} = pod.metadata;
      if (store.find(podType, namespace, name)?.metadata.uid === uid) store.delete(podType, namespace, name);
    });
  }

  #expire(node: SimNode, pod: ApiObject): void {
    this.#kill(pod);
    const message = 'Pod was active on the node longer than the specified deadline';
    this.#event(node, pod, normal('DeadlineExceeded', message));
    this.#setStatus(pod, status => expiredStatus(status, message, timestamp()));
  }

  #kill(pod: ApiObject): void {
    this.#timers.clear(pod);
    this.#lives.get(pod.metadata.uid ?? '')?.abort();
    this.#lives.delete(pod.metadata.uid ?? '');
  }

  #setStatus(pod: ApiObject, change: (status: JsonObject) => JsonObject): void {
    const present = this.#present(pod);
    if (!present) return;
    const status = change(isObject(present.status) ? present.status : {});
    this.#options.store.update(podType, {...present, status});
  }

  #event(node: SimNode, pod: ApiObject, text: EventText): void {
    if (this.#present(pod)) recordEvent(this.#options.store, pod, text, node.name);
  }

  /** The pod as it is now, unless another one has taken its name. */
  #present({metadata}: ApiObject): ApiObject | undefined {
    const found = this.#options.store.find(podType, metadata.namespace, metadata.name);
    return found?.metadata.uid === metadata.uid ? found : undefined;
  }
}
