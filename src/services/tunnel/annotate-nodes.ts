import type {KubeClient} from '../../kube/client.js';
import {inParallel} from '../../lib/in-parallel.js';
import {type Author, authorOf, recordEvent} from '../cleanup/audit.js';
import type {TunnelReporter} from './annotation-ports.js';
import {type AnnotationResult, notWritten, withoutWriting, written} from './annotation-result.js';
import type {Decision} from './decide-annotation.js';
import {type Change, writeAnnotation} from './write-annotation.js';

const atOnce = 8;

/** Writes the annotations. A failure on one node does not stop the others. */
export function annotateNodes(
  client: KubeClient,
  decisions: readonly Decision[],
  dryRun: 'none' | 'client' | 'server',
  reporter: Pick<TunnelReporter, 'warn'>,
  signal: AbortSignal,
): Promise<AnnotationResult[]> {
  return inParallel(decisions, atOnce, async decision => {
    if (decision.action !== 'write') return withoutWriting(decision);
    if (dryRun === 'client') return written(decision);
    try {
      signal.throwIfAborted();
      await writeAnnotation(client, decision, {
        dryRun: dryRun === 'server',
        onTakeOver: author => reporter.warn(`${decision.node}: replacing the annotation set by ${author}.`),
        signal,
      });
      if (dryRun === 'none') await leaveNote(client, decision, reporter, signal);
      return written(decision);
    } catch (error) {
      signal.throwIfAborted();
      return notWritten(decision, error);
    }
  });
}

/** The annotation is already written, so a failure here is only a warning. */
async function leaveNote(
  client: KubeClient,
  change: Change,
  reporter: Pick<TunnelReporter, 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await recordEvent(client, change.node, noteOf(change, await authorOf(client, {signal})), {signal});
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    reporter.warn(`${change.node}: could not write the Event: ${reason}`);
  }
}

function noteOf({before, after}: Change, {by, context}: Author) {
  const was = before === undefined ? 'not set before' : `"${before}" before`;
  const reason = after === undefined ? 'TunnelInterfaceRemoved' : 'TunnelInterfaceSet';
  const message = after === undefined ? 'Tunnel interface removed' : `Tunnel interface set to "${after}"`;
  return {
    reason,
    message: `${message} with kubectl win (${was}). By ${by}, context ${context || 'none'}.`,
    warning: false,
  };
}
