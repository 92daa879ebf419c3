import type {ApiObject} from '../api/object.js';
import type {ResourceType} from '../api/resource-types.js';
import type {World} from '../events/happen.js';
import type {JsonObject} from '../json.js';
import type {NodeState} from '../node/state.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../plan.js';
import type {Start, Started} from './start.js';
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
  /** The node as it is. What the program makes, takes away, writes and runs as is changed here. */
  state: NodeState;
  now: Date;
  /** For the ids of what it makes: other ones at every start. */
  random: Random;
}

/** What a start comes to: it is up, with marks that it writes on its Node object, or it is stuck. */
export type Started = {ready: true; marks?: NodeMarks} | {ready: false; why: string};

/** What a network plugin brings into a simulated cluster. One file or folder a plugin, and an entry in the registry. */
export interface SimPlugin {
  name: string;
  /** The HNS network that it makes on a Windows node. */
  network: string;
  /** The DaemonSet of its agent for Windows, where it has one. */
  agentSet?: string;
  /** The Windows services of its agent, where it has such, in the order in which they start. */
  agentServices?: readonly string[];
  /** The DaemonSet or the Windows service of kube-proxy, where the plugin needs one. */
  kubeProxy?: {set: string} | {service: string};
  /** The Windows services that the agent runs as, where it is no DaemonSet: it starts with the first of them. */
  agentServices?: readonly string[];
  /** What the agent does when it starts. Pods get their endpoints afterwards, one by one. */
  agentStart?(starting: Starting): Started;
  /** The same of kube-proxy, where the node has one. */
  kubeProxyStart?(starting: Starting): Started;
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
  /**
   * What the agent does when it starts on a node as it is: it builds up what is missing, or something is in its way.
   * The kubelet's next try for the pods that wait goes with it: all that happens where the plugin has no agent.
   * Where the agent is Windows services, those of them that are running do their part.
   */
  agentStart?(start: Start): Started;
  kubeProxyStart?(start: Start): Started;
  /** What the agent of a node does when another node has written new annotations. */
  followPeer?(state: NodeState, peer: NodePlan, annotations: Record<string, string>): void;
  /** Images of it that a Windows node has. */
  images(cluster: ClusterPlan): string[];
}

/** A setting of a plugin in the scenario, or what it is otherwise. */
export function setting(cluster: ClusterPlan, plugin: string, name: string, otherwise: string): string {
  const value = cluster.scenario.plugins[plugin]?.[name];
  return value === undefined ? otherwise : String(value);
}

/** The nodes that a plugin connects. */
export const nodesOf = (cluster: ClusterPlan, plugin: string): NodePlan[] =>
  cluster.nodes.filter(node => node.plugin === plugin);

export const networkLabel = 'example.com/network';

/** Where a plugin's pods go: with several plugins in one cluster, only to the nodes that are its own. */
export function nodeSelector(cluster: ClusterPlan, plugin: string, os: 'linux' | 'windows'): Record<string, string> {
  const alone = Object.keys(cluster.scenario.plugins).length === 1;
  return {'kubernetes.io/os': os, ...(!alone && {[networkLabel]: plugin})};
}
