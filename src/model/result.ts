import type {NodeSubject, Severity} from './check.js';
import type {Remedy} from './remedies.js';
import type {Evidence, Verdict} from './verdict.js';

/** One line of a report. */
export interface Result {
  readonly id: string;
  readonly outcome: Verdict['outcome'];
  readonly severity: Severity;
  /** The `failure` of a failed check, the `title` of any other. */
  readonly title: string;
  readonly message: string;
  readonly evidence: readonly Evidence[];
  readonly remedy?: Remedy;
  /** Ids of failed checks, on the same node or of the cluster, that explain this one. */
  readonly causedBy?: readonly string[];
  /** Ids of failed checks that this finding explains. */
  readonly explains?: readonly string[];
  /** How many nodes with the same plugin are affected, if there are several. */
  readonly peers?: {readonly failing: number; readonly of: number};
  /** Why the finding is accepted. */
  readonly suppressed?: string;
  readonly docs: string;
}

/** A node as it was read, with the results of its checks. */
export interface CheckedNode {
  readonly subject: NodeSubject;
  readonly results: readonly Result[];
  /** Findings about the whole cluster that explain some of these results. */
  readonly ofCluster: readonly Result[];
}
