import * as z from 'zod/mini';
import {type ClusterList, ClusterLists} from './cluster-lists.js';
import {NotRead} from './not-read.js';
import {shaped} from './values.js';

// Kubernetes objects as the API returned them. Only what judgement reads is described; the rest is kept as it is.

const maybe = <T extends z.core.SomeType>(schema: T) => shaped(z.nullish(schema), value => value ?? undefined);
const many = <T extends z.core.SomeType>(schema: T) => shaped(z.nullish(z.array(schema)), value => value ?? []);
const strings = shaped(z.nullish(z.record(z.string(), z.string())), value => value ?? {});
const text = maybe(z.string());
const number = maybe(z.number());
const flag = maybe(z.boolean());
const texts = many(z.string());
/** Milliseconds since 1970; NaN where it is no time, so that it is not taken for absent. YAML readers make a Date of it. */
const when = maybe(z.union([shaped(z.string(), value => Date.parse(value)), shaped(z.date(), Number)]));

const metadata = z.looseObject({
  name: z.string(),
  namespace: text,
  labels: strings,
  annotations: strings,
  creationTimestamp: when,
  deletionTimestamp: when,
  resourceVersion: text,
  ownerReferences: many(z.looseObject({kind: z.string(), name: z.string()})),
});

const condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: text,
  message: text,
  lastTransitionTime: when,
});

const terminated = z.looseObject({
  exitCode: number,
  reason: text,
  message: text,
  startedAt: when,
  finishedAt: when,
});

const containerStatus = z.looseObject({
  name: z.string(),
  ready: flag,
  restartCount: number,
  containerID: text,
  imageID: text,
  state: maybe(
    z.looseObject({
      running: maybe(z.looseObject({startedAt: when})),
      waiting: maybe(z.looseObject({reason: text, message: text})),
      terminated: maybe(terminated),
    }),
  ),
  lastState: maybe(z.looseObject({terminated: maybe(terminated)})),
});

const securityContext = maybe(
  z.looseObject({
    privileged: flag,
    capabilities: z.optional(z.unknown()),
    windowsOptions: maybe(z.looseObject({hostProcess: flag})),
  }),
);

const container = z.looseObject({
  name: z.string(),
  image: text,
  command: texts,
  args: texts,
  env: many(z.looseObject({name: z.string(), value: text})),
  securityContext,
});

const podSpec = z.looseObject({
  nodeName: text,
  hostNetwork: flag,
  nodeSelector: strings,
  os: maybe(z.looseObject({name: z.string()})),
  affinity: z.optional(z.unknown()),
  containers: many(container),
  initContainers: many(container),
  securityContext,
});

const workload = z.looseObject({
  kind: z.string(),
  metadata,
  spec: z.looseObject({template: z.looseObject({spec: podSpec})}),
  status: maybe(z.looseObject({})),
});

const schemas = {
  Node: z.looseObject({
    kind: z.literal('Node'),
    metadata,
    spec: maybe(
      z.looseObject({
        podCIDR: text,
        podCIDRs: texts,
        unschedulable: flag,
        providerID: text,
        taints: many(z.looseObject({key: z.string(), value: text, effect: text})),
      }),
    ),
    status: maybe(
      z.looseObject({
        addresses: many(z.looseObject({type: z.string(), address: z.string()})),
        conditions: many(condition),
        images: many(z.looseObject({names: texts})),
        nodeInfo: maybe(
          z.looseObject({
            kubeletVersion: text,
            kernelVersion: text,
            osImage: text,
            operatingSystem: text,
            architecture: text,
            containerRuntimeVersion: text,
          }),
        ),
      }),
    ),
  }),
  Pod: z.looseObject({
    kind: z.literal('Pod'),
    metadata,
    spec: podSpec,
    status: maybe(
      z.looseObject({
        phase: text,
        reason: text,
        message: text,
        podIP: text,
        podIPs: many(z.looseObject({ip: text})),
        hostIP: text,
        startTime: when,
        conditions: many(condition),
        containerStatuses: many(containerStatus),
        initContainerStatuses: many(containerStatus),
      }),
    ),
  }),
  DaemonSet: workload,
  Deployment: workload,
  ConfigMap: z.looseObject({kind: z.literal('ConfigMap'), metadata, data: strings}),
  Namespace: z.looseObject({kind: z.literal('Namespace'), metadata}),
  Service: z.looseObject({
    kind: z.literal('Service'),
    metadata,
    spec: z.looseObject({
      type: text,
      clusterIP: text,
      clusterIPs: texts,
      ports: many(
        z.looseObject({
          name: text,
          port: z.number(),
          protocol: text,
          nodePort: number,
        }),
      ),
    }),
  }),
  EndpointSlice: z.looseObject({
    kind: z.literal('EndpointSlice'),
    metadata,
    endpoints: many(z.looseObject({addresses: texts, nodeName: text})),
    ports: many(z.looseObject({port: number, protocol: text})),
  }),
  Event: z.looseObject({
    kind: z.literal('Event'),
    metadata,
    type: text,
    reason: text,
    message: text,
    involvedObject: maybe(z.looseObject({kind: text, name: text, namespace: text})),
    lastTimestamp: when,
    eventTime: when,
  }),
} as const;

