import type {V1Pod} from '@kubernetes/client-node';
import {ApiError, isForbidden, isTemporary} from '../kube/api-errors.js';
import type {KubeClient} from '../kube/client.js';
import {backOffMs} from '../kube/retry.js';
import {apiPath} from '../lib/api-path.js';
import {pause} from '../lib/pause.js';

/** Receives the states of one pod. */
export interface Follower {
  state(pod: V1Pod): void;
  /** The pod was deleted. */
  gone(): void;
  /** The pod's state cannot be read. */
  failed(error: unknown): void;
}

/** A followed pod. After `made`, its absence from a list means that it was deleted. */
interface Followed {
  readonly follower: Follower;
  made: boolean;
}

export interface FollowedPods {
  made(): void;
  stop(): void;
}

const pollMs = 2000;
/** The server ends a watch after this time. Random, so that not all clients reconnect at the same time. */
const watchSeconds = () => 300 + Math.round(Math.random() * 60);

/**
 * The states of all pods with a label, from one watch. A watch continues where the last one ended. If the server no longer
 * has that version (410), the pods are listed again; if watching is not allowed, they are listed every two seconds.
 */
export class PodStates {
  readonly #client: KubeClient;
  readonly #path: string;
  readonly #labelSelector: string;
  readonly #followed = new Map<string, Followed>();
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #trouble: string | undefined;
  /** The version at which the watch continues; undefined: list first. */
  #version: string | undefined;
  #mayWatch = true;

  constructor(client: KubeClient, {namespace, labelSelector}: {namespace: string; labelSelector: string}) {
    this.#client = client;
    this.#path = apiPath`/api/v1/namespaces/${namespace}/pods`;
    this.#labelSelector = labelSelector;
  }

  /** Why there is no recent state; undefined if the watch works. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Follows a pod from before its creation, so that no state is missed. */
  follow(name: string, follower: Follower): FollowedPods {
    const followed = {follower, made: false};
    this.#followed.set(name, followed);
    this.#running ??= this.#run(this.#closing.signal);
    return {
      made: () => {
        followed.made = true;
      },
      stop: () => this.#followed.delete(name),
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    let attempt = 0;
    while (!signal.aborted) {
      try {
        await this.#next(signal);
        this.#trouble = undefined;
        attempt = 0;
      } catch (error) {
        if (signal.aborted) return;
        attempt += 1;
        if (!this.#goesOn(error)) return;
        this.#trouble = error instanceof Error ? error.message : String(error);
        await pause(backOffMs(attempt), signal).catch(() => {});
      }
    }
  }

  async #next(signal: AbortSignal): Promise<void> {
    if (this.#version === undefined) await this.#list(signal);
    if (this.#mayWatch) return this.#watch(signal);
    await pause(pollMs, signal);
    this.#version = undefined;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const made = [...this.#followed].filter(([, followed]) => followed.made);
    const {items, resourceVersion} = await this.#client.list<V1Pod>(this.#path, {
      labelSelector: this.#labelSelector,
      signal,
    });
    const there = new Set(items.map(({metadata}) => metadata?.name ?? ''));
    for (const pod of items) this.#tell(pod);
    for (const [name, {follower}] of made) if (!there.has(name)) follower.gone();
    this.#version = resourceVersion;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const events = this.#client.watch<V1Pod>(this.#path, {
      labelSelector: this.#labelSelector,
      resourceVersion: this.#version ?? '',
      timeoutSeconds: watchSeconds(),
      onBookmark: version => {
        this.#version = version || this.#version;
      },
      signal,
    });
    for await (const {type, object} of events) {
      this.#version = object.metadata?.resourceVersion ?? this.#version;
      if (type === 'DELETED') this.#followed.get(object.metadata?.name ?? '')?.follower.gone();
      else this.#tell(object);
    }
  }

  #tell(pod: V1Pod): void {
    this.#followed.get(pod.metadata?.name ?? '')?.follower.state(pod);
  }

  /** Whether a retry may help. A permanent failure is reported to all followers. */
  #goesOn(error: unknown): boolean {
    if (error instanceof ApiError && error.status === 410) {
      this.#version = undefined;
      return true;
    }
    if (isForbidden(error) && !isTemporary(error) && this.#mayWatch && this.#version !== undefined) {
      this.#mayWatch = false;
      return true;
    }
    if (!(error instanceof ApiError) || isTemporary(error)) return true;
    for (const {follower} of this.#followed.values()) follower.failed(error);
    this.#running = undefined;
    return false;
  }
}
