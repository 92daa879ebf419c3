import * as z from 'zod/mini';
import {type Parts, unshared} from '../lib/shared-parts.js';
import {type ClusterList, ClusterLists} from './cluster-lists.js';
import {
  type CustomResource,
  type KnownKind,
  type KubeEvent,
  type KubeNode,
  type ObjectOf,
  type Pod,
  schemaOf,
} from './cluster-objects.js';
import {NotRead} from './not-read.js';

export type {CustomResource, KubeEvent, KubeNode, KubeService, Pod, Workload} from './cluster-objects.js';

/** They take about a millisecond. */
const objectsPerStep = 20;

const withKind = z.object({kind: z.string()});

/**
 * The cluster objects of a snapshot. `all`, `find`, `podsOn` and `custom` throw `NotRead` if their answer depends on a
 * list that was not read. `known` returns whatever was read.
 */
export class ClusterModel {
  readonly version: string | undefined;
  readonly lists: ClusterLists;
  /** Kinds with an object that could not be parsed. */
  readonly unreadable: string[] = [];
  readonly #byKind = new Map<string, CustomResource[]>();
  readonly #nodes = new Map<string, KubeNode>();
  /** Indexed because every node looks up its pods, and their events, among those of the whole cluster. */
  readonly #podsOn = new Map<string, Pod[]>();
  readonly #eventsOn = new Map<string, KubeEvent[]>();
  readonly #byName = new Map<string, ReadonlyMap<string, readonly unknown[]>>();
  readonly #custom = new Map<string, readonly CustomResource[]>();

  /** Objects have the parts that a snapshot keeps (kept-objects.ts). */
  constructor(objects: Iterable<unknown> = [], version?: string, lists?: readonly ClusterList[]) {
    this.version = version;
    this.lists = new ClusterLists(lists);
    for (const object of objects) this.#add(object, unshared);
  }

  /**
   * The same in steps, between which other work can continue: a large cluster has tens of thousands of objects. `parts`
   * stores equal parts of them once.
   */
  static *inSteps(
    objects: Iterable<unknown>,
    version: string | undefined,
    lists: readonly ClusterList[],
    parts: Parts,
  ): Generator<void, ClusterModel> {
    const cluster = new ClusterModel([], version, lists);
    let added = 0;
    for (const object of objects) {
      cluster.#add(object, parts);
      added += 1;
      if (added % objectsPerStep === 0) yield;
    }
    return cluster;
  }

