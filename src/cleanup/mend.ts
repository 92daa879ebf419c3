import type {V1Node} from '@kubernetes/client-node';
import {apiPath} from '../cluster/api-path.js';
import {pause} from '../cluster/pause.js';
import type {Inspection} from '../doctor/inspect.js';
import {ExitCode, WinError} from '../errors.js';
import type {RepairPlan} from '../repair/repair-plan.js';
import {type Verification, verify} from '../repair/verify.js';
import type {Streams} from '../streams.js';
import {applyPlan} from './apply.js';
import {recordEvent} from './client-steps.js';
import type {NodeOutcome} from './outcome.js';
import {type Judged, judgeOne, type Ready} from './prepare.js';
import {chooseTeller} from './tell.js';

const pauseBetweenLooks = 3000;

/** Carries out one node's plan, looks at the node again, and says what became of it. Interruption alone is thrown. */
export async function mendNode(
  inspection: Inspection,
  {plan, judged}: Ready,
  options: {verifyTimeout: number; maxUnavailable: number},
  streams: Streams,
): Promise<NodeOutcome> {
  const {node} = plan;
  const teller = await chooseTeller(node, plan, streams, {alone: options.maxUnavailable === 1});
  let outcome: NodeOutcome;
  try {
    await applyPlan(inspection, plan, teller);
    teller.looking();
    const verification = await verifyUntilClear(inspection, judged, plan, options.verifyTimeout);
    const mended = verification.verdict === 'mended';
    outcome = {
      node,
      state: mended ? 'mended' : 'failed',
      message: mended ? '' : afterText(verification),
      plan,
      verification,
    };
  } catch (error) {
    tellHowToLookAgain(inspection.signal, plan);
    if (!(error instanceof WinError)) throw error;
    outcome = {node, state: 'failed', message: [error.message, ...error.next].join(' '), plan};
  } finally {
    teller.end();
  }
  await tellOnNode(inspection, plan, outcome);
  return outcome;
}

/** The node goes on by itself when we are interrupted: say so, and how to see it. */
function tellHowToLookAgain(signal: AbortSignal, {node}: RepairPlan): void {
  if (!signal.aborted) return;
  const {reason} = signal;
  const exit = reason instanceof WinError ? reason.exit : ExitCode.uninspected;
  throw new WinError(`interrupted: ${node} carries its plan out by itself.`, {
    exit,
    next: [`See how it goes: kubectl win cleanup ${node} --status`],
  });
}

/** Looks again until it can be told: agents need their time, and what settles is no failure yet. */
async function verifyUntilClear(
  inspection: Inspection,
  before: Judged,
  plan: RepairPlan,
  limit: number,
): Promise<Verification> {
  const until = Date.now() + limit;
  for (;;) {
    const after = judgeOne(await inspection.read([plan.node]), plan.node);
    const late = Date.now() > until;
    if (typeof after === 'string') {
      if (late) throw new WinError(`${plan.node} could not be read again: ${after}`, {exit: ExitCode.problems});
    } else {
      const verification = verify(before.results, after.results, plan);
      if (verification.verdict === 'mended' || late) return verification;
    }
    await pause(pauseBetweenLooks, inspection.signal);
  }
}

function afterText({stayed, fresh, unclear}: Verification): string {
  const ids = (results: readonly {id: string}[]) => [...new Set(results.map(({id}) => id))].join(', ');
  return [
    stayed.length > 0 && `still wrong: ${ids(stayed)}`,
    fresh.length > 0 && `new: ${ids(fresh)}`,
    unclear.length > 0 && `cannot be told: ${ids(unclear)}`,
  ]
    .filter(Boolean)
    .join('; ');
}

async function tellOnNode(
  {client, signal}: Inspection,
  plan: RepairPlan,
  {state, message}: NodeOutcome,
): Promise<void> {
  const mended = state === 'mended';
  const text = `${plan.createdBy ?? 'somebody'} ran a ${plan.level} cleanup (plan ${plan.id}): ${mended ? `mended ${plan.mends.join(', ')}` : message}`;
  try {
    const node = await client.get<V1Node>(apiPath`/api/v1/nodes/${plan.node}`, {signal});
    await recordEvent(
      client,
      node,
      {reason: mended ? 'NetworkCleanup' : 'NetworkCleanupFailed', message: text, warning: !mended},
      signal,
    );
  } catch {
    // The event is a courtesy to the next person; the outcome is on the screen.
    signal.throwIfAborted();
  }
}
