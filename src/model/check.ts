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

/** The words of `kubectl win explain`. */
export interface Explanation {
  /** What it means that this check fails. */
  meaning: string;
  /** Why it happens. */
  why: string;
  /** How to see it manually: commands, PowerShell unless they begin with `kubectl`. */
  see: readonly string[];
  /** How to fix it manually, in order. */
  fix: readonly string[];
  sources: readonly string[];
}

type Has<Needs extends Need, One extends Need> = One extends Needs ? true : false;

/** What a check is given. The sections it named in `needs` are there; what it did not name may be missing. */
export interface NodeSubject<Needs extends Need = never> {
  readonly node: NodeModel & Pick<Sections, Extract<Needs, SectionName>>;
  readonly object: Has<Needs, 'nodeObject'> extends true ? KubeNode : KubeNode | undefined;
  readonly cluster: Has<Needs, 'cluster' | 'nodeObject'> extends false ? ClusterModel | undefined : ClusterModel;
  readonly plugin: Detection;
  /** The node's own clock when it was read, in milliseconds: ages on a node are computed from it. */
  readonly now: number;
}

interface CheckBase<Needs extends Need> {
  /** Stable: users put it in `--only`, `--skip` and in their CI. */
  readonly id: `${string}/${string}`;
  /** What is asked, neutrally: behind a ✓ it reads as good news ("HNS network of the plugin exists"). */
  readonly title: string;
  /** The heading of a finding: what is wrong ("HNS network of the plugin is missing"). */
  readonly failure: string;
  readonly severity: Severity;
  /** What `run` reads and cannot do without: where one is missing, the outcome is `unknown`, with the reason. */
  readonly needs: readonly Needs[];
  /** Normal right after boot: before the node has settled, a failure is reported as `info`. */
  readonly settles?: true;
  /** Checks whose failure explains a failure of this one on the same node. */
  readonly consequenceOf?: readonly string[];
  /** What a cleanup does about a failure. Without it only a person repairs it. */
  readonly repair?: Repair;
  /** Only a person repairs it, and an agent that is restarted meanwhile does not come up again: no cleanup before. */
  readonly blocksRepair?: true;
  readonly explain: Explanation;
}

/** A check of one node. It applies to every plugin unless `appliesTo` says otherwise. */
export interface NodeCheck<Needs extends Need = Need> extends CheckBase<Needs> {
  readonly scope: 'node';
  /** Which plugins it is for, as text for lists: "all", "Antrea, Kube-OVN". */
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

/** All Windows nodes that were inspected, with the cluster they are in. */
export interface Fleet {
  readonly cluster: ClusterModel;
  /** Every plugin there is. */
  readonly known: readonly Plugin[];
  readonly subjects: readonly NodeSubject[];
}

export type Check = NodeCheck | ClusterCheck;

type NodeCheckInput<Needs extends Need> = Omit<NodeCheck<Needs>, 'scope' | 'appliesTo' | 'plugins'> & {
  plugins?: string;
  appliesTo?: (subject: NodeSubject) => boolean;
};

export function check<const Needs extends Need>(input: NodeCheckInput<Needs>): NodeCheck {
  // The engine calls `run` only when every need is met, which is what the narrower type says.
  return {scope: 'node', plugins: 'all', appliesTo: () => true, ...input} as unknown as NodeCheck;
}

type ClusterCheckInput = Omit<ClusterCheck, 'scope' | 'appliesTo' | 'plugins' | 'needs'> & {
  plugins?: string;
  appliesTo?: (fleet: Fleet) => boolean;
};

export function clusterCheck(input: ClusterCheckInput): ClusterCheck {
  return {scope: 'cluster', plugins: 'all', needs: ['cluster'], appliesTo: () => true, ...input};
}
