import {createHash, randomBytes} from 'node:crypto';
import {hostname} from 'node:os';
import type {V1Node, V1Pod} from '@kubernetes/client-node';
import {isAlreadyThere, isForbidden, isTemporary} from '../kube/api-errors.js';
import type {CallOptions, KubeClient} from '../kube/client.js';
import type {ExecOutcome, StreamOptions} from '../kube/exec-stream.js';
import {backOffMs} from '../kube/retry.js';
import {helperImpossible, nameOfNode} from '../kube/select-nodes.js';
import {apiPath} from '../lib/api-path.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {pause} from '../lib/pause.js';
import {userName} from '../lib/user-name.js';
import {Limit} from '../lib/work-limit.js';
import {defaultNamespace} from './default-namespace.js';
import {chooseImage} from './image.js';
import {findInstalledPods, type InstalledPods} from './installed-pods.js';
import {
  helperCommand,
  helperConfigMap,
  helperContainer,
  helperPod,
  type RunIdentity,
  readingLabel,
  runLabel,
} from './manifests.js';
import {ensureNamespace} from './namespace.js';
import {startPod} from './pod-start.js';
import {PodStates} from './pod-states.js';
import {creationError} from './pod-trouble.js';
import {removeObject, removePods, removeRun} from './removal.js';
import type {HelperChannel} from './request.js';
import type {InstalledVersion} from './version-skew.js';

export interface HelperOptions {
  /** Overrides the default namespace; must exist. */
  namespace?: string | undefined;
  /** An image, or `auto` to use one that the node already has. */
  image?: string | undefined;
  /** Repositories of network plugins whose images `auto` may use. */
  pluginImages?: readonly string[] | undefined;
  /** How long to wait for a pod to start. */
  startTimeoutMs: number;
  /** The kubelet ends a helper pod after this time, even if the client is gone. */
  lifetimeMs?: number | undefined;
  stuckGraceMs?: number | undefined;
}

export interface OpenOptions extends CallOptions {
  /** Called with the pod's state while it starts. */
  onState?: ((state: string) => void) | undefined;
  /** The reading the pod belongs to, if it is removed together with that reading's pods. */
  reading?: string | undefined;
  /** True: start a pod of this run even if a helper is installed, because what runs in it must end with the run. */
  own?: boolean | undefined;
}

/** A running helper that accepts requests. */
export interface HelperSession extends HelperChannel {
  readonly pod: string;
  /** True if the pod belongs to `helper install` and is not removed. */
  readonly installed: boolean;
  /** Runs a program other than the helper in the pod. */
  execute(command: readonly string[], options: StreamOptions): Promise<ExecOutcome>;
  /** Removes the pod, if it is ours. */
  close(): Promise<void>;
}

/** How long Kubernetes may take to create the service account of a new namespace. */
const serviceAccountMs = 20_000;
/** How long removal waits for objects that are still being created. */
const settleMs = 10_000;
/** Parallel requests that create pods: each causes several writes in the API server. With the watch they need 4 connections. */
const makingAtOnce = 3;
/** How long to retry the creation of a pod while the API server is unreachable or overloaded. */
const makeWithinMs = 60_000;

/** The helpers of one command: pods on nodes, the scripts they run, and the removal of all of it. */
export class HelperRun {
  readonly id = randomBytes(5).toString('hex');
  readonly namespace: string;
  readonly #client: KubeClient;
  readonly #options: HelperOptions;
  readonly #identity: RunIdentity;
  readonly #lifetimeSeconds: number;
  /** Pods that exist or may exist. */
  readonly #pods = new Set<string>();
  /** Pending creations; removal waits for them, so that nothing is created after it. */
  readonly #making = new Set<Promise<unknown>>();
  readonly #creating = new Limit(makingAtOnce);
  readonly #states: PodStates;
  #configMap: Promise<string> | undefined;
  #madeConfigMap: string | undefined;
  #installed: Promise<InstalledPods> | undefined;
  #closed: Promise<void> | undefined;

  constructor(client: KubeClient, options: HelperOptions) {
    this.#client = client;
    this.#options = options;
    this.namespace = options.namespace || defaultNamespace;
    this.#states = new PodStates(client, {namespace: this.namespace, labelSelector: `${runLabel}=${this.id}`});
    this.#lifetimeSeconds = Math.ceil((options.lifetimeMs ?? 30 * 60_000) / 1000);
    this.#identity = {
      run: this.id,
      namespace: this.namespace,
      owner: helperOwner(),
      expires: new Date(Date.now() + options.startTimeoutMs + this.#lifetimeSeconds * 1000),
    };
  }

  /** Creates what all helpers share, so that an obstacle for all nodes is reported once, before the first node. */
  async prepare(nodes: readonly V1Node[], {signal}: CallOptions = {}): Promise<void> {
    const {byNode} = await this.#installedPods(signal);
    if (nodes.every(node => byNode.has(nameOfNode(node)))) return;
    this.#configMap ??= this.#make(() => this.#makeConfigMap());
    await this.#configMap;
  }

