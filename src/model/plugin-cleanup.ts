import type {Pod} from '../snapshot/cluster.js';
import type {Network} from '../snapshot/hns.js';
import type {Need, NodeSubject} from './check.js';
import type {Level} from './level.js';
import type {Repair} from './repair.js';
import type {PlanStep} from './step.js';

/** Why there is no plan. */
export interface Refusal {
  readonly reason: string;
  /** What the user can do instead. */
  readonly next?: string;
  /** Whether `--force` overrides it. */
  readonly forcible: boolean;
}

export function refusal(reason: string, rest: {next?: string; forcible?: boolean} = {}): Refusal {
  return {reason, forcible: rest.forcible ?? false, ...(rest.next !== undefined && {next: rest.next})};
}

/** One repair of one node at one level: what a plugin's cleanup works on. */
export interface NodeRepair {
  readonly subject: NodeSubject;
  readonly level: Level;
  /** Whether the node is drained before its steps run. */
  readonly drain: boolean;
  readonly force: boolean;
  /** The pods' network in its current state. */
  readonly network: Network | undefined;
  /** What has to be restarted because of the findings. */
  readonly restart: {readonly agent: boolean; readonly kubeProxy: boolean};
  failed(id: string): boolean;
  passed(id: string): boolean;
  /** The objects that a failed check names in one section. */
  seen(id: string, section: string): readonly string[];
}

/** A pod to delete so that its controller replaces it. */
export interface PodRestart {
  readonly of: 'agent' | 'kube-proxy';
  readonly pod: Pod;
  readonly why: string;
}

/**
 * What to do on a node, in order. Whether it cuts the network, and what can be undone, is derived from it, never
 * declared.
 */
export interface Draft {
  readonly steps: readonly PlanStep[];
  /** Agent and kube-proxy, if they run as pods: restarted after the node's own steps. */
  readonly pods: readonly PodRestart[];
  /** Networks that the agent recreates when it starts: their endpoints are lost as if the plan removed the networks. */
  readonly remakes: readonly Network[];
  readonly notes: readonly string[];
}

/** How a node of one plugin is repaired. */
export interface Cleanup {
  /**
   * What recreates the pod network after its removal: the agent when it starts, the CNI plugin with the next pod, or
   * the operator.
   */
  builder(subject: NodeSubject): 'agent' | 'cni' | 'person';
  /** The agent pod exits and is restarted by Kubernetes until it finds what it needs, so a plan need not restart it. */
  readonly podTriesAgain?: true;
  /** Sections that a level reads in addition to those required for every plugin. */
  needs?(job: NodeRepair): readonly Need[];
  /** Why this node must not be changed. */
  leaveAlone?(job: NodeRepair): Refusal | undefined;
  /** Overrides how a finding is repaired with this plugin; `nothing`: cleanup does not repair it. */
  repair?(id: string, job: NodeRepair): Repair | 'nothing' | undefined;
  draft(job: NodeRepair): Draft | Refusal;
}

export function isRefusal(value: Draft | Refusal): value is Refusal {
  return 'reason' in value;
}
