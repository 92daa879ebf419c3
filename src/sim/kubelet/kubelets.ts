import {finishNamespace} from '../api/delete.js';
import {type ApiObject, timestamp} from '../api/object.js';
import type {EventText} from '../api/record-event.js';
import {podType} from '../api/resource-types.js';
import type {ObjectStore, StoreEvent} from '../api/store.js';
import {runningPodStatus} from '../cluster/pod-status.js';
import {isObject, numberAt, textAt} from '../json.js';
import type {SimNode} from '../node/sim-node.js';
import type {Added} from '../plugins/plugin.js';
import {Random} from '../random.js';
import {Heartbeats} from './heartbeat.js';
import {type Obstacle, obstacleOf} from './obstacles.js';
import {PodTimers} from './pod-timers.js';
import {PodWriter} from './pod-writer.js';
import {startEvents} from './start-events.js';
import {expiredStatus, isWaitingForSandbox, restartedStatus, waitingStatus} from './statuses.js';

/** What a pod needs from its node besides the kubelet. */
export interface PodRuntime {
  /** Connects a pod to the pod network, or says why not. Undefined: the pod does not need it. */
  connect(node: SimNode, pod: ApiObject): Added | undefined;
  disconnect(node: SimNode, pod: ApiObject): void;
  /** Starts the agent in a pod; returns whether it is running. Undefined: the pod has no agent. */
  programOf(node: SimNode, pod: ApiObject): (() => boolean) | undefined;
  /** Continues an agent that has waited since a boot; returns whether it is running. Undefined: it does not wait. */
  waiting(node: SimNode, pod: ApiObject): (() => boolean) | undefined;
}

export interface KubeletOptions {
  store: ObjectStore;
  nodes: ReadonlyMap<string, SimNode>;
  /** How long a pod takes to start and to stop, and the retry interval after a failure. */
  startMs: number;
  stopMs: number;
  retryMs: number;
  /** How long a kubelet may be silent before its node counts as lost. */
  silenceMs: number;
  runtime: PodRuntime;
}

const normal = (reason: string, message: string): EventText => ({type: 'Normal', reason, message});

