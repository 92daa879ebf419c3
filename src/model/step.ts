import * as z from 'zod/mini';
import '../lib/zod-messages.js';
import type {Endpoint, Network} from '../snapshot/hns.js';
import type {NodeSubject} from './check.js';

/**
 * What a step of a plan is. The parameters of every step stand here, because the wire needs them; everything else that a
 * step is stands in its one object in `repair/steps`. The types below demand an object for every name, and every member.
 * `helper/steps/step.ps1` holds the same vocabulary; `test/helper/vocabulary.test.ts` compares the two.
 */

const guid = z.guid();
/** Names come from Windows: blanks, quotes and any language are fine, control characters are not. */
const name = z
  .string()
  .check(z.minLength(1), z.maxLength(256), z.regex(/^\P{Cc}+$/u, 'must not hold control characters'));
const bool = z.boolean();

/** The kinds of values that parameters have, by their names in `helper/plan/validate.ps1`. */
export const parameterKinds = {
  name,
  guid,
  guids: z.array(guid),
  bool,
  component: z.enum(['vms_pp', 'ms_tcpip', 'ovsext']),
  protocol: z.enum(['TCP', 'UDP']),
  serviceState: z.enum(['Running', 'Stopped']),
  /** Written as on a node. The node resolves links and `..` itself, and removes only below the folders of the CNIs. */
  path: z.string().check(z.maxLength(260), z.regex(/^[Cc]:\\\P{Cc}+$/u, 'must be a full path on C:')),
  registryPath: z.string().check(z.regex(/^HKLM:\\\P{Cc}+$/u, 'must start with HKLM:\\')),
  address: z.union([z.ipv4(), z.ipv6()]),
  prefix: z.union([z.cidrv4(), z.cidrv6()]),
  target: z.string().check(z.regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):[0-9]{1,5}$/, 'must be host:port')),
  port: z.int().check(z.minimum(1), z.maximum(65535)),
  metric: z.int().check(z.minimum(0), z.maximum(9999)),
};

const {guids, component, protocol, serviceState, path, registryPath, address, prefix, target, port, metric} =
  parameterKinds;
const switchExtension = {switchName: name, extensionId: guid, enabled: bool};

/** Something that can be waited for. */
export const condition = z.discriminatedUnion('until', [
  z.strictObject({until: z.literal('service'), name, state: serviceState}),
  z.strictObject({until: z.literal('hnsNetwork'), name, present: bool}),
  z.strictObject({until: z.literal('adapter'), name, present: bool}),
  z.strictObject({until: z.literal('address'), address}),
  z.strictObject({until: z.literal('tcp'), target}),
  z.strictObject({until: z.literal('extension'), ...switchExtension}),
]);

/** The closed vocabulary of a node. No step runs a free-form command. */
export const stepParameters = {
  'ovs.deleteBridge': z.strictObject({bridge: name}),
  /** `endpoints`: the attached endpoints that go with the network; any other attached one blocks the step. */
  'hns.removeNetwork': z.strictObject({id: guid, name, endpoints: z.optional(guids)}),
  /** The overlay External of Flannel's setup script, which carries no pods and keeps the switch. Nothing of it is free. */
  'hns.createExternal': z.strictObject({adapter: name}),
  'hns.removeEndpoint': z.strictObject({id: guid}),
  /** Without `ids`: every policy list of the node. */
  'hns.removePolicyLists': z.strictObject({ids: z.optional(guids)}),
  'vswitch.remove': z.strictObject({name}),
  'vswitch.setExtension': z.strictObject(switchExtension),
  'vnic.remove': z.strictObject({switchName: name, name}),
  'adapter.setBinding': z.strictObject({adapter: name, componentId: component, enabled: bool}),
  'service.start': z.strictObject({name}),
  'service.stop': z.strictObject({name}),
  'service.restart': z.strictObject({name}),
  'file.remove': z.strictObject({path}),
  'registry.removeValue': z.strictObject({path: registryPath, name}),
  'firewall.allow': z.strictObject({name, displayName: name, protocol, port}),
  'route.add': z.strictObject({destination: prefix, nextHop: address, adapter: name, metric: z.optional(metric)}),
  'ip.renew': z.strictObject({adapter: name}),
  /** Puts what adapter `from` had when the plan began (addresses, routes, DNS servers) on adapter `to`. */
  'ip.restore': z.strictObject({from: name, to: name}),
  'wait.until': condition,
};

/** Names of objects in Kubernetes, as it demands them: DNS-1123. They become part of paths. */
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
export const objectName = z
  .string()
  .check(
    z.maxLength(253),
    z.regex(new RegExp(`^${label}(\\.${label})*$`), 'must be a name of an object in Kubernetes'),
  );
const namespaceName = z
  .string()
  .check(z.maxLength(63), z.regex(new RegExp(`^${label}$`), 'must be a name of a namespace in Kubernetes'));

/** What the client does through the API, before and after the node's own steps. */
export const clientStepParameters = {
  'node.cordon': z.strictObject({node: objectName}),
  /** `force`: also pods that no controller replaces. */
  'node.drain': z.strictObject({node: objectName, force: bool}),
  /** `awaits`: a new pod of the same controller must be ready on the node before the next step. */
  'pod.delete': z.strictObject({namespace: namespaceName, name: objectName, awaits: bool}),
  'node.uncordon': z.strictObject({node: objectName}),
};

