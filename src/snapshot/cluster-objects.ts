import * as z from 'zod/mini';
import '../lib/zod-messages.js';

// The fields of Kubernetes objects that checks read. A snapshot keeps only these fields (kept-objects.ts): a field that
// is not listed here is neither stored nor visible to a check.

const shaped = <T extends z.core.SomeType, Shape>(schema: T, shape: (value: z.output<T>) => Shape) =>
  z.pipe(schema, z.transform(shape));
const maybe = <T extends z.core.SomeType>(schema: T) => shaped(z.nullish(schema), value => value ?? undefined);
const many = <T extends z.core.SomeType>(schema: T) => shaped(z.nullish(z.array(schema)), value => value ?? []);
const strings = shaped(z.nullish(z.record(z.string(), z.string())), value => value ?? {});
const text = maybe(z.string());
const number = maybe(z.number());
const flag = maybe(z.boolean());
const texts = many(z.string());
/**
 * Milliseconds since 1970; NaN for an invalid time, to distinguish it from an absent one. YAML parsers return a Date.
 */
const when = maybe(z.union([shaped(z.string(), value => Date.parse(value)), shaped(z.date(), Number)]));

const metadata = z.object({
  name: z.string(),
  namespace: text,
  labels: strings,
  annotations: strings,
  creationTimestamp: when,
  deletionTimestamp: when,
  resourceVersion: text,
  ownerReferences: many(z.object({kind: z.string(), name: z.string()})),
});

const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: text,
  message: text,
  lastTransitionTime: when,
});

const terminated = z.object({
  exitCode: number,
  reason: text,
  message: text,
  startedAt: when,
  finishedAt: when,
});

const containerStatus = z.object({
  name: z.string(),
  ready: flag,
  restartCount: number,
  containerID: text,
  imageID: text,
  state: maybe(
    z.object({
      running: maybe(z.object({startedAt: when})),
      waiting: maybe(z.object({reason: text, message: text})),
      terminated: maybe(terminated),
    }),
  ),
  lastState: maybe(z.object({terminated: maybe(terminated)})),
});

const securityContext = maybe(
  z.object({
    privileged: flag,
    capabilities: z.optional(z.unknown()),
    windowsOptions: maybe(z.object({hostProcess: flag})),
  }),
);

const container = z.object({
  name: z.string(),
  image: text,
  command: texts,
  args: texts,
  env: many(
    z.object({
      name: z.string(),
      value: text,
      valueFrom: maybe(z.object({fieldRef: maybe(z.object({fieldPath: text}))})),
    }),
  ),
  envFrom: many(z.object({configMapRef: maybe(z.object({name: text}))})),
  securityContext,
});

const podSpec = z.object({
  nodeName: text,
  hostNetwork: flag,
  nodeSelector: strings,
  os: maybe(z.object({name: z.string()})),
  affinity: z.optional(z.unknown()),
  containers: many(container),
  initContainers: many(container),
  securityContext,
});

const workload = z.object({
  kind: z.string(),
  metadata,
  spec: z.object({template: z.object({spec: podSpec}), updateStrategy: maybe(z.object({type: text}))}),
});

const schemas = {
  Node: z.object({
    kind: z.literal('Node'),
    metadata,
    spec: maybe(
      z.object({
        podCIDR: text,
        podCIDRs: texts,
        unschedulable: flag,
        providerID: text,
        taints: many(z.object({key: z.string(), value: text, effect: text})),
      }),
    ),
    status: maybe(
      z.object({
        addresses: many(z.object({type: z.string(), address: z.string()})),
        conditions: many(condition),
        images: many(z.object({names: texts})),
        nodeInfo: maybe(
          z.object({
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
  Pod: z.object({
    kind: z.literal('Pod'),
    metadata,
    spec: podSpec,
    status: maybe(
      z.object({
        phase: text,
        reason: text,
        message: text,
        podIP: text,
        podIPs: many(z.object({ip: text})),
        hostIP: text,
        startTime: when,
        conditions: many(z.object({type: z.string(), status: z.string()})),
        containerStatuses: many(containerStatus),
        initContainerStatuses: many(containerStatus),
      }),
    ),
  }),
  DaemonSet: workload,
  Deployment: workload,
  ConfigMap: z.object({kind: z.literal('ConfigMap'), metadata, data: strings}),
  Namespace: z.object({kind: z.literal('Namespace'), metadata}),
  Service: z.object({
    kind: z.literal('Service'),
    metadata,
    spec: z.object({
      type: text,
      clusterIP: text,
      clusterIPs: texts,
      internalTrafficPolicy: text,
      externalTrafficPolicy: text,
      ports: many(
        z.object({
          name: text,
          port: z.number(),
          protocol: text,
          nodePort: number,
        }),
      ),
    }),
  }),
  EndpointSlice: z.object({
    kind: z.literal('EndpointSlice'),
    metadata,
    endpoints: many(z.object({addresses: texts, nodeName: text, conditions: maybe(z.object({ready: flag}))})),
    ports: many(z.object({port: number, protocol: text})),
  }),
  Event: z.object({
    kind: z.literal('Event'),
    metadata,
    type: text,
    reason: text,
    message: text,
    involvedObject: maybe(z.object({kind: text, name: text, namespace: text})),
    lastTimestamp: when,
    eventTime: when,
  }),
} as const;

type Schemas = typeof schemas;
export type KnownKind = keyof Schemas;
export type ObjectOf<Kind extends KnownKind> = z.output<Schemas[Kind]>;

export type KubeNode = ObjectOf<'Node'>;
export type Pod = ObjectOf<'Pod'>;
export type KubeService = ObjectOf<'Service'>;
export type KubeEvent = ObjectOf<'Event'>;
export type Workload = z.output<typeof workload>;

/** An object of any other kind: a custom resource of a plugin. */
const anyObject = z.looseObject({apiVersion: z.string(), kind: z.string(), metadata});
export type CustomResource = z.output<typeof anyObject>;

export function schemaOf(kind: string): z.ZodMiniType {
  return Object.hasOwn(schemas, kind) ? schemas[kind as KnownKind] : anyObject;
}
