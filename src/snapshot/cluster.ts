import * as z from 'zod/mini';
import {SharedTexts} from '../lib/shared-texts.js';
import {type ClusterList, ClusterLists} from './cluster-lists.js';
import {
  type CustomResource,
  type KnownKind,
  type KubeNode,
  type ObjectOf,
  type Pod,
  schemaOf,
} from './cluster-objects.js';
import {kept} from './kept-objects.js';
import {NotRead} from './not-read.js';

export type {CustomResource, KubeEvent, KubeNode, KubeService, Pod, Workload} from './cluster-objects.js';

const withKind = z.object({kind: z.string()});

/**
 * The cluster's side of a snapshot. What was not read cannot be asked for: `all`, `find`, `podsOn` and `custom` throw
 * `NotRead` where their answer would rest on a list that failed. `known` gives what there is.
 */
export class ClusterModel {
  readonly version: string | undefined;
  readonly lists: ClusterLists;
  /** Kinds of which an object was there but could not be understood. */
  readonly unreadable: string[] = [];
  readonly #byKind = new Map<string, CustomResource[]>();
  readonly #nodes = new Map<string, KubeNode>();
  /** Asked for by every node, of all the pods of the cluster. */
  readonly #podsOn = new Map<string, Pod[]>();
  readonly #custom = new Map<string, readonly CustomResource[]>();

  constructor(objects: readonly unknown[] = [], version?: string, lists?: readonly ClusterList[]) {
    this.version = version;
    this.lists = new ClusterLists(lists);
    const texts = new SharedTexts();
    for (const object of objects) this.#add(object, texts);
  }

  #add(object: unknown, texts: SharedTexts): void {
    const kind = withKind.safeParse(object).data?.kind ?? '';
    const parsed = schemaOf(kind).safeParse(kept(object).object);
    if (!parsed.success) {
      this.unreadable.push(kind || 'object without a kind');
      return;
    }
    texts.share(parsed.data);
    const all = this.#byKind.get(kind) ?? [];
    all.push(parsed.data as CustomResource);
    this.#byKind.set(kind, all);
    if (kind === 'Node') this.#addNode(parsed.data as unknown as KubeNode);
    if (kind === 'Pod') this.#addPod(parsed.data as unknown as Pod);
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

  /** Everything that was read, whatever it is. */
  objects(): CustomResource[] {
    return [...this.#byKind.values()].flat();
  }

  /** What was read of a kind. That something is not among it means nothing. */
  known<Kind extends KnownKind>(kind: Kind): readonly ObjectOf<Kind>[] {
    return (this.#byKind.get(kind) ?? []) as unknown as ObjectOf<Kind>[];
  }

  all<Kind extends KnownKind>(kind: Kind): readonly ObjectOf<Kind>[] {
    this.#demand(kind);
    return this.known(kind);
  }

  /** What was read of a kind, for answers that hold for a part of it too; not where nothing of it was read. */
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
    const found = this.known(kind).find(
      ({metadata: its}) => its.name === name && (namespace === undefined || its.namespace === namespace),
    );
    if (!found) this.#demand(kind, namespace === undefined ? {} : {namespace});
    return found;
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
 * What a function computes from the cluster alone, computed once: every node asks for it, and to go through all nodes or pods for
 * each node would cost a fleet its square. What could not be read is asked for again.
 */
export function oncePerCluster<T>(tell: (cluster: ClusterModel) => T): (cluster: ClusterModel) => T {
  const told = new WeakMap<ClusterModel, {readonly value: T}>();
  return cluster => {
    const known = told.get(cluster);
    if (known) return known.value;
    const value = tell(cluster);
    told.set(cluster, {value});
    return value;
  };
}

function notUnderstood(kind: string): NotRead {
  return new NotRead(`a ${kind}`, 'it does not have the expected form');
}

/** Whether a pod's containers are processes of the host: set for the pod, or for each container. */
export function isHostProcess({securityContext: own, containers}: Pod['spec']): boolean {
  const settings = [own, ...containers.map(container => container.securityContext)];
  return settings.some(setting => setting?.windowsOptions?.hostProcess === true);
}

/** Every address a pod has. */
export function podIps({status}: Pod): string[] {
  const all = [status?.podIP, ...(status?.podIPs.map(({ip}) => ip) ?? [])];
  return [...new Set(all.flatMap(ip => ip || []))];
}

export function internalIp(node: KubeNode | undefined): string | undefined {
  return internalIps(node)[0];
}

/** The node's internal addresses of IPv4; a node with several NICs may have more than one. */
export function internalIps(node: KubeNode | undefined): string[] {
  const internal = node?.status?.addresses.filter(({type, address}) => type === 'InternalIP' && !address.includes(':'));
  return internal?.map(({address}) => address) ?? [];
}

export function isWindows(node: KubeNode): boolean {
  const os = node.metadata.labels['kubernetes.io/os'] ?? node.status?.nodeInfo?.operatingSystem;
  return os?.toLowerCase() === 'windows';
}

/** Every address that a node of the cluster has. */
export const nodeAddresses = oncePerCluster(
  (cluster): ReadonlySet<string> =>
    new Set(cluster.all('Node').flatMap(({status}) => status?.addresses.map(({address}) => address) ?? [])),
);

/** A node's pod CIDR of IPv4, which is the only family Windows overlays carry. */
export function podCidr(node: KubeNode | undefined): string | undefined {
  const all = node?.spec?.podCIDRs ?? [];
  return all.find(cidr => !cidr.includes(':')) ?? node?.spec?.podCIDR;
}
