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
  /** The spec of the Node, where it is not one with a pod CIDR. */
  spec?: JsonObject;
}

/** An agent, or kube-proxy, that starts on a Windows node. */
export interface Starting {
  cluster: ClusterPlan;
  node: NodePlan;
  /** The node as it is. What the program creates, removes, writes and runs as is changed here. */
  state: NodeState;
  now: Date;
  /** For the ids of what it makes: other ones at every start. */
  random: Random;
  /** The Services of the cluster, with those backends that are ready. */
  services: readonly ServiceEntry[];
  /** The annotations of every Node, by its name. */
  annotations: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** What a start comes to: it is up, with marks that it writes on its Node object, or it is stuck. */
export type Started = {ready: true; marks?: NodeMarks} | {ready: false; why: string};

/** A pod whose sandbox is to be made: it is new, or its sandbox died. */
export interface WaitingPod {
  name: string;
  namespace: string;
}

/** What the CNI plugin comes to for a pod: it has a sandbox and an address, or the kubelet hears why not. */
export type Added = {ready: true; pod: PodPlan} | {ready: false; why: string};

/** What a network plugin brings into a simulated cluster. One file or folder a plugin, and an entry in the registry. */
export interface SimPlugin {
  name: string;
  /** The HNS network that it makes on a Windows node. */
  network: string;
  /** The DaemonSet of its agent for Windows, where it has one. */
  agentSet?: string;
  /** The Windows services that the agent runs as on nodes without a DaemonSet for it: it starts with the first of them. */
  agentServices?: readonly string[];
  /** The DaemonSet and the Windows service of kube-proxy, where the plugin needs one: a node has either. */
  kubeProxy?: {set: string} | {service: string} | {set: string; service: string};
  /**
   * What the agent does when it starts. Pods get their endpoints afterwards, one by one.
   * Where it is Windows services, those of them that are running do their part.
   */
  agentStart?(starting: Starting): Started;
  /** The same of kube-proxy, where the node has one. */
  kubeProxyStart?(starting: Starting): Started;
  /** Whether an agent that a boot has left waiting continues by itself once it finds what it needs. */
  agentWaits?: true;
  /** What the CNI plugin does when the kubelet makes a sandbox: endpoint, vNIC, lease. */
  addPod?(starting: Starting, pod: WaitingPod): Added;
  /** What the agent does when it hears of another node's new marks. */
  followPeer?(state: NodeState, peer: NodePlan, marks: NodeMarks): void;
  /** Kinds of its custom resources. */
  types: readonly ResourceType[];
  /** Its DaemonSets, Deployments, ConfigMaps, custom resources, and the pods of these. */
  objects(cluster: ClusterPlan): ApiObject[];
  nodeMarks(cluster: ClusterPlan, node: NodePlan): NodeMarks;
  podAnnotations(cluster: ClusterPlan, node: NodePlan, pod: PodPlan): Record<string, string>;
  podAddress(cluster: ClusterPlan, node: NodePlan, pod: PodPlan): string;
  /** A healthy Windows node. */
  nodeState(cluster: ClusterPlan, node: NodePlan): NodeState;
  /** What the kubelet hears when a pod is to get a network and the plugin does not answer. */
  sandboxFailure: string;
  /** What a boot leaves behind on the node, beyond what Windows does. */
  afterReboot?(cluster: ClusterPlan, node: NodePlan, state: NodeState, bootedAt: Date): void;
  /** The pods as they run after a boot, where its network survives one; else no pod has a network then. */
  podsAfterReboot?(node: NodePlan, bootedAt: Date): PodPlan[];
  /** What the cluster then shows of it. */
  clusterAfterReboot?(world: World, node: NodePlan, bootedAt: Date): void;
  /** Images of it that a Windows node has. */
  images(cluster: ClusterPlan): string[];
}

/** A setting of a plugin in the scenario, or what it is otherwise. */
export function setting(cluster: ClusterPlan, plugin: string, name: string, otherwise: string): string {
  const value = cluster.scenario.plugins[plugin]?.[name];
  return value === undefined ? otherwise : String(value);
}

/** Whether its agent, and kube-proxy with it, are Windows services that scripts installed, not pods. */
export const runsAsService = (cluster: ClusterPlan, plugin: string): boolean =>
  setting(cluster, plugin, 'agent', 'pod') === 'service';

/** The nodes that a plugin connects. */
export const nodesOf = (cluster: ClusterPlan, plugin: string): NodePlan[] =>
  cluster.nodes.filter(node => node.plugin === plugin);

export const networkLabel = 'example.com/network';

/** Where a plugin's pods go: with several plugins in one cluster, only to the nodes that are its own. */
export function nodeSelector(cluster: ClusterPlan, plugin: string, os: 'linux' | 'windows'): Record<string, string> {
  const alone = Object.keys(cluster.scenario.plugins).length === 1;
  return {'kubernetes.io/os': os, ...(!alone && {[networkLabel]: plugin})};
}
