import type {ApiObject} from '../../src/sim/api/object.js';
import {nodeType, podType, type ResourceType} from '../../src/sim/api/resource-types.js';
import type {ObjectStore, StoreEvent} from '../../src/sim/api/store.js';
import {at, isObject, type JsonObject, sameJson, textAt} from '../../src/sim/json.js';
import {type AdminApi, pathOf, Refused} from './admin-api.js';
import {withoutServerFields} from './seed.js';

/** Pending changes of one object. */
interface Outbox {
  pending: number;
  tail: Promise<ApiObject | undefined>;
}

/**
 * Synchronizes the store of a simulation with a real API. Changes by clients and controllers arrive through watches;
 * changes by kubelets and agents in the store are sent as patches of just that.
 */
export class Mirror {
  readonly #store: ObjectStore;
  readonly #api: AdminApi;
  readonly #stop = new AbortController();
  readonly #outboxes = new Map<string, Outbox>();
  /** The newest version of each object that the store has seen. */
  readonly #seen = new Map<string, number>();
  /** Objects that were deleted here: later events about them are outdated. */
  readonly #gone = new Set<string>();
  readonly #unsubscribe: () => void;
  #taking: string | undefined;
  /** Changes that the server rejected: a defect of the simulation or of the bridge. */
  readonly refusals: string[] = [];

  /** Starts to listen. It must be the first listener, to distinguish its own changes of the store from others. */
  constructor(store: ObjectStore, api: AdminApi) {
    this.#store = store;
    this.#api = api;
    this.#unsubscribe = store.subscribe(event => this.#notice(event));
  }

