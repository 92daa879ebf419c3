import type {V1ObjectMeta} from '@kubernetes/client-node';
import {ApiError} from '../kube/api-errors.js';
import type {KubeClient, ListOptions} from '../kube/client.js';

/** A Kubernetes object as it is kept in a snapshot. */
export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: V1ObjectMeta;
}

export interface Unread {
  what: string;
  why: string;
}

/** Reads lists, keeps each object once, and notes what could not be read instead of failing. */
export class ObjectReader {
  readonly unread: Unread[] = [];
  readonly #client: KubeClient;
  readonly #signal: AbortSignal | undefined;
  readonly #objects = new Map<string, StoredObject>();

  constructor(client: KubeClient, signal: AbortSignal | undefined) {
    this.#client = client;
    this.#signal = signal;
  }

  /** All objects so far, by kind, namespace and name: the same cluster gives the same snapshot. */
  objects(): StoredObject[] {
    return [...this.#objects.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  async list<Item = StoredObject>(
    what: string,
    path: string,
    options: ListOptions = {},
    keep: (item: Item) => boolean = () => true,
  ): Promise<Item[]> {
    const list = await this.attempt(what, () => this.#client.list<Item>(path, {...options, signal: this.#signal}));
    return this.#keep((list?.items ?? []).filter(keep));
  }

  /** Reads a list only if it has not more than so many items. False: it has, and nothing was kept. */
  async listIfCheap(what: string, path: string, most: number): Promise<boolean> {
    const options = {atMost: most, signal: this.#signal};
    const list = await this.attempt(what, () => this.#client.list<StoredObject>(path, options));
    if (!list || list.more > 0) return false;
    this.#keep(list.items);
    return true;
  }

  /** Undefined, and a note, when it fails. A 404 is no failure: the cluster has no such thing. */
  async attempt<Result>(what: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#signal?.throwIfAborted();
      if (!(error instanceof ApiError && error.status === 404)) this.unread.push({what, why: reason(error)});
      return undefined;
    }
  }

  #keep<Item>(items: Item[]): Item[] {
    for (const item of items as StoredObject[]) {
      delete item.metadata.managedFields;
      const {apiVersion, kind, metadata} = item;
      this.#objects.set([kind, apiVersion, metadata.namespace ?? '', metadata.name].join('\0'), item);
    }
    return items;
  }
}

function reason(error: unknown): string {
  if (error instanceof ApiError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}
