import type {ApiObject} from '../api/object.js';
import type {ResourceType} from '../api/resource-types.js';
import type {World} from '../events/happen.js';
import type {NodeState} from '../node/state.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../plan.js';

export interface NodeMarks {
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
}

/** What a network plugin brings into a simulated cluster. One file or folder a plugin, and an entry in the registry. */
export interface SimPlugin {
  name: string;
  /** The HNS network that it makes on a Windows node. */
  network: string;
  /** The DaemonSet of its agent for Windows, where it has one. */
  agentSet?: string;
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

/** The nodes that a plugin connects. */
export const nodesOf = (cluster: ClusterPlan, plugin: string): NodePlan[] =>
  cluster.nodes.filter(node => node.plugin === plugin);

export const networkLabel = 'example.com/network';

/** Where a plugin's pods go: with several plugins in one cluster, only to the nodes that are its own. */
export function nodeSelector(cluster: ClusterPlan, plugin: string, os: 'linux' | 'windows'): Record<string, string> {
  const alone = Object.keys(cluster.scenario.plugins).length === 1;
  return {'kubernetes.io/os': os, ...(!alone && {[networkLabel]: plugin})};
}
