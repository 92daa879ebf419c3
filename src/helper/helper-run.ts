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
  /** Another namespace than our own; it must exist. */
  namespace?: string | undefined;
  /** An image, or `auto` for one that the node has. */
  image?: string | undefined;
  /** Repositories of network plugins that `auto` may take. */
  pluginImages?: readonly string[] | undefined;
  /** How long a pod may take to start. */
  startTimeoutMs: number;
  /** After so long the node ends a helper pod by itself. */
  lifetimeMs?: number | undefined;
  stuckGraceMs?: number | undefined;
}

export interface OpenOptions extends CallOptions {
  /** Receives what the pod is doing while it starts. */
  onState?: ((state: string) => void) | undefined;
  /** What the pod is made for, where it is removed together with others. */
  reading?: string | undefined;
  /** True: a pod of this run also where one is installed, because what runs in it must end with it. */
  own?: boolean | undefined;
}

/** A helper that runs on a node and takes requests. */
export interface HelperSession extends HelperChannel {
  readonly pod: string;
  /** True when the pod was there before us (`helper install`), and stays. */
  readonly installed: boolean;
  /** Runs another program in the pod than the helper. */
  execute(command: readonly string[], options: StreamOptions): Promise<ExecOutcome>;
  /** Removes the pod, if it is ours. */
  close(): Promise<void>;
}

/** How long the API may take to make the service account of a namespace that was made a moment ago. */
const serviceAccountMs = 20_000;
/** How long removal waits for what is being made. */
const settleMs = 10_000;
/** Requests that make pods, at once: each is several writes for the API server. */
const makingAtOnce = 8;
/** How long the API server may be away, or say that it is too busy, before a pod counts as not made. */
const makeWithinMs = 60_000;

/** The helpers of one command: pods on nodes, the scripts they run, and the removal of all of it. */
export class HelperRun {
  readonly id = randomBytes(5).toString('hex');
  readonly namespace: string;
  readonly #client: KubeClient;
  readonly #options: HelperOptions;
  readonly #identity: RunIdentity;
  readonly #lifetimeSeconds: number;
  /** Pods that are there or may be. */
  readonly #pods = new Set<string>();
  /** What is being made right now; removal waits for it, so that nothing appears after it. */
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

  /** Makes what all helpers share, so that what blocks every node is reported once and before the first. */
  async prepare(nodes: readonly V1Node[], {signal}: CallOptions = {}): Promise<void> {
    const {byNode} = await this.#installedPods(signal);
    if (nodes.every(node => byNode.has(nameOfNode(node)))) return;
    this.#configMap ??= this.#make(() => this.#makeConfigMap());
    await this.#configMap;
  }

  /** A helper on a node, ready for requests. May be called for many nodes in parallel, and again for a node. */
  async open(node: V1Node, {signal, onState, reading, own = false}: OpenOptions = {}): Promise<HelperSession> {
    const name = nameOfNode(node);
    const obstacle = helperImpossible(node);
    if (obstacle) throw new WinError(`No helper can run: ${obstacle}`, {exit: ExitCode.uninspected});
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
      // Told is why it did not start; what cannot be removed now, `close` tries again and tells about.
      if (!signal?.aborted) await session.close().catch(() => {});
      throw error;
    }
    return session;
  }

  /** Removes the pods that were made for a reading with one request. What is left, `close` tries again and tells about. */
  async removeReading(reading: string, pods: readonly string[]): Promise<void> {
    const own = pods.filter(pod => this.#pods.has(pod));
    if (own.length === 0) return;
    const labelSelector = `${runLabel}=${this.id},${readingLabel}=${reading}`;
    const gone = await removePods(this.#client, this.namespace, {labelSelector, pods: own});
    for (const pod of gone) this.#pods.delete(pod);
  }

  /** Removes all that this run made. May be called at any time and more than once; nothing can be opened after it. */
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

  /** Waits for what is being made, but not forever. */
  async #settle(): Promise<void> {
    const done = new AbortController();
    const limit = pause(settleMs, done.signal).catch(() => {});
    await Promise.race([Promise.allSettled(this.#making), limit]);
    // A timer that continues would keep the process alive.
    done.abort();
  }

  /** Makes something to the end, whatever signals come: a request that is broken off may have worked nevertheless. */
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

  /** The name is ours alone: a pod that already exists was made by a request whose answer was lost. */
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

  /** How what `helper install` put on nodes differs from this client; nothing where it does not, or is not there. */
  async skew({signal}: CallOptions = {}): Promise<InstalledVersion | undefined> {
    return (await this.#installedPods(signal)).skew;
  }

  #installedPods(signal: AbortSignal | undefined): Promise<InstalledPods> {
    this.#installed ??= findInstalledPods(this.#client, this.namespace, {signal}).catch(error => {
      // The next one may ask again.
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

/** Readable, unique, and never longer than a label may be. */
function podName(node: string): string {
  const readable = node
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 30)
    .replace(/-+$/, '');
  const unique = createHash('sha256').update(node).update(randomBytes(8)).digest('hex').slice(0, 10);
  return `kubectl-win-${readable}-${unique}`;
}

/** Who made a helper, and when: for those who find it. */
export const helperOwner = () => `${userName()}@${hostname()} at ${new Date().toISOString()}`;
