import {z} from 'zod';
import {nodeFaults} from './node/faults.js';

const cidr = z.string().regex(/^\d+\.\d+\.\d+\.\d+\/\d+$/, 'an address with a prefix length, such as 10.0.0.5/24');

const rule = z.strictObject({
  verbs: z.array(z.string()),
  apiGroups: z.array(z.string()).default(['']),
  resources: z.array(z.string()).optional(),
  resourceNames: z.array(z.string()).optional(),
  nonResourceURLs: z.array(z.string()).optional(),
  namespaces: z.array(z.string()).optional(),
});

/** What the user of the kubeconfig may do: everything, only look, or what the rules say. */
const access = z.union([
  z.enum(['admin', 'viewer']),
  z.strictObject({
    user: z.string().default('demo'),
    rules: z.array(rule),
    /** Users that can be impersonated, with their rules. */
    others: z.record(z.string(), z.array(rule)).default({}),
  }),
]);

export const scenarioEvent = z.enum([
  'reboot',
  'ovs-extension-off',
  'hns-hangs',
  'tunnel-annotation-wrong',
  'vtep-mac-changed',
]);

const node = z.strictObject({
  /** With `replicas`, `{i}` in it is the number of the node. */
  name: z.string(),
  os: z.enum(['linux', 'windows']).default('windows'),
  controlPlane: z.boolean().default(false),
  /** With `replicas`, the address of the first; the others follow it. */
  address: cidr,
  podCIDR: cidr,
  windows: z.union([z.literal(2019), z.literal(2022)]).default(2022),
  /** Which of the scenario's plugins: the first one, where it says nothing. */
  plugin: z.string().optional(),
  dhcp: z.boolean().default(true),
  /** The adapter with the node's address, where it is not called as the plugin's manual calls it. */
  adapter: z.string().optional(),
  /** Whether the Hyper-V role is there. Only plugins without OVS can do without it. */
  hyperV: z.boolean().default(true),
  /** Adapters beside the one with the node's address. */
  otherAdapters: z.array(z.strictObject({name: z.string(), address: cidr})).default([]),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
  replicas: z.int().positive().optional(),
  /** What happened to the node, in this order, before the simulation began. */
  events: z.array(scenarioEvent).default([]),
  faults: nodeFaults.prefault({}),
});

const workload = z.strictObject({
  name: z.string(),
  namespace: z.string(),
  /** The nodes it has a pod on: all Windows nodes, where it says nothing. */
  nodes: z.array(z.string()).optional(),
  /** At most so many pods, on the first of these nodes. */
  replicas: z.int().positive().optional(),
  port: z.int().default(80),
  targetPort: z.int().default(80),
});

export const scenarioSchema = z.strictObject({
  description: z.string(),
  kubernetes: z.string().regex(/^v\d+\.\d+\.\d+$/),
  podNetwork: cidr,
  serviceNetwork: cidr.default('10.96.0.0/12'),
  /** The address of the API server, where no node of the cluster runs it. */
  apiServer: z.ipv4().optional(),
  /** Settings by plugin, such as its version. */
  plugins: z.record(
    z.string(),
    z
      .record(z.string(), z.unknown())
      .nullable()
      .transform(settings => settings ?? {}),
  ),
  nodes: z.array(node).min(1),
  workloads: z.array(workload).default([]),
  namespaces: z.record(z.string(), z.strictObject({labels: z.record(z.string(), z.string()).default({})})).default({}),
  access: access.default('admin'),
  faults: z.strictObject({slowList: z.int().nonnegative().default(0)}).prefault({}),
});

export type Scenario = z.infer<typeof scenarioSchema> & {name: string};
export type ScenarioNode = z.infer<typeof node>;
export type ScenarioEvent = z.infer<typeof scenarioEvent>;
export type ScenarioAccess = z.infer<typeof access>;
