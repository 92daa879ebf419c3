import * as z from 'zod/mini';
import '../lib/zod-messages.js';
import type {Endpoint, Network} from '../snapshot/hns.js';
import type {NodeSubject} from './check.js';

/**
 * Definition of a plan step. The parameters of every step are here, because the wire format needs them; everything else
 * is in the step's object in `repair/steps`. The types below require an object for every name, with every member.
 * `helper/steps/step.ps1` has the same vocabulary; `test/helper/vocabulary.test.ts` compares the two.
 */

const guid = z.guid();
/** Names come from Windows: blanks, quotes and any language are fine, control characters are not. */
const name = z
  .string()
  .check(z.minLength(1), z.maxLength(256), z.regex(/^\P{Cc}+$/u, 'must not contain control characters'));
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
  /** In Windows notation. The node itself resolves links and `..`, and removes files only below the CNI folders. */
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

/** A condition that a step can wait for. */
export const condition = z.discriminatedUnion('until', [
  z.strictObject({until: z.literal('service'), name, state: serviceState}),
  z.strictObject({until: z.literal('hnsNetwork'), name, present: bool}),
  z.strictObject({until: z.literal('adapter'), name, present: bool}),
  z.strictObject({until: z.literal('address'), address}),
  z.strictObject({until: z.literal('tcp'), target}),
  z.strictObject({until: z.literal('extension'), ...switchExtension}),
]);

/** All steps a node accepts. No step runs a free-form command. */
export const stepParameters = {
  'ovs.deleteBridge': z.strictObject({bridge: name}),
  /**
   * `endpoints`: the attached endpoints that are removed with the network; any other attached endpoint blocks the step.
   */
  'hns.removeNetwork': z.strictObject({id: guid, name, endpoints: z.optional(guids)}),
  /**
   * The overlay network External of Flannel's setup script: it carries no pods and keeps the switch. All its other
   * properties are fixed.
   */
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
  /** Restores on adapter `to` the addresses, routes and DNS servers that adapter `from` had when the plan began. */
  'ip.restore': z.strictObject({from: name, to: name}),
  'wait.until': condition,
};

/** Kubernetes object names (DNS-1123). They become part of API paths. */
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
export const objectName = z
  .string()
  .check(z.maxLength(253), z.regex(new RegExp(`^${label}(\\.${label})*$`), 'must be a valid Kubernetes object name'));
const namespaceName = z
  .string()
  .check(z.maxLength(63), z.regex(new RegExp(`^${label}$`), 'must be a valid Kubernetes namespace name'));

/** Steps that the client runs through the API, before and after the node's own steps. */
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

interface StepNotes {
  /** One sentence for the user who reviews the plan. */
  why?: string | undefined;
  /** The node may lose its network here. After the last such step of its own, the node runs the reachability check. */
  cuts?: boolean | undefined;
  timeoutSeconds?: number | undefined;
}

export type PlanStep = {[Name in StepName]: {do: Name; with: With<Name>} & StepNotes}[StepName];
export type ClientStep = {[Name in ClientStepName]: {do: Name; with: ClientWith<Name>} & StepNotes}[ClientStepName];

interface Limits {
  readonly whyLength: number;
  readonly seconds: number;
}

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

// The types are derived from the same parameters; TypeScript cannot follow that through `Object.entries`. Lazy because
// most commands read no plan.
export const planStep = z.lazy(() =>
  stepSchema(stepParameters, {whyLength: 500, seconds: 900}),
) as z.ZodMiniType<PlanStep>;
export const clientStep = z.lazy(() =>
  stepSchema(clientStepParameters, {whyLength: 2000, seconds: 3600}),
) as z.ZodMiniType<ClientStep>;

/** Description of a step for the user. */
export interface StepWords {
  /** What it changes. */
  readonly changes: string;
  /** What must hold before it. */
  readonly requires: string;
  /** What must hold after it. */
  readonly verifies: string;
}

/** A property of a node that a plan depends on: a name that operators know, and its state. */
export type Dependency = readonly [thing: string, state: string];

/**
 * Simulates the node's own network across the steps of a plan, in order: what carries the node's address, and what the
 * previous steps left of it. In doubt, every answer is that the node is cut off.
 */
export interface OwnNetwork {
  /** Whether the node's own packets pass OVS now. */
  readonly throughOvs: boolean;
  /** Whether an agent was started that is about to recreate the switch that carries the node's address. */
  readonly beingRemade: boolean;
  /** Whether an adapter has the node's address, or is the physical NIC below it. */
  isOnAdapter(name: string): boolean;
  isOnSwitch(name: string): boolean;
  /** Whether an OVS bridge has such an adapter as a port. */
  isOnBridge(name: string): boolean;
  /** Each of these returns whether it cuts the node off, and changes the state that the next steps see. */
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
  /** Built from the parameters themselves, so that the description always matches the step. */
  words(parameters: Parameters): StepWords;
  /** Description of the undo. Undefined: it cannot be undone, or does not have to be. */
  readonly undo: string | undefined;
  /** What must not have changed on the node since the plan was created, in addition to what every plan depends on. */
  dependsOn(parameters: Parameters, subject: NodeSubject): readonly Dependency[];
}

/** One step of a node. All members are mandatory, so that the compiler reports what a new step lacks. */
export interface NodeStep<Name extends StepName> extends AnyStep<With<Name>> {
  readonly name: Name;
  readonly parameters: (typeof stepParameters)[Name];
  /** Whether the node may lose its own network. */
  cuts(parameters: With<Name>, network: OwnNetwork): boolean;
  /** Why it must not run, even with --force. `left`: the networks that no step of the plan removes. */
  refuses(parameters: With<Name>, subject: NodeSubject, left: readonly Network[]): string | undefined;
  /** The endpoints of this node that are lost. */
  losesEndpoints(parameters: With<Name>, subject: NodeSubject): readonly Endpoint[];
  /** Whether it may run at boot: it must not refer to an id that changes at boot, and must not remove a network. */
  atBoot(parameters: With<Name>): boolean;
}

/** What a restart of the agent does after the node's own steps. */
export interface AgentRestart {
  /** The agent pod, if the plan restarts it. */
  readonly pod: {readonly namespace: string; readonly name: string} | undefined;
  /** Whether the restarted agent recreates the switch that carries the node's address. */
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