  /** Starts a helper on a node. May be called for many nodes in parallel, and repeatedly for one node. */
  async open(node: V1Node, {signal, onState, reading, own = false}: OpenOptions = {}): Promise<HelperSession> {
    const name = nameOfNode(node);
    const obstacle = helperImpossible(node);
    if (obstacle) throw new WinError(`Cannot run a helper: ${obstacle}`, {exit: ExitCode.uninspected});
    const installed = own ? undefined : (await this.#installedPods(signal)).byNode.get(name);
    if (installed) return this.#session(name, installed, true);
    const image = chooseImage(node, this.#options.image, this.#options.pluginImages);
    this.#configMap ??= this.#make(() => this.#makeConfigMap());
    const configMap = await this.#configMap;
    const pod = podName(name);
    const session = this.#session(name, pod, false);
    const labels = reading === undefined ? {} : {[readingLabel]: reading};
    const make = () =>
      this.#creating.use(() => this.#make(() => this.#makePod(pod, name, {image, configMap, labels}, signal)), signal);
    try {
      const {startTimeoutMs: timeoutMs, stuckGraceMs} = this.#options;
      await startPod(this.#client, this.#states, {name: pod, make}, {timeoutMs, stuckGraceMs, onState, signal});
    } catch (error) {
      // The reason why it did not start matters more; `close` retries the removal and reports a failure.
      if (!signal?.aborted) await session.close().catch(() => {});
      throw error;
    }
    return session;
  }

  /** Removes the pods of a reading with one request. `close` retries what is left, and reports it. */
  async removeReading(reading: string, pods: readonly string[]): Promise<void> {
    const own = pods.filter(pod => this.#pods.has(pod));
    if (own.length === 0) return;
    const labelSelector = `${runLabel}=${this.id},${readingLabel}=${reading}`;
    const gone = await removePods(this.#client, this.namespace, {labelSelector, pods: own});
    for (const pod of gone) this.#pods.delete(pod);
  }

  /** Removes everything this run created. May be called at any time and repeatedly; afterwards `open` fails. */
  close(): Promise<void> {
    this.#closed ??= this.#removeAll();
    return this.#closed;
  }

  async #removeAll(): Promise<void> {
    await this.#states.close();
    if (!this.#configMap) return;
    await this.#settle();
    const {namespace, id: run} = this;
    await removeRun(this.#client, {namespace, run, pods: [...this.#pods], configMap: this.#madeConfigMap});
  }

  /** Waits for pending creations, but not forever. */
  async #settle(): Promise<void> {
    const done = new AbortController();
    const limit = pause(settleMs, done.signal).catch(() => {});
    await Promise.race([Promise.allSettled(this.#making), limit]);
    // A pending timer would keep the process alive.
    done.abort();
  }

  /** Completes a creation despite an abort: an aborted request may still have succeeded on the server. */
  async #make<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new WinError('The helpers of this run are being removed.', {exit: ExitCode.interrupted});
    const making = work();
    this.#making.add(making);
    try {
      return await making;
    } finally {
      this.#making.delete(making);
    }
  }

  async #makeConfigMap(): Promise<string> {
    await ensureNamespace(this.#client, this.namespace);
    const object = helperConfigMap(this.#identity);
    const path = apiPath`/api/v1/namespaces/${this.namespace}/configmaps`;
    const name = object.metadata?.name ?? '';
    this.#madeConfigMap = name;
    await this.#client.create(path, object);
    return name;
  }

  /** The name is unique: if the pod already exists, an earlier request created it and its response was lost. */
  async #makePod(name: string, node: string, filling: PodFilling, signal?: AbortSignal): Promise<V1Pod> {
    const {image, configMap, labels} = filling;
    const pod = helperPod({...this.#identity, name, node, image, configMap, lifetimeSeconds: this.#lifetimeSeconds});
    const object = {...pod, metadata: {...pod.metadata, labels: {...pod.metadata?.labels, ...labels}}};
    const path = apiPath`/api/v1/namespaces/${this.namespace}/pods`;
    this.#pods.add(name);
    const since = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      try {
        return await this.#client.create<V1Pod>(path, object);
      } catch (error) {
        if (attempt > 1 && isAlreadyThere(error)) return object;
        const tooEarly = isForbidden(error) && /serviceaccount "default" not found/.test(error.detail);
        const patience = tooEarly ? serviceAccountMs : makeWithinMs;
        if (!(tooEarly || isTemporary(error)) || performance.now() - since > patience) {
          throw creationError(error, this.namespace);
        }
        await pause(tooEarly ? 250 : backOffMs(attempt), signal);
      }
    }
  }

  #session(node: string, pod: string, installed: boolean): HelperSession {
    const {namespace} = this;
    const execute = (command: readonly string[], options: StreamOptions): Promise<ExecOutcome> =>
      this.#client.exec({...options, namespace, pod, container: helperContainer, command});
    return {
      node,
      pod,
      installed,
      execute,
      exec: options => execute(helperCommand, options),
      close: async () => {
        if (installed || !this.#pods.has(pod)) return;
        await removeObject(this.#client, namespace, 'pods', pod);
        this.#pods.delete(pod);
      },
    };
  }

  /** The version of the installed helper, if it differs from this client's. */
  async skew({signal}: CallOptions = {}): Promise<InstalledVersion | undefined> {
    return (await this.#installedPods(signal)).skew;
  }

  #installedPods(signal: AbortSignal | undefined): Promise<InstalledPods> {
    this.#installed ??= findInstalledPods(this.#client, this.namespace, {signal}).catch(error => {
      // Let the next caller retry.
      this.#installed = undefined;
      throw error;
    });
    return this.#installed;
  }
}

interface PodFilling {
  readonly image: string | undefined;
  readonly configMap: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Readable, unique, and within the length limit of a label. */
function podName(node: string): string {
  const readable = node
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 30)
    .replace(/-+$/, '');
  const unique = createHash('sha256').update(node).update(randomBytes(8)).digest('hex').slice(0, 10);
  return `kubectl-win-${readable}-${unique}`;
}

/** Who created a helper, and when, for anyone who finds it in the cluster. */
export const helperOwner = () => `${userName()}@${hostname()} at ${new Date().toISOString()}`;