export type StepName = keyof typeof stepParameters;
export type ClientStepName = keyof typeof clientStepParameters;
export type With<Name extends StepName> = z.infer<(typeof stepParameters)[Name]>;
export type ClientWith<Name extends ClientStepName> = z.infer<(typeof clientStepParameters)[Name]>;

interface Told {
  /** One sentence for the person who reads the plan. */
  why?: string | undefined;
  /** The node may lose its network here: after the last of its own such steps the node makes the dead-man check. */
  cuts?: boolean | undefined;
  timeoutSeconds?: number | undefined;
}

export type PlanStep = {[Name in StepName]: {do: Name; with: With<Name>} & Told}[StepName];
export type ClientStep = {[Name in ClientStepName]: {do: Name; with: ClientWith<Name>} & Told}[ClientStepName];

interface Limits {
  readonly whyLength: number;
  readonly seconds: number;
}

/** One of the steps with these parameters. */
function stepSchema(all: Readonly<Record<string, z.ZodMiniType>>, {whyLength, seconds}: Limits): z.ZodMiniType {
  const [first, ...others] = Object.entries(all).map(([what, parameters]) =>
    z.strictObject({
      do: z.literal(what),
      with: parameters,
      why: z.optional(z.string().check(z.maxLength(whyLength))),
      cuts: z.optional(bool),
      timeoutSeconds: z.optional(z.int().check(z.minimum(1), z.maximum(seconds))),
    }),
  );
  if (!first) throw new Error('there is no step');
  return z.discriminatedUnion('do', [first, ...others]);
}

// The types are made of the same parameters; TypeScript cannot follow that through `Object.entries`. Made when a plan is
// read: most commands read none.
export const planStep = z.lazy(() =>
  stepSchema(stepParameters, {whyLength: 500, seconds: 900}),
) as z.ZodMiniType<PlanStep>;
export const clientStep = z.lazy(() =>
  stepSchema(clientStepParameters, {whyLength: 2000, seconds: 3600}),
) as z.ZodMiniType<ClientStep>;

/** A step in a person's words. */
export interface StepWords {
  /** What it changes. */
  readonly changes: string;
  /** What must hold before it. */
  readonly requires: string;
  /** What must hold after it. */
  readonly verifies: string;
}

/** Something of a node that a plan depends on, by a name that a person knows, with what it was. */
export type Dependency = readonly [thing: string, state: string];

/**
 * The node's own network while the steps of a plan are gone through in order: what carries the node's address, and what
 * the steps before have left of it. In doubt every answer is that the node is cut off.
 */
export interface OwnNetwork {
  /** Whether the node's own packets pass OVS now. */
  readonly throughOvs: boolean;
  /** Whether an agent was started that is about to make the switch under the node's address. */
  readonly beingRemade: boolean;
  /** Whether an adapter has the node's address, or is the NIC under it. */
  isOnAdapter(name: string): boolean;
  isOnSwitch(name: string): boolean;
  /** Whether a bridge of OVS has such an adapter for a port. */
  isOnBridge(name: string): boolean;
  /** Each of these says whether the node is cut off by it, and is remembered for the steps after it. */
  removeNetwork(id: string): boolean;
  /** The adapter is the physical one. */
  createNetwork(adapter: string): boolean;
  removeSwitch(name: string): boolean;
  removeAdapter(name: string): boolean;
  setExtension(parameters: With<'vswitch.setExtension'>): boolean;
  stopService(name: string): boolean;
  startService(name: string): boolean;
}

interface AnyStep<Parameters> {
  /** In words, made from the parameters themselves, so that they cannot tell of another step. */
  words(parameters: Parameters): StepWords;
  /** What puts it back, in words. Undefined: nothing can, or nothing has to. */
  readonly undo: string | undefined;
  /** What of the node must still be as it was when the plan was made, beyond what every plan depends on. */
  dependsOn(parameters: Parameters, subject: NodeSubject): readonly Dependency[];
}

/** One step of a node. All members are mandatory: what a step lacks, the compiler reports. */
export interface NodeStep<Name extends StepName> extends AnyStep<With<Name>> {
  readonly name: Name;
  readonly parameters: (typeof stepParameters)[Name];
  /** Whether the node's own network may be gone after it. */
  cuts(parameters: With<Name>, network: OwnNetwork): boolean;
  /** Why it must not run, with --force or without. `left`: the networks that no step of the plan removes. */
  refuses(parameters: With<Name>, subject: NodeSubject, left: readonly Network[]): string | undefined;
  /** The endpoints of this node that are gone after it. */
  takes(parameters: With<Name>, subject: NodeSubject): readonly Endpoint[];
  /** Whether it means the same at every boot: nothing with an id that a boot changes, nothing that takes a network down. */
  atBoot(parameters: With<Name>): boolean;
}

/** What a restart of the agent does after the node's own steps. */
export interface AgentRestart {
  /** The agent's pod, where the plan restarts it. */
  readonly pod: {readonly namespace: string; readonly name: string} | undefined;
  /** Whether an agent that starts then makes the switch under the node's address. */
  readonly cuts: boolean;
}

/** One step of the client. */
export interface ApiStep<Name extends ClientStepName> extends AnyStep<ClientWith<Name>> {
  readonly name: Name;
  readonly parameters: (typeof clientStepParameters)[Name];
  cuts(parameters: ClientWith<Name>, agent: AgentRestart): boolean;
  refuses(parameters: ClientWith<Name>, subject: NodeSubject): string | undefined;
}

export type NodeSteps = {readonly [Name in StepName]: NodeStep<Name>};
export type ApiSteps = {readonly [Name in ClientStepName]: ApiStep<Name>};
