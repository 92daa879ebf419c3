import type {V1Node} from '@kubernetes/client-node';
import type {KubeClient} from '../../kube/client.js';
import {inParallel} from '../../lib/in-parallel.js';
import {recordEvent} from '../cleanup/client-steps.js';
import type {Decision} from './decide.js';
import type {TunnelTeller} from './ports.js';
import {type AnnotationResult, notWritten, withoutWriting, written} from './result.js';
import {type Change, writeAnnotation} from './write-annotation.js';

const atOnce = 8;

/** Writes what was decided. A node that cannot be written to does not keep the others from it. */
export function annotateNodes(
  client: KubeClient,
  decisions: readonly Decision[],
  dryRun: 'none' | 'client' | 'server',
  teller: Pick<TunnelTeller, 'warn'>,
  signal: AbortSignal,
): Promise<AnnotationResult[]> {
  return inParallel(decisions, atOnce, async decision => {
    if (decision.action !== 'write') return withoutWriting(decision);
    if (dryRun === 'client') return written(decision);
    try {
      signal.throwIfAborted();
      const node = await writeAnnotation(client, decision, {
        dryRun: dryRun === 'server',
        onTakeOver: author => teller.warn(`${decision.node}: the annotation is taken over from ${author}.`),
        signal,
      });
      if (dryRun === 'none') await leaveNote(client, node, decision, teller, signal);
      return written(decision);
    } catch (error) {
      signal.throwIfAborted();
      return notWritten(decision, error);
    }
  });
}

/** The change is made by then: a note that cannot be left is no failure. */
async function leaveNote(
  client: KubeClient,
  node: V1Node,
  change: Change,
  teller: Pick<TunnelTeller, 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await recordEvent(client, node, noteOf(change), signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    teller.warn(`${change.node}: the event could not be written: ${reason}`);
  }
}

function noteOf({before, after}: Change) {
  const was = before === undefined ? 'not set before' : `"${before}" before`;
  const reason = after === undefined ? 'TunnelInterfaceRemoved' : 'TunnelInterfaceSet';
  const message = after === undefined ? 'Tunnel interface removed' : `Tunnel interface set to "${after}"`;
  return {reason, message: `${message} with kubectl win (${was})`, warning: false};
}
