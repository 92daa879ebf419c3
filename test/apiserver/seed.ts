import type {ApiObject} from '../../src/sim/api/object.js';
import {
  daemonSetType,
  namespaceType,
  nodeType,
  podType,
  type ResourceType,
  serviceAccountType,
} from '../../src/sim/api/resource-types.js';
import type {ObjectStore} from '../../src/sim/api/store.js';
import {revisionLabel, templateRevision} from '../../src/sim/cluster/revision.js';
import {at, isObject, listAt, textAt} from '../../src/sim/json.js';
import {type AdminApi, Refused} from './admin-api.js';

/** Kinds in the order of their dependencies; all others come in between. */
const first = ['CustomResourceDefinition', 'Namespace', 'ServiceAccount', 'Node', 'Deployment', 'DaemonSet'];
const last = ['ReplicaSet', 'Pod', 'EndpointSlice', 'Event'];
const atOnce = 16;

const controllerRevisionType: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  singular: 'controllerrevision',
  namespaced: true,
};

export interface SeedOptions {
  /** Whether a controller manager follows, which must recognise the pods of DaemonSets as its own. */
  revisions: boolean;
  /** Additional fields of a node's status. */
  nodeStatus(node: ApiObject): object;
}

/** Creates the objects of a store in the real API, and stores the results. */
export async function seed(store: ObjectStore, api: AdminApi, {revisions, nodeStatus}: SeedOptions): Promise<void> {
  const uids = new Map<string, string>();
  const templates = new Map<string, string>();
  for (const kinds of order(store)) {
    for (const type of kinds) {
      const objects = [...store.all(type)];
      if (type === podType) await createAccounts(store, api, objects);
      const made: ApiObject[] = [];
      await inTurns(objects, async object => {
        const owned = withRevision(withOwners(object, uids), templates);
        const given =
          type === nodeType ? {...owned, status: {...(owned.status as object), ...nodeStatus(object)}} : owned;
        const stored = await put(api, type, given);
        uids.set(object.metadata.uid ?? '', stored.metadata.uid ?? '');
        made.push(stored);
        if (type !== daemonSetType) return;
        if (revisions) await createRevision(store, api, object, stored);
        else templates.set(stored.metadata.uid ?? '', templateRevision(at(stored, 'spec', 'template')));
      });
      if (type.kind === 'CustomResourceDefinition') await Promise.all(made.map(each => established(api, type, each)));
      store.seed(made);
    }
  }
}

function order(store: ObjectStore): ResourceType[][] {
  const types = store.types.filter(({review}) => !review);
  const named = (kind: string) => types.filter(type => type.kind === kind);
  const between = types.filter(({kind}) => !first.includes(kind) && !last.includes(kind));
  return [...first.map(named), between, ...last.map(named)];
}

function withOwners(object: ApiObject, uids: ReadonlyMap<string, string>): ApiObject {
  const {ownerReferences, ...metadata} = object.metadata;
  if (!ownerReferences) return object;
  const known = ownerReferences.map(reference => ({...reference, uid: uids.get(reference.uid) ?? reference.uid}));
  return {...object, metadata: {...metadata, ownerReferences: known}};
}

/** The server sets defaults in templates; the simulated controller identifies pods by the resulting template. */
function withRevision(object: ApiObject, templates: ReadonlyMap<string, string>): ApiObject {
  const revision = object.metadata.ownerReferences?.map(({uid}) => templates.get(uid)).find(Boolean);
  if (!revision) return object;
  const labels = {...object.metadata.labels, [revisionLabel]: revision};
  return {...object, metadata: {...object.metadata, labels}};
}

