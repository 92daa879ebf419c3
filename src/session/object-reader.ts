import type {V1ObjectMeta} from '@kubernetes/client-node';
import {ApiError} from '../kube/api-errors.js';
import type {KubeClient, ListOptions} from '../kube/client.js';
import type {ClusterList} from '../snapshot/cluster-lists.js';
import {type Kept, kept, type Private} from '../snapshot/kept-objects.js';

/** A Kubernetes object as stored in a snapshot. */
export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: V1ObjectMeta;
}

/** Reads lists, keeps each object once, and records for every list whether it could be read, instead of failing. */
export class ObjectReader {
  readonly #lists: ClusterList[] = [];
  readonly #client: KubeClient;
  readonly #signal: AbortSignal | undefined;
  readonly #objects = new Map<string, StoredObject>();
  readonly #leftOut = new Map<string, ReadonlySet<Private>>();

  constructor(client: KubeClient, signal: AbortSignal | undefined) {
    this.#client = client;
    this.#signal = signal;
  }

  /** All objects so far, sorted by kind, namespace and name, so that the same cluster yields the same snapshot. */
  objects(): StoredObject[] {
    return [...this.#objects.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** All requested lists, in a stable order. */
  lists(): ClusterList[] {
    const key = (list: ClusterList) => JSON.stringify(list);
    return this.#lists.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
  }

  /** The number of objects from which private data was left out, by kind of data. */
  leftOut(): Partial<Record<Private, number>> {
    const all = [...this.#leftOut.values()].flatMap(set => [...set]).sort();
    return Object.fromEntries([...Map.groupBy(all, what => what)].map(([what, {length}]) => [what, length]));
  }

  /** The items of a list. If it could not be read, records that and returns none. */
  async list<Item = StoredObject>(
    list: ClusterList,
    path: string,
    options: Omit<ListOptions, 'keep'> = {},
    keep: (item: Item) => boolean = () => true,
  ): Promise<Item[]> {
    const read = await this.#attempt(list, () =>
      this.#client.list<Item, Kept>(path, {
        ...options,
        signal: this.#signal,
        keep: item => (keep(item) ? kept(item) : undefined),
      }),
    );
    return this.#keep<Item>(read?.items ?? []);
  }

  /** Adds items that were already read. */
  take<Item>(list: ClusterList, items: readonly Item[]): Item[] {
    this.#lists.push(list);
    return this.#keep(items.map(kept));
  }

  /** Reads a list only if it has at most `most` items. Returns false if it has more, and keeps nothing. */
  async listIfCheap(list: ClusterList, path: string, most: number): Promise<boolean> {
    const read = await this.#attempt(list, async () => {
      const options = {atMost: most, signal: this.#signal, keep: kept};
      const {items, more} = await this.#client.list<StoredObject, Kept>(path, options);
      if (more > 0) throw new TooMany(`there are more than ${most}`);
      return items;
    });
    if (read) this.#keep(read);
    return read !== undefined;
  }

  /** Runs another request that a list depends on. */
  attempt<Result>(list: ClusterList, work: () => Promise<Result>): Promise<Result | undefined> {
    return this.#attempt(list, work);
  }

  /** Undefined if it fails. A 404 is not a failure: the cluster does not have the resource. */
  async #attempt<Result>(list: ClusterList, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await work();
      this.#lists.push(list);
      return result;
    } catch (error) {
      this.#signal?.throwIfAborted();
      const absent = error instanceof ApiError && error.status === 404;
      const tooLong = error instanceof TooMany;
      this.#lists.push(absent ? list : {...list, error: reason(error), ...(tooLong && {tooLong})});
      return undefined;
    }
  }

  #keep<Item>(items: readonly Kept[]): Item[] {
    return items.map(({object, leftOut}) => {
      const stored = object as StoredObject;
      const {apiVersion, kind, metadata} = stored;
      const key = [kind, apiVersion, metadata.namespace ?? '', metadata.name].join('\0');
      this.#objects.set(key, stored);
      if (leftOut.size > 0) this.#leftOut.set(key, leftOut);
      return stored as Item;
    });
  }
}

function reason(error: unknown): string {
  if (error instanceof ApiError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}

/** Not an API error: the list is skipped on purpose. */
class TooMany extends Error {}
