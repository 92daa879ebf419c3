import * as z from 'zod/mini';
import '../lib/zod-messages.js';
import {nodeFaults} from './node/faults.js';

const cidr = z
  .string()
  .check(z.regex(/^\d+\.\d+\.\d+\.\d+\/\d+$/, 'an address with a prefix length, such as 10.0.0.5/24'));

const rule = z.strictObject({
  verbs: z.array(z.string()),
  apiGroups: z._default(z.array(z.string()), ['']),
  resources: z.optional(z.array(z.string())),
  resourceNames: z.optional(z.array(z.string())),
  nonResourceURLs: z.optional(z.array(z.string())),
  namespaces: z.optional(z.array(z.string())),
});

/** Permissions of the kubeconfig user: all, read-only, or the listed rules. */
const access = z.union([
  z.enum(['admin', 'viewer']),
  z.strictObject({
    user: z._default(z.string(), 'demo'),
    rules: z.array(rule),
    /** Users that can be impersonated, with their rules. */
    others: z._default(z.record(z.string(), z.array(rule)), {}),
  }),
]);

export const scenarioEvent = z.enum([
  'reboot',
  'ovs-extension-off',
  'hns-hangs',
  'tunnel-annotation-wrong',
  'vtep-mac-changed',
  'external-network-removed',
]);

const node = z.strictObject({
  /** With `replicas`, `{i}` is replaced by the number of the node. */
  name: z.string(),
  os: z._default(z.enum(['linux', 'windows']), 'windows'),
  controlPlane: z._default(z.boolean(), false),
  /** With `replicas`, the address of the first node; the others follow. */
  address: cidr,
  podCIDR: cidr,
  windows: z._default(z.union([z.literal(2019), z.literal(2022)]), 2022),
  /** Defaults to the first plugin of the scenario. */
  plugin: z.optional(z.string()),
  dhcp: z._default(z.boolean(), true),
  /** Name of the adapter with the node's address, if it differs from the plugin's documentation. */
  adapter: z.optional(z.string()),
  /** Whether the Hyper-V role is installed. Plugins with OVS require it. */
  hyperV: z._default(z.boolean(), true),
  /** Adapters other than the one with the node's address. */
  otherAdapters: z._default(z.array(z.strictObject({name: z.string(), address: cidr})), []),
  labels: z._default(z.record(z.string(), z.string()), {}),
  annotations: z._default(z.record(z.string(), z.string()), {}),
  replicas: z.optional(z.int().check(z.positive())),
  /** Events on the node before the simulation starts, in this order. */
  events: z._default(z.array(scenarioEvent), []),
  faults: z.prefault(nodeFaults, {}),
});

const workload = z.strictObject({
  name: z.string(),
  namespace: z.string(),
  /** Nodes with a pod of the workload. Defaults to all Windows nodes. */
  nodes: z.optional(z.array(z.string())),
  /** Maximum number of pods, on the first of these nodes. */
  replicas: z.optional(z.int().check(z.positive())),
  port: z._default(z.int(), 80),
  targetPort: z._default(z.int(), 80),
  /** Whether the workload has a Service. */
  service: z._default(z.boolean(), true),
});

export const scenarioSchema = z.strictObject({
  description: z.string(),
  kubernetes: z.string().check(z.regex(/^v\d+\.\d+\.\d+$/)),
  podNetwork: cidr,
  serviceNetwork: z._default(cidr, '10.96.0.0/12'),
  /** The API server address, if no node of the cluster runs it. */
  apiServer: z.optional(z.ipv4()),
  /** Settings by plugin, such as its version. */
  plugins: z.record(
    z.string(),
    z.pipe(
      z.nullable(z.record(z.string(), z.unknown())),
      z.transform(settings => settings ?? {}),
    ),
  ),
  nodes: z.array(node).check(z.minLength(1)),
  workloads: z._default(z.array(workload), []),
  namespaces: z._default(
    z.record(z.string(), z.strictObject({labels: z._default(z.record(z.string(), z.string()), {})})),
    {},
  ),
  /** The Pod Security level of namespaces without a label. */
  podSecurity: z._default(z.enum(['privileged', 'baseline', 'restricted']), 'privileged'),
  access: z._default(access, 'admin'),
  faults: z.prefault(z.strictObject({slowList: z._default(z.int().check(z.nonnegative()), 0)}), {}),
});

export type Scenario = z.infer<typeof scenarioSchema> & {name: string};
export type ScenarioNode = z.infer<typeof node>;
export type ScenarioEvent = z.infer<typeof scenarioEvent>;
export type ScenarioAccess = z.infer<typeof access>;
