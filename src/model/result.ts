import type {NodeSubject, Severity} from './check.js';
import type {Remedy} from './remedies.js';
import type {Evidence, Verdict} from './verdict.js';

/** One line of a report. */
export interface Result {
  readonly id: string;
  readonly outcome: Verdict['outcome'];
  readonly severity: Severity;
  /** Of a failed check what is wrong, of any other what it asks. */
  readonly title: string;
  readonly message: string;
  readonly evidence: readonly Evidence[];
  readonly remedy?: Remedy;
  /** Ids of failed checks, on the same node or of the cluster, that explain this one. */
  readonly causedBy?: readonly string[];
  /** Ids of failed checks that this very finding explains by what it saw. */
  readonly explains?: readonly string[];
  /** How many nodes with the same plugin have it too, where there are several. */
  readonly peers?: {readonly failing: number; readonly of: number};
  /** Why a team has decided to live with it. */
  readonly suppressed?: string;
  readonly docs: string;
}

/** A node as it was read, with what its checks say of it. */
export interface CheckedNode {
  readonly subject: NodeSubject;
  readonly results: readonly Result[];
  /** Findings about the whole cluster that explain some of these results. */
  readonly ofCluster: readonly Result[];
}
