import {z} from 'zod';

// Kubernetes objects as the API returned them. Only what judgement reads is described; the rest is kept as it is.

const strings = z
  .record(z.string(), z.string())
  .nullish()
  .transform(value => value ?? {});
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform(value => value ?? undefined);
const many = <T extends z.ZodType>(schema: T) =>
  z
    .array(schema)
    .nullish()
    .transform(value => value ?? []);
/** Milliseconds since 1970; NaN where it is no time, so that it is not taken for absent. YAML readers make a Date of it. */
const when = maybe(z.union([z.string().transform(value => Date.parse(value)), z.date().transform(Number)]));

const metadata = z.looseObject({
  name: z.string(),
  namespace: maybe(z.string()),
  labels: strings,
  annotations: strings,
  creationTimestamp: when,
  deletionTimestamp: when,
  resourceVersion: maybe(z.string()),
  ownerReferences: many(z.looseObject({kind: z.string(), name: z.string()})),
});

const condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: maybe(z.string()),
  message: maybe(z.string()),
  lastTransitionTime: when,
});

const terminated = z.looseObject({
  exitCode: maybe(z.number()),
  reason: maybe(z.string()),
  message: maybe(z.string()),
  startedAt: when,
  finishedAt: when,
});

const containerStatus = z.looseObject({
  name: z.string(),
  ready: maybe(z.boolean()),
  restartCount: maybe(z.number()),
  containerID: maybe(z.string()),
  imageID: maybe(z.string()),
  state: maybe(
    z.looseObject({
      running: maybe(z.looseObject({startedAt: when})),
      waiting: maybe(z.looseObject({reason: maybe(z.string()), message: maybe(z.string())})),
      terminated: maybe(terminated),
    }),
  ),
  lastState: maybe(z.looseObject({terminated: maybe(terminated)})),
});

const securityContext = maybe(
  z.looseObject({
    privileged: maybe(z.boolean()),
    capabilities: z.unknown().optional(),
    windowsOptions: maybe(z.looseObject({hostProcess: maybe(z.boolean())})),
  }),
);

const container = z.looseObject({
  name: z.string(),
  image: maybe(z.string()),
  command: many(z.string()),
  args: many(z.string()),
  env: many(z.looseObject({name: z.string(), value: maybe(z.string())})),
  securityContext,
});

const podSpec = z.looseObject({
  nodeName: maybe(z.string()),
  hostNetwork: maybe(z.boolean()),
  nodeSelector: strings,
  os: maybe(z.looseObject({name: z.string()})),
  affinity: z.unknown().optional(),
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
        podCIDR: maybe(z.string()),
        podCIDRs: many(z.string()),
        unschedulable: maybe(z.boolean()),
        providerID: maybe(z.string()),
        taints: many(z.looseObject({key: z.string(), value: maybe(z.string()), effect: maybe(z.string())})),
      }),
    ),
    status: maybe(
      z.looseObject({
        addresses: many(z.looseObject({type: z.string(), address: z.string()})),
        conditions: many(condition),
        images: many(z.looseObject({names: many(z.string())})),
        nodeInfo: maybe(
          z.looseObject({
            kubeletVersion: maybe(z.string()),
            kernelVersion: maybe(z.string()),
            osImage: maybe(z.string()),
            operatingSystem: maybe(z.string()),
            architecture: maybe(z.string()),
            containerRuntimeVersion: maybe(z.string()),
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
        phase: maybe(z.string()),
        reason: maybe(z.string()),
        message: maybe(z.string()),
        podIP: maybe(z.string()),
        podIPs: many(z.looseObject({ip: maybe(z.string())})),
        hostIP: maybe(z.string()),
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
      type: maybe(z.string()),
      clusterIP: maybe(z.string()),
      clusterIPs: many(z.string()),
      ports: many(
        z.looseObject({
          name: maybe(z.string()),
          port: z.number(),
          protocol: maybe(z.string()),
          nodePort: maybe(z.number()),
        }),
      ),
    }),
  }),
  EndpointSlice: z.looseObject({
    kind: z.literal('EndpointSlice'),
    metadata,
    endpoints: many(z.looseObject({addresses: many(z.string()), nodeName: maybe(z.string())})),
    ports: many(z.looseObject({port: maybe(z.number()), protocol: maybe(z.string())})),
  }),
  Event: z.looseObject({
    kind: z.literal('Event'),
    metadata,
    type: maybe(z.string()),
    reason: maybe(z.string()),
    message: maybe(z.string()),
    involvedObject: maybe(
      z.looseObject({kind: maybe(z.string()), name: maybe(z.string()), namespace: maybe(z.string())}),
    ),
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

/** An object of a kind that is not described here: a plugin's own resource. */
const anyObject = z.looseObject({apiVersion: z.string(), kind: z.string(), metadata});
export type CustomResource = z.output<typeof anyObject>;

/** The cluster's side of a snapshot. */
export class ClusterModel {
  readonly version: string | undefined;
  /** Objects that were there but could not be read, for the report. */
  readonly unreadable: string[] = [];
  readonly #byKind = new Map<string, CustomResource[]>();

  constructor(objects: readonly unknown[] = [], version?: string) {
    this.version = version;
    for (const object of objects) this.#add(object);
  }

  #add(object: unknown): void {
    const kind = z.looseObject({kind: z.string()}).safeParse(object).data?.kind ?? '';
    const schema: z.ZodType = Object.hasOwn(schemas, kind) ? schemas[kind as KnownKind] : anyObject;
    const parsed = schema.safeParse(object);
    if (!parsed.success) {
      this.unreadable.push(kind || 'object without a kind');
      return;
    }
    const all = this.#byKind.get(kind) ?? [];
    all.push(parsed.data as CustomResource);
    this.#byKind.set(kind, all);
  }

  all<Kind extends KnownKind>(kind: Kind): readonly ObjectOf<Kind>[] {
    return (this.#byKind.get(kind) ?? []) as unknown as ObjectOf<Kind>[];
  }

  /** Custom resources, told apart by API group because kinds such as `Network` are not unique. */
  custom(group: string, kind: string): readonly CustomResource[] {
    return (this.#byKind.get(kind) ?? []).filter(object => object.apiVersion?.startsWith(`${group}/`));
  }

  find<Kind extends KnownKind>(kind: Kind, name: string, namespace?: string): ObjectOf<Kind> | undefined {
    return this.all(kind).find(
      ({metadata: its}) => its.name === name && (namespace === undefined || its.namespace === namespace),
    );
  }

  node(name: string): KubeNode | undefined {
    return this.find('Node', name);
  }

  podsOn(node: string): Pod[] {
    return this.all('Pod').filter(pod => pod.spec.nodeName === node);
  }
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
