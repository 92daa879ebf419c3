import type {ClusterModel, KubeNode} from '../snapshot/cluster.js';
import type {NodeModel} from '../snapshot/node.js';
import type {SectionName} from '../snapshot/section-names.js';
import type {Sections} from '../snapshot/sections.js';
import type {Detection, Plugin} from './plugin.js';
import type {Repair} from './repair.js';
import type {Verdict} from './verdict.js';

export type Severity = 'error' | 'warning' | 'info';

/** What a check reads: sections of the node, the Node object, or the other objects of the cluster. */
export type Need = SectionName | 'nodeObject' | 'cluster';

/** The text that `kubectl win explain` prints. */
export interface Explanation {
  /** What a failure of this check means. */
  meaning: string;
  /** Why it happens. */
  why: string;
  /** Commands that show the problem: PowerShell on the node, unless they begin with `kubectl`. */
  see: readonly string[];
  /** How to fix it manually, in order. */
  fix: readonly string[];
  sources: readonly string[];
}

type Has<Needs extends Need, One extends Need> = One extends Needs ? true : false;

/** The input of a check. Sections listed in `needs` are present; others may be missing. */
export interface NodeSubject<Needs extends Need = never> {
  readonly node: NodeModel & Pick<Sections, Extract<Needs, SectionName>>;
  readonly object: Has<Needs, 'nodeObject'> extends true ? KubeNode : KubeNode | undefined;
  readonly cluster: Has<Needs, 'cluster' | 'nodeObject'> extends false ? ClusterModel | undefined : ClusterModel;
  readonly plugin: Detection;
  /** The node's own clock when it was read, in milliseconds: ages on a node are computed from it. */
  readonly now: number;
}

interface CheckBase<Needs extends Need> {
  /** Stable: users refer to it in `--only`, `--skip` and CI. */
  readonly id: `${string}/${string}`;
  /** Neutral statement that is true when the check passes, shown next to a ✓ ("HNS network of the plugin exists"). */
  readonly title: string;
  /** The heading of a finding: what is wrong ("HNS network of the plugin is missing"). */
  readonly failure: string;
  readonly severity: Severity;
  /** What `run` requires. If any of it was not read, the outcome is `unknown`, with the reason. */
  readonly needs: readonly Needs[];
  /** Normal right after boot: before the node has settled, a failure is reported as `info`. */
  readonly settles?: true;
  /** Checks whose failure explains a failure of this one on the same node. */
  readonly consequenceOf?: readonly string[];
  /** How a cleanup repairs a failure. Undefined: the failure needs manual action. */
  readonly repair?: Repair;
  /**
   * The failure needs manual action, and an agent restarted before that does not start again: cleanup refuses to run.
   */
  readonly blocksRepair?: true;
  readonly explain: Explanation;
}

/** A check of one node. It applies to every plugin unless `appliesTo` says otherwise. */
export interface NodeCheck<Needs extends Need = Need> extends CheckBase<Needs> {
  readonly scope: 'node';
  /** Which plugins it applies to, as display text: "all", "Antrea, Kube-OVN". */
  readonly plugins: string;
  appliesTo(subject: NodeSubject): boolean;
  /** No verdict, or an empty list, is a pass. */
  run(subject: NodeSubject<Needs>): Verdict | readonly Verdict[] | undefined;
}

/** A check of the cluster as a whole, over all its Windows nodes. */
export interface ClusterCheck extends CheckBase<'cluster'> {
  readonly scope: 'cluster';
  readonly plugins: string;
  appliesTo(fleet: Fleet): boolean;
  run(fleet: Fleet): Verdict | readonly Verdict[] | undefined;
}

/** All inspected Windows nodes and their cluster. */
export interface Fleet {
  readonly cluster: ClusterModel;
  /** All registered plugins. */
  readonly known: readonly Plugin[];
  readonly subjects: readonly NodeSubject[];
}

export type Check = NodeCheck | ClusterCheck;

type NodeCheckInput<Needs extends Need> = Omit<NodeCheck<Needs>, 'scope' | 'appliesTo' | 'plugins'> & {
  plugins?: string;
  appliesTo?: (subject: NodeSubject) => boolean;
};

export function check<const Needs extends Need>(input: NodeCheckInput<Needs>): NodeCheck {
  // The engine calls `run` only when every need is met, so the narrower type is safe.
  return {scope: 'node', plugins: 'all', appliesTo: () => true, ...input} as unknown as NodeCheck;
}

type ClusterCheckInput = Omit<ClusterCheck, 'scope' | 'appliesTo' | 'plugins' | 'needs'> & {
  plugins?: string;
  appliesTo?: (fleet: Fleet) => boolean;
};

export function clusterCheck(input: ClusterCheckInput): ClusterCheck {
  return {scope: 'cluster', plugins: 'all', needs: ['cluster'], appliesTo: () => true, ...input};
}
