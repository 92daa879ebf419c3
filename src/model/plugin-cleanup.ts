import type {Pod} from '../snapshot/cluster.js';
import type {Network} from '../snapshot/hns.js';
import type {Need, NodeSubject} from './check.js';
import type {Level} from './level.js';
import type {Repair} from './repair.js';
import type {PlanStep} from './step.js';

/** Why there is no plan. */
export interface Refusal {
  readonly reason: string;
  /** What a person can do instead. */
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
  /** Whether pods that drain can evict are gone before the node's steps begin. */
  readonly drain: boolean;
  readonly force: boolean;
  /** The pods' network in its current state. */
  readonly network: Network | undefined;
  /** What the findings say has to start again. */
  readonly restart: {readonly agent: boolean; readonly kubeProxy: boolean};
  failed(id: string): boolean;
  passed(id: string): boolean;
  /** The objects that a failed check names in one section. */
  seen(id: string, section: string): readonly string[];
}

/** A pod that is deleted so that its controller starts another one. */
export interface PodRestart {
  readonly of: 'agent' | 'kube-proxy';
  readonly pod: Pod;
  readonly why: string;
}

/** What is to be done on a node, in order. What cuts, and what can be undone, is derived from it, never declared. */
export interface Draft {
  readonly steps: readonly PlanStep[];
  /** Agent and kube-proxy where they are pods: restarted after the node's own steps. */
  readonly pods: readonly PodRestart[];
  /** Networks that the agent takes down by itself when it starts: what is on them is lost as if the plan removed them. */
  readonly remakes: readonly Network[];
  readonly notes: readonly string[];
}

/** How one plugin's node is repaired. */
export interface Cleanup {
  /** Who makes the pods' network once it is gone: the agent when it starts, the CNI with the next pod, or a person. */
  builder(subject: NodeSubject): 'agent' | 'cni' | 'person';
  /** An agent in a pod that gives up and is started again until it finds what it needs: nobody has to restart it. */
  readonly podTriesAgain?: true;
  /** Sections that a level reads beyond those that every plugin needs. */
  needs?(job: NodeRepair): readonly Need[];
  /** Why this node is to be left alone. */
  leaveAlone?(job: NodeRepair): Refusal | undefined;
  /** A finding that takes something else here than with other plugins; `nothing`: cleanup does not repair it here. */
  repair?(id: string, job: NodeRepair): Repair | 'nothing' | undefined;
  draft(job: NodeRepair): Draft | Refusal;
}

export function isRefusal(value: Draft | Refusal): value is Refusal {
  return 'reason' in value;
}
