import type {PlanOutcome} from '../../repair/plan/plan-for-node.js';
import type {CleanupOptions} from '../cleanup/cleanup.js';
import type {CleanupPorts} from '../cleanup/cleanup-ports.js';
import type {CleanupResult} from '../cleanup/cleanup-result.js';
import type {AnnotationResult} from './annotation-result.js';
import type {Decision, Wanted} from './decide-annotation.js';
import {sequenceOf, sequenceText} from './uplink-move.js';

/** Nodes whose existing network does not follow the annotation without a `cleanup`. */
function followers(decisions: readonly Decision[]): Decision[] {
  return decisions.filter(
    ({action, move}) =>
      (action === 'write' || action === 'keep') && (move?.kind === 'uplink' || move?.kind === 'address'),
  );
}

/** With `--apply` a node is annotated only if its network can follow: an annotation alone is worse than no change. */
export function ifNetworkCanFollow(decision: Decision, wanted: readonly Wanted[]): Decision {
  const subject = subjectOf(decision, wanted);
  if (!subject || decision.after === undefined || followers([decision]).length === 0) return decision;
  const outcome = sequenceOf(subject, decision.after);
  if (outcome.kind !== 'refused') return decision;
  const reason = `its network cannot follow: ${sequenceText(outcome).join(' ').replace(/\.$/, '')}`;
  return {...decision, after: undefined, action: 'refuse', reason};
}

function subjectOf({node}: Decision, wanted: readonly Wanted[]) {
  return wanted.find(({subject}) => subject.node.name === node)?.subject;
}

/** The steps that move the networks of these nodes, for the first node as an example. */
export interface NetworkSequence {
  readonly nodes: readonly string[];
  readonly first: string;
  readonly outcome: PlanOutcome;
}

/** The steps that move existing networks; undefined if none has to move. */
export function networkSequence(
  decisions: readonly Decision[],
  wanted: readonly Wanted[],
): NetworkSequence | undefined {
  const nodes = followers(decisions);
  const [first] = nodes;
  const subject = first && subjectOf(first, wanted);
  if (!first || !subject || first.after === undefined) return undefined;
  return {nodes: nodes.map(({node}) => node), first: first.node, outcome: sequenceOf(subject, first.after)};
}

export type FollowOptions = Omit<
  CleanupOptions,
  'names' | 'selector' | 'level' | 'force' | 'drain' | 'maxUnavailable' | 'verifyTimeout' | 'dryRun'
>;

/** Moves the networks of the annotated nodes with `cleanup`, one node at a time. */
export async function followAnnotation(
  results: readonly AnnotationResult[],
  options: FollowOptions,
  ports: CleanupPorts,
  signal: AbortSignal,
): Promise<CleanupResult | undefined> {
  const done = results.filter(({outcome}) => ['annotated', 'unchanged', 'removed'].includes(outcome));
  const removed = done.filter(({outcome}) => outcome === 'removed').map(({decision}) => decision.node);
  const nodes = [...removed, ...followers(done.map(({decision}) => decision)).map(({node}) => node)];
  if (nodes.length === 0) return undefined;
  const {cleanup} = await import('../cleanup/cleanup.js');
  return cleanup(
    {
      ...options,
      dryRun: undefined,
      names: nodes,
      selector: undefined,
      level: 'auto',
      force: false,
      drain: true,
      maxUnavailable: 1,
      verifyTimeout: 5 * 60_000,
    },
    ports,
    signal,
  );
}
