import type {ExitCode} from '../../lib/errors.js';
import {names} from '../../lib/names.js';
import type {Streams} from '../../lib/streams.js';
import {plain} from '../../lib/untrusted.js';
import type {CleanupOptions} from '../cleanup/run.js';
import type {Decision, Wanted} from './decide.js';
import type {Result} from './result.js';
import {sequenceOf, sequenceText} from './sequence.js';

/** Nodes whose network does not follow by itself: they need what `cleanup` does. */
function followers(decisions: readonly Decision[]): Decision[] {
  return decisions.filter(
    ({action, move}) =>
      (action === 'write' || action === 'keep') && (move?.kind === 'uplink' || move?.kind === 'address'),
  );
}

/** With `--apply` a node is annotated only if its network can follow: half of it is worse than nothing. */
export function ifItCanFollow(decision: Decision, wanted: readonly Wanted[]): Decision {
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

/** What it takes to let the network follow, for a person who has not asked for it. */
export function renderSequence(decisions: readonly Decision[], wanted: readonly Wanted[]): string {
  const nodes = followers(decisions);
  const [first] = nodes;
  const subject = first && subjectOf(first, wanted);
  if (!first || !subject || first.after === undefined) return '';
  const all = names(
    nodes.map(({node}) => node),
    3,
  );
  const lines = [
    `To let the network of ${all} follow: the same with --apply, or kubectl win cleanup NODE. On ${first.node} that is:`,
    ...sequenceText(sequenceOf(subject, first.after)).map(line => `  ${line}`),
  ];
  return lines.map(line => `${plain(line)}\n`).join('');
}

/** Lets the networks of the annotated nodes follow, one node after the other, as `cleanup` does it. */
export async function follow(
  results: readonly Result[],
  options: Omit<
    CleanupOptions,
    'names' | 'selector' | 'level' | 'force' | 'drain' | 'maxUnavailable' | 'verifyTimeout'
  >,
  streams: Streams,
  signal: AbortSignal,
): Promise<ExitCode | undefined> {
  const done = results.filter(({outcome}) => ['annotated', 'unchanged', 'removed'].includes(outcome));
  const removed = done.filter(({outcome}) => outcome === 'removed').map(({decision}) => decision.node);
  const nodes = [...removed, ...followers(done.map(({decision}) => decision)).map(({node}) => node)];
  if (nodes.length === 0) return undefined;
  const {runCleanup} = await import('../cleanup/run.js');
  const {output, exitCode} = await runCleanup(
    {
      ...options,
      names: nodes,
      selector: undefined,
      level: 'auto',
      force: false,
      drain: true,
      maxUnavailable: 1,
      verifyTimeout: 5 * 60_000,
    },
    streams,
    signal,
  );
  streams.err.write(output);
  return exitCode;
}