  /** Follows the API. Resolves when the store has all existing objects. */
  async follow(): Promise<void> {
    await Promise.all(this.#store.types.filter(({review}) => !review).map(type => this.#followKind(type)));
  }

  /** Resolves when everything that happened so far has reached the server. */
  async settled(): Promise<void> {
    while (this.#outboxes.size > 0) await Promise.all([...this.#outboxes.values()].map(({tail}) => tail));
  }

  close(): void {
    this.#stop.abort();
    this.#unsubscribe();
  }

  async #followKind(type: ResourceType): Promise<void> {
    try {
      void this.#watchKind(type, await this.#listKind(type));
    } catch (error) {
      // An older server does not have all kinds of the simulated one.
      if (!(error instanceof Refused) || error.code !== 404) throw error;
    }
  }

  async #listKind(type: ResourceType): Promise<string> {
    const {items, resourceVersion} = await this.#api.patiently(() => this.#api.list(type), this.#stop.signal);
    const present = new Set(items.map(item => keyOf(type, item)));
    for (const object of items) this.#take(type, object);
    for (const object of [...this.#store.all(type)]) {
      const key = keyOf(type, object);
      if (!present.has(key) && !this.#outboxes.has(key)) this.#drop(type, object);
    }
    return resourceVersion;
  }

  async #watchKind(type: ResourceType, from: string): Promise<void> {
    let version = from;
    while (!this.#stop.signal.aborted) {
      try {
        for await (const {type: kind, object} of this.#api.watch(type, version, this.#stop.signal)) {
          if (kind === 'ERROR') break;
          version = object.metadata.resourceVersion ?? version;
          if (kind === 'DELETED') this.#drop(type, object);
          else this.#take(type, object);
        }
      } catch {
        // The server is unavailable or the watch too old: both need a new list.
      }
      if (this.#stop.signal.aborted) return;
      try {
        version = await this.#listKind(type);
      } catch {
        return;
      }
    }
  }

  /** Stores what the server has. */
  #take(type: ResourceType, object: ApiObject): void {
    const key = keyOf(type, object);
    const {uid = '', resourceVersion: _, ...metadata} = object.metadata;
    if (this.#outboxes.has(key) || this.#gone.has(uid)) return;
    const version = Number(object.metadata.resourceVersion);
    if (version <= (this.#seen.get(key) ?? 0)) return;
    this.#seen.set(key, version);
    const present = this.#store.find(type, metadata.namespace, metadata.name);
    if (present && present.metadata.uid !== uid) this.#drop(type, present);
    const plain = {...object, metadata: {...metadata, uid}};
    this.#taking = key;
    if (present && present.metadata.uid === uid) this.#store.update(type, plain);
    else this.#store.create(type, plain);
  }

  #drop(type: ResourceType, {metadata}: ApiObject): void {
    this.#gone.delete(metadata.uid ?? '');
    const present = this.#store.find(type, metadata.namespace, metadata.name);
    if (!present || present.metadata.uid !== metadata.uid) return;
    this.#taking = keyOf(type, present);
    this.#store.delete(type, metadata.namespace, metadata.name);
  }

  #notice(event: StoreEvent): void {
    const key = keyOf(event.resource, event.object);
    if (this.#taking === key) {
      this.#taking = undefined;
      return;
    }
    if (event.type === 'DELETED') this.#gone.add(event.object.metadata.uid ?? '');
    const outbox = this.#outboxes.get(key) ?? {pending: 0, tail: Promise.resolve(undefined)};
    this.#outboxes.set(key, outbox);
    outbox.pending += 1;
    outbox.tail = outbox.tail.then(() => this.#deliver(event)).then(answer => this.#delivered(event, key, answer));
  }

  #delivered({resource, type}: StoreEvent, key: string, answer: ApiObject | undefined): ApiObject | undefined {
    const outbox = this.#outboxes.get(key);
    if (!outbox) return answer;
    outbox.pending -= 1;
    if (outbox.pending > 0) return answer;
    this.#outboxes.delete(key);
    if (answer && type !== 'DELETED') this.#take(resource, answer);
    return answer;
  }

  /** The resulting object. Undefined: the server rejected it. */
  async #deliver(event: StoreEvent): Promise<ApiObject | undefined> {
    const {resource, object} = event;
    try {
      return await this.#api.patiently(() => this.#send(event), this.#stop.signal);
    } catch (error) {
      if (this.#stop.signal.aborted) return undefined;
      const isGone = error instanceof Refused && [404, 409].includes(error.code);
      if (!isGone) this.refusals.push(`${event.type} ${keyOf(resource, object)}: ${(error as Error).message}`);
      return event.type === 'DELETED' ? undefined : this.#api.get(resource, object).catch(() => undefined);
    }
  }

  async #send({type, resource, object, previous}: StoreEvent): Promise<ApiObject> {
    if (type === 'ADDED') return this.#create(resource, object);
    if (type === 'DELETED') return this.#delete(resource, object, 0);
    const {deletionTimestamp, deletionGracePeriodSeconds} = object.metadata;
    if (deletionTimestamp && !previous?.metadata.deletionTimestamp)
      return this.#delete(resource, object, deletionGracePeriodSeconds);
    if (resource === podType && textAt(object, 'spec', 'nodeName') !== textAt(previous, 'spec', 'nodeName'))
      return this.#bind(object);
    const hasStatus = resource.subresources?.includes('status') === true;
    const {status, ...rest} = difference(comparable(previous), comparable(object)) as {status?: unknown};
    const main = hasStatus ? rest : {...rest, ...(status !== undefined && {status})};
    let answer: ApiObject | undefined;
    if (Object.keys(main).length > 0) answer = await this.#api.patch(resource, object, main);
    if (hasStatus && status !== undefined) answer = await this.#api.patch(resource, object, {status}, 'status');
    return answer ?? this.#api.get(resource, object);
  }

  async #create(type: ResourceType, object: ApiObject): Promise<ApiObject> {
    const {status, ...body} = withoutServerFields(object);
    const made = await this.#api.create(type, body as ApiObject);
    const own = type === podType || type === nodeType;
    return own && isObject(status) && Object.keys(status).length > 0
      ? this.#api.patch(type, object, {status: {...status, qosClass: at(made, 'status', 'qosClass')}}, 'status')
      : made;
  }

  async #delete(type: ResourceType, object: ApiObject, grace: number | undefined): Promise<ApiObject> {
    const {uid} = object.metadata;
    return this.#api.request('DELETE', pathOf(type, object), {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(uid && {preconditions: {uid}}),
      ...(type === podType && grace !== undefined && {gracePeriodSeconds: grace}),
    });
  }

  async #bind(pod: ApiObject): Promise<ApiObject> {
    const {name, namespace = ''} = pod.metadata;
    const target = {apiVersion: 'v1', kind: 'Node', name: textAt(pod, 'spec', 'nodeName')};
    const binding = {apiVersion: 'v1', kind: 'Binding', metadata: {name, namespace}, target};
    await this.#api.request('POST', pathOf(podType, pod, 'binding'), binding);
    return this.#api.get(podType, pod);
  }
}

const keyOf = ({kind}: ResourceType, {metadata}: ApiObject) =>
  `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;

/** The mutable parts of an object. */
function comparable(object: ApiObject | undefined): JsonObject {
  const {labels, annotations, ownerReferences, finalizers} = object?.metadata ?? {};
  const {apiVersion: _, kind: __, metadata: ___, ...rest} = object ?? {};
  return {...rest, metadata: {labels, annotations, ownerReferences, finalizers}};
}

/** The merge patch from the first object to the second. */
function difference(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[key] ?? undefined, after[key] ?? undefined];
    if (sameJson(old, now)) continue;
    if (isObject(now) && isObject(old)) patch[key] = difference(old, now);
    else patch[key] = now ?? null;
  }
  return patch;
}