/** Creates an object with its status, or updates one that the API server has created itself. */
async function put(api: AdminApi, type: ResourceType, object: ApiObject): Promise<ApiObject> {
  const clean = withoutServerFields(object);
  const {status, ...body} = clean;
  const hasStatus = type.subresources?.includes('status') === true;
  let stored: ApiObject;
  try {
    stored = await api.create(type, hasStatus ? (body as ApiObject) : clean);
  } catch (error) {
    // The server checks the address of a Service before its name, and it may be taken before its own Service exists.
    if (!(error instanceof Refused) || (error.code !== 409 && type.kind !== 'Service')) throw error;
    const present = await soonThere(api, type, object).catch(() => {
      throw error;
    });
    stored = type === namespaceType || type.kind === 'Service' ? present : await api.patch(type, object, body);
  }
  if (type === nodeType) stored = await api.patch(type, object, {spec: {taints: at(object, 'spec', 'taints') ?? null}});
  if (hasStatus && isObject(status))
    stored = await api.patch(type, object, {status: statusFor(status, stored)}, 'status');
  return stored;
}

/** The server sets the QoS class of a pod, which is immutable. */
function statusFor(status: object, stored: ApiObject): object {
  const qosClass = at(stored, 'status', 'qosClass');
  return qosClass === undefined ? status : {...status, qosClass};
}

export function withoutServerFields(object: ApiObject): ApiObject {
  const {
    uid: _,
    resourceVersion: __,
    creationTimestamp: ___,
    generation: ____,
    managedFields: _____,
    ...metadata
  } = object.metadata;
  return {...object, metadata};
}

/** Pods use service accounts that the scenario does not list. */
async function createAccounts(store: ObjectStore, api: AdminApi, pods: readonly ApiObject[]): Promise<void> {
  const accounts = new Map(
    pods.map(pod => {
      const metadata = {
        name: textAt(pod, 'spec', 'serviceAccountName') || 'default',
        namespace: pod.metadata.namespace ?? '',
      };
      return [`${metadata.namespace}/${metadata.name}`, metadata];
    }),
  );
  for (const metadata of accounts.values()) {
    if (store.find(serviceAccountType, metadata.namespace, metadata.name)) continue;
    store.seed([await put(api, serviceAccountType, {apiVersion: 'v1', kind: 'ServiceAccount', metadata})]);
  }
}

/** The ControllerRevision of a DaemonSet, by which its controller recognises existing pods as up to date. */
async function createRevision(store: ObjectStore, api: AdminApi, planned: ApiObject, stored: ApiObject): Promise<void> {
  const {name, namespace = ''} = stored.metadata;
  const pod = [...store.all(podType)].find(({metadata}) =>
    metadata.ownerReferences?.some(({uid}) => uid === planned.metadata.uid),
  );
  const revision = pod?.metadata.labels?.[revisionLabel];
  if (!revision) return;
  const template = at(stored, 'spec', 'template') as object;
  const owner = {apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: stored.metadata.uid ?? '', controller: true};
  await api.create(controllerRevisionType, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${revision}`,
      namespace,
      labels: {...(at(template, 'metadata', 'labels') as object), [revisionLabel]: revision},
      ownerReferences: [{...owner, blockOwnerDeletion: true}],
    },
    // The controller compares bytes: keys are sorted, as Go writes a map.
    data: sorted({spec: {template: {...template, $patch: 'replace'}}}),
    revision: 1,
  });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, sorted(value[key])]),
  );
}

async function soonThere(api: AdminApi, type: ResourceType, object: ApiObject): Promise<ApiObject> {
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      return await api.get(type, object);
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 404) throw error;
    }
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error(`${object.metadata.name} is not there`);
}

async function established(api: AdminApi, type: ResourceType, object: ApiObject): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const conditions = listAt(await api.get(type, object), 'status', 'conditions');
    if (conditions.some(each => textAt(each, 'type') === 'Established' && textAt(each, 'status') === 'True')) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error(`${object.metadata.name} is not served`);
}

async function inTurns<Item>(items: readonly Item[], action: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await action(next);
  };
  await Promise.all(Array.from({length: Math.min(atOnce, items.length)}, worker));
}