type Schemas = typeof schemas;
type KnownKind = keyof Schemas;
type ObjectOf<Kind extends KnownKind> = z.output<Schemas[Kind]>;

export type KubeNode = ObjectOf<'Node'>;
export type Pod = ObjectOf<'Pod'>;
export type KubeService = ObjectOf<'Service'>;
export type KubeEvent = ObjectOf<'Event'>;
export type Workload = z.output<typeof workload>;

const withKind = z.object({kind: z.string()});

/** An object of a kind that is not described here: a plugin's own resource. */
const anyObject = z.looseObject({apiVersion: z.string(), kind: z.string(), metadata});
export type CustomResource = z.output<typeof anyObject>;

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

  constructor(objects: readonly unknown[] = [], version?: string, lists?: readonly ClusterList[]) {
    this.version = version;
    this.lists = new ClusterLists(lists);
    for (const object of objects) this.#add(object);
  }

  #add(object: unknown): void {
    const kind = withKind.safeParse(object).data?.kind ?? '';
    const schema: z.ZodMiniType = Object.hasOwn(schemas, kind) ? schemas[kind as KnownKind] : anyObject;
    const parsed = schema.safeParse(object);
    if (!parsed.success) {
      this.unreadable.push(kind || 'object without a kind');
      return;
    }
    const all = this.#byKind.get(kind) ?? [];
    all.push(parsed.data as CustomResource);
    this.#byKind.set(kind, all);
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

  /** Custom resources, told apart by API group because kinds such as `Network` are not unique. */
  custom(group: string, kind: string): readonly CustomResource[] {
    const missing = this.lists.missingGroup(group);
    if (missing) throw missing;
    if (this.unreadable.includes(kind)) throw notUnderstood(kind);
    return (this.#byKind.get(kind) ?? []).filter(object => object.apiVersion?.startsWith(`${group}/`));
  }

  find<Kind extends KnownKind>(kind: Kind, name: string, namespace?: string): ObjectOf<Kind> | undefined {
    const found = this.known(kind).find(
      ({metadata: its}) => its.name === name && (namespace === undefined || its.namespace === namespace),
    );
    if (!found) this.#demand(kind, namespace === undefined ? {} : {namespace});
    return found;
  }

  node(name: string): KubeNode | undefined {
    return this.known('Node').find(({metadata: its}) => its.name === name);
  }

  podsOn(node: string): Pod[] {
    this.#demand('Pod', {node});
    if (!this.lists.known && this.known('Pod').length === 0) throw new NotRead('pods', 'the snapshot has none');
    return this.known('Pod').filter(pod => pod.spec.nodeName === node);
  }

  #demand(kind: KnownKind, scope: {namespace?: string; node?: string} = {}): void {
    const missing = this.lists.missing({kind, ...scope});
    if (missing) throw missing;
    if (this.unreadable.includes(kind)) throw notUnderstood(kind);
  }
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

/** A node's pod CIDR of IPv4, which is the only family Windows overlays carry. */
export function podCidr(node: KubeNode | undefined): string | undefined {
  const all = node?.spec?.podCIDRs ?? [];
  return all.find(cidr => !cidr.includes(':')) ?? node?.spec?.podCIDR;
}