/** The kubelets of all nodes: they start pods that are bound to a node and stop deleted ones. */
export class Kubelets {
  readonly #options: KubeletOptions;
  readonly #heartbeats: Heartbeats;
  readonly #writer: PodWriter;
  readonly #timers = new PodTimers();
  readonly #lives = new Map<string, AbortController>();
  readonly #unsubscribe: () => void;

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#writer = new PodWriter(options.store);
    this.#heartbeats = new Heartbeats(options.store, options.silenceMs);
    this.#unsubscribe = options.store.subscribe(event => this.#notice(event));
    for (const node of options.nodes.values()) {
      if (node.faults.kubeletDown) this.#heartbeats.end(node);
      node.onFault = before => {
        if (before.kubeletDown !== node.faults.kubeletDown) this.#upOrDown(node);
      };
    }
    for (const pod of options.store.all(podType)) {
      const node = options.nodes.get(textAt(pod, 'spec', 'nodeName'));
      if (node && isWaitingForSandbox(pod)) this.#tryAgain(node, pod);
    }
  }

  close(): void {
    this.#unsubscribe();
    this.#heartbeats.close();
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

  /** Call when the network of a node is interrupted or restored. */
  linkChanged(node: SimNode): void {
    if (node.cut) this.#heartbeats.miss(node);
    else this.#upOrDown(node);
  }

  /** After a reboot, pods that are not restarted have ended. */
  rebooted(node: SimNode): void {
    for (const pod of this.#podsOf(node)) {
      this.#kill(pod);
      if (textAt(pod, 'spec', 'restartPolicy') === 'Never') this.#end(pod, 'NodeShutdown', 'The node was rebooted');
      else if (isWaitingForSandbox(pod)) this.#tryAgain(node, pod);
      else this.#awaitProgram(node, pod);
    }
  }

  /** Marks a pod ready once its waiting agent continues. */
  #awaitProgram(node: SimNode, pod: ApiObject): void {
    const goOn = this.#options.runtime.waiting(node, pod);
    if (!goOn) return;
    this.#later(node, pod, this.#options.retryMs, () => {
      if (!goOn()) this.#awaitProgram(node, pod);
      else
        this.#later(node, pod, 0, () =>
          this.#writer.status(pod, status => restartedStatus(status, this.#writer.restartsOf(pod), true)),
        );
    });
  }

  /** A kubelet that is back handles what it missed. */
  #upOrDown(node: SimNode): void {
    if (isSilent(node)) {
      this.#heartbeats.end(node);
      return;
    }
    this.#heartbeats.resume(node);
    for (const pod of this.#podsOf(node)) {
      if (pod.metadata.deletionTimestamp) this.#stop(node, pod);
      else if (textAt(pod, 'status', 'phase') === 'Pending' && !this.#timers.has(pod)) this.#start(node, pod);
    }
  }

  #podsOf(node: SimNode): ApiObject[] {
    return [...this.#options.store.all(podType)].filter(pod => textAt(pod, 'spec', 'nodeName') === node.name);
  }

  #notice({type, resource, object, previous}: StoreEvent): void {
    if (resource !== podType) return;
    const node = this.#options.nodes.get(textAt(object, 'spec', 'nodeName'));
    if (type === 'DELETED') {
      this.#kill(object);
      if (node) this.#options.runtime.disconnect(node, object);
      // The store notifies all listeners of the deletion before the namespace can be deleted.
      queueMicrotask(() => finishNamespace(this.#options.store, object.metadata.namespace ?? ''));
    } else if (node && !isSilent(node)) {
      const isBound = type === 'ADDED' || !textAt(previous, 'spec', 'nodeName');
      if (isBound) this.#start(node, object);
      else if (object.metadata.deletionTimestamp && !previous?.metadata.deletionTimestamp) this.#stop(node, object);
    }
  }

  #start(node: SimNode, pod: ApiObject): void {
    const wait = this.#options.startMs + node.faults.slowStart;
    this.#later(node, pod, wait / 3, () => this.#create(node, pod, wait));
    const deadline = numberAt(pod, 'spec', 'activeDeadlineSeconds');
    if (deadline > 0) this.#timers.later(pod, deadline * 1_000, () => this.#expire(node, pod));
  }

  #create(node: SimNode, pod: ApiObject, wait: number): void {
    this.#writer.status(pod, status => waitingStatus(pod, status, node.address, {reason: 'ContainerCreating'}));
    const obstacle = obstacleOf(this.#options.store, node, pod);
    if (obstacle) this.#stumble(node, pod, obstacle, wait);
    else this.#later(node, pod, (wait * 2) / 3, () => this.#run(node, pod));
  }

  #stumble(node: SimNode, pod: ApiObject, {events, waiting, later, passes}: Obstacle, wait: number): void {
    for (const event of events) this.#writer.event(node, pod, event);
    if (waiting) this.#writer.status(pod, status => waitingStatus(pod, status, node.address, waiting));
    if (later) this.#later(node, pod, wait, () => this.#stumble(node, pod, later, wait));
    if (passes) this.#awaitPassing(node, pod, wait);
  }

  #awaitPassing(node: SimNode, pod: ApiObject, wait: number): void {
    this.#later(node, pod, this.#options.retryMs, () => {
      if (obstacleOf(this.#options.store, node, pod)?.passes) this.#awaitPassing(node, pod, wait);
      else this.#create(node, pod, wait);
    });
  }

  #run(node: SimNode, pod: ApiObject): void {
    const connected = this.#options.runtime.connect(node, pod);
    if (connected?.ready === false) {
      const message = `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox: ${connected.why}`;
      this.#writer.event(node, pod, {type: 'Warning', reason: 'FailedCreatePodSandBox', message});
      this.#tryAgain(node, pod);
      return;
    }
    for (const event of startEvents(this.#options.store, node, pod)) this.#writer.event(node, pod, event);
    const now = new Date();
    const random = new Random(pod.metadata.uid ?? pod.metadata.name);
    const program = this.#options.runtime.programOf(node, pod);
    const present = this.#writer.present(pod);
    const restarts = this.#writer.restartsOf(pod) + (present && isWaitingForSandbox(present) ? 1 : 0);
    this.#writer.status(pod, () =>
      restartedStatus(
        runningPodStatus(isObject(pod.spec) ? pod.spec : {}, {
          startTime: new Date(pod.metadata.creationTimestamp ?? now),
          startedAt: now,
          hostIP: node.address,
          podIP: connected?.pod.address ?? addressOf(node, pod, random),
          ready: program === undefined,
          random,
        }),
        restarts,
      ),
    );
    if (program) this.#later(node, pod, this.#options.startMs, () => this.#settle(node, pod, program));
  }

  /** An agent that does not become ready exits, and its container is restarted. */
  #settle(node: SimNode, pod: ApiObject, program: () => boolean): void {
    const isUp = program();
    // Its start may interrupt the node's network: the kubelet then reports the status later.
    this.#later(node, pod, 0, () => {
      const restarts = this.#writer.restartsOf(pod) + (isUp ? 0 : 1);
      this.#writer.status(pod, status => restartedStatus(status, restarts, isUp));
      if (!isUp) this.#later(node, pod, this.#options.retryMs, () => this.#settle(node, pod, program));
    });
  }

  #tryAgain(node: SimNode, pod: ApiObject): void {
    this.#later(node, pod, this.#options.retryMs, () => this.#run(node, pod));
  }

  /** Delays actions on the pods of a silent node until the node is back. */
  #later(node: SimNode, pod: ApiObject, milliseconds: number, action: () => void): void {
    this.#timers.later(pod, milliseconds, () => {
      if (isSilent(node)) this.#later(node, pod, 100, action);
      else action();
    });
  }

  #stop(node: SimNode, pod: ApiObject): void {
    this.#timers.clear(pod);
    this.#later(node, pod, this.#options.stopMs, () => {
      this.#kill(pod);
      this.#writer.remove(pod);
    });
  }

  #expire(node: SimNode, pod: ApiObject): void {
    const message = 'Pod was active on the node longer than the specified deadline';
    this.#kill(pod);
    this.#writer.event(node, pod, normal('DeadlineExceeded', message));
    this.#end(pod, 'DeadlineExceeded', message);
  }

  #end(pod: ApiObject, reason: string, message: string): void {
    this.#writer.status(pod, status => expiredStatus(status, reason, message, timestamp()));
  }

  #kill(pod: ApiObject): void {
    this.#timers.clear(pod);
    this.#lives.get(pod.metadata.uid ?? '')?.abort();
    this.#lives.delete(pod.metadata.uid ?? '');
  }
}

const isSilent = ({faults, cut}: SimNode): boolean => faults.kubeletDown || cut;

function addressOf({address}: SimNode, pod: ApiObject, random: Random): string {
  const isOnHost = isObject(pod.spec) && pod.spec.hostNetwork === true;
  return isOnHost ? address : `10.0.${random.int(0, 255)}.${random.int(2, 250)}`;
}