  #add(object: unknown, parts: Parts): void {
    const kind = withKind.safeParse(object).data?.kind ?? '';
    const parsed = schemaOf(kind).safeParse(object);
    if (!parsed.success) {
      this.unreadable.push(kind || 'object without a kind');
      return;
    }
    const data: unknown = parts.of(parsed.data);
    const all = this.#byKind.get(kind) ?? [];
    all.push(data as CustomResource);
    this.#byKind.set(kind, all);
    if (kind === 'Node') this.#addNode(data as KubeNode);
    if (kind === 'Pod') this.#addPod(data as Pod);
    if (kind === 'Event') this.#addEvent(data as KubeEvent);
  }

  #addNode(node: KubeNode): void {
    if (!this.#nodes.has(node.metadata.name)) this.#nodes.set(node.metadata.name, node);
  }

  #addPod(pod: Pod): void {
    const {nodeName = ''} = pod.spec;
    const pods = this.#podsOn.get(nodeName) ?? [];
    pods.push(pod);
    this.#podsOn.set(nodeName, pods);
  }

  #addEvent(event: KubeEvent): void {
    const {kind, namespace, name} = event.involvedObject ?? {};
    if (kind !== 'Pod') return;
    const events = this.#eventsOn.get(`${namespace}/${name}`) ?? [];
    events.push(event);
    this.#eventsOn.set(`${namespace}/${name}`, events);
  }

  /** All objects that were read. */
  objects(): CustomResource[] {
    return [...this.#byKind.values()].flat();
  }

  /** The objects of a kind that were read. An object may exist in the cluster although it is missing here. */
  known<Kind extends KnownKind>(kind: Kind): readonly ObjectOf<Kind>[] {
    return (this.#byKind.get(kind) ?? []) as unknown as ObjectOf<Kind>[];
  }

  all<Kind extends KnownKind>(kind: Kind): readonly ObjectOf<Kind>[] {
    this.#demand(kind);
    return this.known(kind);
  }

  /** The events about a pod that were read. */
  knownEventsOn({metadata}: Pod): readonly KubeEvent[] {
    return this.#eventsOn.get(`${metadata.namespace}/${metadata.name}`) ?? [];
  }

  /** The objects of a kind that were read, for callers that can work with some of them. Throws if none was read. */
  some<Kind extends KnownKind>(kind: Kind): readonly ObjectOf<Kind>[] {
    const missing = this.lists.missingEntirely(kind);
    if (missing) throw missing;
    return this.known(kind);
  }

  /** Custom resources, distinguished by API group because kinds such as `Network` are not unique. */
  custom(group: string, kind: string): readonly CustomResource[] {
    const missing = this.lists.missingGroup(group);
    if (missing) throw missing;
    if (this.unreadable.includes(kind)) throw notUnderstood(kind);
    const known = this.#custom.get(`${group}/${kind}`);
    if (known) return known;
    const found = (this.#byKind.get(kind) ?? []).filter(object => object.apiVersion?.startsWith(`${group}/`));
    this.#custom.set(`${group}/${kind}`, found);
    return found;
  }

  find<Kind extends KnownKind>(kind: Kind, name: string, namespace?: string): ObjectOf<Kind> | undefined {
    const found = this.#named(kind)
      .get(name)
      ?.find(({metadata: its}) => namespace === undefined || its.namespace === namespace);
    if (!found) this.#demand(kind, namespace === undefined ? {} : {namespace});
    return found;
  }

  #named<Kind extends KnownKind>(kind: Kind): ReadonlyMap<string, readonly ObjectOf<Kind>[]> {
    const known = this.#byName.get(kind) as ReadonlyMap<string, readonly ObjectOf<Kind>[]> | undefined;
    if (known) return known;
    const made = Map.groupBy(this.known(kind), ({metadata}) => metadata.name);
    this.#byName.set(kind, made);
    return made;
  }

  node(name: string): KubeNode | undefined {
    return this.#nodes.get(name);
  }

  podsOn(node: string): Pod[] {
    this.#demand('Pod', {node});
    if (!this.lists.known && this.known('Pod').length === 0) throw new NotRead('pods', 'the snapshot has none');
    return [...(this.#podsOn.get(node) ?? [])];
  }

  #demand(kind: KnownKind, scope: {namespace?: string; node?: string} = {}): void {
    const missing = this.lists.missing({kind, ...scope});
    if (missing) throw missing;
    if (this.unreadable.includes(kind)) throw notUnderstood(kind);
  }
}

/**
 * Caches a result that depends only on the cluster. Every node needs it, and computing it over all nodes or pods for
 * each node would take quadratic time. Exceptions are not cached.
 */
export function oncePerCluster<T>(compute: (cluster: ClusterModel) => T): (cluster: ClusterModel) => T {
  const cache = new WeakMap<ClusterModel, {readonly value: T}>();
  return cluster => {
    const known = cache.get(cluster);
    if (known) return known.value;
    const value = compute(cluster);
    cache.set(cluster, {value});
    return value;
  };
}

function notUnderstood(kind: string): NotRead {
  return new NotRead(`a ${kind}`, 'it does not have the expected form');
}

/** Whether a pod has HostProcess containers: set on the pod or on a container. */
export function isHostProcess({securityContext: own, containers}: Pod['spec']): boolean {
  const settings = [own, ...containers.map(container => container.securityContext)];
  return settings.some(setting => setting?.windowsOptions?.hostProcess === true);
}

/** All addresses of a pod. */
export function podIps({status}: Pod): string[] {
  const all = [status?.podIP, ...(status?.podIPs.map(({ip}) => ip) ?? [])];
  return [...new Set(all.flatMap(ip => ip || []))];
}

export function hasIp({status}: Pod, ip: string | undefined): boolean {
  if (!ip || !status) return false;
  return status.podIP === ip || status.podIPs.some(other => other.ip === ip);
}

export function internalIp(node: KubeNode | undefined): string | undefined {
  return internalIps(node)[0];
}

/** The node's internal IPv4 addresses; a node with several NICs may have more than one. */
export function internalIps(node: KubeNode | undefined): string[] {
  const internal = node?.status?.addresses.filter(({type, address}) => type === 'InternalIP' && !address.includes(':'));
  return internal?.map(({address}) => address) ?? [];
}

export function isWindows(node: KubeNode): boolean {
  const os = node.metadata.labels['kubernetes.io/os'] ?? node.status?.nodeInfo?.operatingSystem;
  return os?.toLowerCase() === 'windows';
}

/** The addresses of all nodes. */
export const nodeAddresses = oncePerCluster(
  (cluster): ReadonlySet<string> =>
    new Set(cluster.all('Node').flatMap(({status}) => status?.addresses.map(({address}) => address) ?? [])),
);

/** A node's IPv4 pod CIDR: Windows overlays support only IPv4. */
export function podCidr(node: KubeNode | undefined): string | undefined {
  const all = node?.spec?.podCIDRs ?? [];
  return all.find(cidr => !cidr.includes(':')) ?? node?.spec?.podCIDR;
}
