import {randomUUID} from 'node:crypto';
import {type ApiObject, timestamp} from './object.js';
import {apiVersionOf, type ResourceType} from './resource-types.js';
import {alreadyExists, conflict, gone, notFound} from './status.js';

export interface StoreEvent {
  revision: number;
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: ApiObject;
  /** The previous object, so a watch can detect that an object enters or leaves its selection. */
  previous?: ApiObject;
  resource: ResourceType;
}

type Listener = (event: StoreEvent) => void;

const kept = 5_000;
const keyOf = (namespace: string | undefined, name: string) => `${namespace ?? ''}/${name}`;

/** All objects of the cluster and their recent events. Objects are replaced, never modified. */
export class ObjectStore {
  readonly #types = new Map<string, ResourceType>();
  readonly #objects = new Map<ResourceType, Map<string, ApiObject>>();
  readonly #listeners = new Set<Listener>();
  #past: StoreEvent[] = [];
  #forgotten: number;
  #revision: number;

  constructor(types: readonly ResourceType[], revision = 100_000) {
    this.#revision = revision;
    this.#forgotten = revision;
    for (const type of types) {
      this.#types.set(`${apiVersionOf(type)}/${type.kind}`, type);
      this.#objects.set(type, new Map());
    }
  }

  get types(): readonly ResourceType[] {
    return [...this.#types.values()];
  }

  get revision(): string {
    return String(this.#revision);
  }

  typeOf(object: Pick<ApiObject, 'apiVersion' | 'kind'>): ResourceType | undefined {
    return this.#types.get(`${object.apiVersion}/${object.kind}`);
  }

  find(type: ResourceType, namespace: string | undefined, name: string): ApiObject | undefined {
    return this.#objects.get(type)?.get(keyOf(namespace, name));
  }

  get(type: ResourceType, namespace: string | undefined, name: string): ApiObject {
    const found = this.find(type, namespace, name);
    if (!found) throw notFound(type, name);
    return found;
  }

  /** All objects of a kind, ordered by namespace and name as etcd orders its keys. */
  list(type: ResourceType, namespace?: string): ApiObject[] {
    const objects = [...(this.#objects.get(type)?.entries() ?? [])];
    const inside = namespace ? objects.filter(([key]) => key.startsWith(`${namespace}/`)) : objects;
    return inside.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** All objects of a kind, unsorted: cheaper if the order does not matter. */
  all(type: ResourceType): Iterable<ApiObject> {
    return this.#objects.get(type)?.values() ?? [];
  }

  /** Adds objects that exist before the simulation starts, without events or validation. */
  seed(objects: readonly ApiObject[]): void {
    for (const object of objects) {
      const type = this.typeOf(object);
      if (!type) throw new Error(`The simulation does not serve ${object.apiVersion} ${object.kind}.`);
      this.#put(type, this.#stamped(object));
    }
    this.#past = [];
    this.#forgotten = this.#revision;
  }

  create(type: ResourceType, object: ApiObject): ApiObject {
    if (this.find(type, object.metadata.namespace, object.metadata.name)) {
      throw alreadyExists(type, object.metadata.name);
    }
    const stored = this.#stamped(object);
    this.#put(type, stored);
    this.#tell({revision: this.#revision, type: 'ADDED', object: stored, resource: type});
    return stored;
  }

  /** Replaces an object. A resource version in it must be the stored one. */
  update(type: ResourceType, object: ApiObject): ApiObject {
    const previous = this.get(type, object.metadata.namespace, object.metadata.name);
    const expected = object.metadata.resourceVersion;
    if (expected && expected !== previous.metadata.resourceVersion) throw conflict(type, object.metadata.name);
    const stored = this.#stamped({...object, metadata: {...object.metadata, ...identity(previous)}});
    this.#put(type, stored);
    this.#tell({revision: this.#revision, type: 'MODIFIED', object: stored, previous, resource: type});
    return stored;
  }

  delete(type: ResourceType, namespace: string | undefined, name: string): ApiObject {
    const previous = this.get(type, namespace, name);
    this.#objects.get(type)?.delete(keyOf(namespace, name));
    const object = this.#stamped(previous);
    this.#tell({revision: this.#revision, type: 'DELETED', object, previous, resource: type});
    return object;
  }

  /** Calls the listener for every event after a revision, past and future. Returns a function that stops it. */
  watch(after: number, listener: Listener): () => void {
    if (after < this.#forgotten) {
      throw gone(`too old resource version: ${after} (${this.#forgotten})`);
    }
    for (const event of this.#past) if (event.revision > after) listener(event);
    return this.subscribe(listener);
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Drops past events, as etcd compaction does: an older watch gets "too old resource version". */
  compact(): void {
    this.#past = [];
    this.#forgotten = this.#revision;
  }

  #stamped(object: ApiObject): ApiObject {
    this.#revision += 1;
    const {uid = randomUUID(), creationTimestamp = timestamp()} = object.metadata;
    return {...object, metadata: {...object.metadata, uid, creationTimestamp, resourceVersion: this.revision}};
  }

  #put(type: ResourceType, object: ApiObject): void {
    this.#objects.get(type)?.set(keyOf(object.metadata.namespace, object.metadata.name), object);
  }

  #tell(event: StoreEvent): void {
    this.#past.push(event);
    if (this.#past.length > 2 * kept) {
      this.#past = this.#past.slice(-kept);
      this.#forgotten = (this.#past[0]?.revision ?? this.#revision) - 1;
    }
    for (const listener of [...this.#listeners]) listener(event);
  }
}

function identity({metadata}: ApiObject) {
  const {uid, creationTimestamp} = metadata;
  return {...(uid && {uid}), ...(creationTimestamp && {creationTimestamp})};
}
