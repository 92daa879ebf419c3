import type {ApiObject} from '../api/object.js';
import type {ResourceType} from '../api/resource-types.js';
import type {ServiceEntry} from '../cluster/service-table.js';
import type {World} from '../events/world.js';
import type {JsonObject} from '../json.js';
import type {NodeState} from '../node/state.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../plan.js';
import type {Random} from '../random.js';

export interface NodeMarks {
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  /** The spec of the Node, if it has no pod CIDR. */
  spec?: JsonObject;
}

/** An agent or kube-proxy that starts on a Windows node. */
export interface Starting {
  cluster: ClusterPlan;
  node: NodePlan;
  /** The state of the node, which the program changes. */
  state: NodeState;
  now: Date;
  /** For generated IDs, different at every start. */
  random: Random;
  /** The Services of the cluster with their ready backends. */
  services: readonly ServiceEntry[];
  /** The annotations of every Node, by name. */
  annotations: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** The result of a start: running, with marks for its Node object, or stuck. */
export type Started = {ready: true; marks?: NodeMarks} | {ready: false; why: string};

/** A pod that needs a sandbox because it is new or lost its sandbox. */
export interface WaitingPod {
  name: string;
  namespace: string;
}

/** The result of a CNI ADD: a sandbox with an address, or the error that the kubelet gets. */
export type Added = {ready: true; pod: PodPlan} | {ready: false; why: string};

/** A network plugin in a simulated cluster: one folder per plugin, and an entry in the registry. */
export interface SimPlugin {
  name: string;
  /** The HNS network that it creates on a Windows node. */
  network: string;
  /** The DaemonSet of its Windows agent, if any. */
  agentSet?: string;
  /** The Windows services of the agent on nodes without a DaemonSet. The agent starts with the first of them. */
  agentServices?: readonly string[];
  /** The DaemonSet and the Windows service of kube-proxy, if the plugin needs it. A node has one of them. */
  kubeProxy?: {set: string} | {service: string} | {set: string; service: string};
  /**
   * What the agent does when it starts. Pods get their endpoints afterwards, one by one.
   * If the agent consists of several Windows services, only the running ones act.
   */
  agentStart?(starting: Starting): Started;
  /** What kube-proxy does when it starts, if the node has one. */
  kubeProxyStart?(starting: Starting): Started;
  /** Whether an agent that waits after a reboot continues once it finds what it needs. */
  agentWaits?: true;
  /** What the CNI plugin does for a new sandbox: endpoint, vNIC, lease. */
  addPod?(starting: Starting, pod: WaitingPod): Added;
  /** What the agent does when another node's marks change. */
  followPeer?(state: NodeState, peer: NodePlan, marks: NodeMarks): void;
  /** Its custom resource kinds. */
  types: readonly ResourceType[];
  /** Its DaemonSets, Deployments, ConfigMaps and custom resources, with their pods. */
  objects(cluster: ClusterPlan): ApiObject[];
  nodeMarks(cluster: ClusterPlan, node: NodePlan): NodeMarks;
  podAnnotations(cluster: ClusterPlan, node: NodePlan, pod: PodPlan): Record<string, string>;
  podAddress(cluster: ClusterPlan, node: NodePlan, pod: PodPlan): string;
  nodeState(cluster: ClusterPlan, node: NodePlan): NodeState;
  /** The error that the kubelet gets for a new sandbox while the plugin does not answer. */
  sandboxFailure: string;
  /** What remains on the node after a reboot, beyond what Windows does. */
  afterReboot?(cluster: ClusterPlan, node: NodePlan, state: NodeState, bootedAt: Date): void;
  /** The running pods after a reboot, if the network survives it. Otherwise pods have no network then. */
  podsAfterReboot?(node: NodePlan, bootedAt: Date): PodPlan[];
  /** The effect of that reboot on the cluster's objects. */
  clusterAfterReboot?(world: World, node: NodePlan, bootedAt: Date): void;
  /** Its images on a Windows node. */
  images(cluster: ClusterPlan): string[];
}

/** A plugin setting of the scenario, with a default. */
export function setting(cluster: ClusterPlan, plugin: string, name: string, otherwise: string): string {
  const value = cluster.scenario.plugins[plugin]?.[name];
  return value === undefined ? otherwise : String(value);
}

/** Whether its agent and kube-proxy are Windows services installed by scripts, instead of pods. */
export const runsAsService = (cluster: ClusterPlan, plugin: string): boolean =>
  setting(cluster, plugin, 'agent', 'pod') === 'service';

/** The nodes of a plugin. */
export const nodesOf = (cluster: ClusterPlan, plugin: string): NodePlan[] =>
  cluster.nodes.filter(node => node.plugin === plugin);

export const networkLabel = 'example.com/network';

/** The node selector of a plugin's pods: in a cluster with several plugins, only its own nodes. */
export function nodeSelector(cluster: ClusterPlan, plugin: string, os: 'linux' | 'windows'): Record<string, string> {
  const alone = Object.keys(cluster.scenario.plugins).length === 1;
  return {'kubernetes.io/os': os, ...(!alone && {[networkLabel]: plugin})};
}
