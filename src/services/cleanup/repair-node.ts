import type {V1Node} from '@kubernetes/client-node';
import {isTemporary} from '../../kube/api-errors.js';
import {apiPath} from '../../lib/api-path.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {pause} from '../../lib/pause.js';
import type {RepairPlan} from '../../model/repair-plan.js';
import type {CheckedNode} from '../../model/result.js';
import {type Verification, verify} from '../../repair/plan/verify.js';
import type {Inspection} from '../../session/inspection.js';
import {applyPlan, type Track} from './apply-plan.js';
import {recordEvent} from './client-steps.js';
import type {CleanupPorts} from './ports.js';
import {checkAgain, type Ready} from './prepare-plans.js';
import type {NodeOutcome} from './result.js';

const pauseBetweenLooks = 3000;

/** Carries out one node's plan, inspects the node again, and says what became of it. Interruption alone is thrown. */
export async function repairNode(
  inspection: Inspection,
  {plan, checked}: Ready,
  options: {verifyTimeout: number; maxUnavailable: number},
  ports: Pick<CleanupPorts, 'openStepReporter'>,
): Promise<NodeOutcome> {
  const {node} = plan;
  const reporter = await ports.openStepReporter(node, plan, {alone: options.maxUnavailable === 1});
  const track: Track = {stage: 'before', cordoned: false, mayBeCordoned: false};
  let outcome: NodeOutcome;
  try {
    await applyPlan(inspection, plan, reporter, {verifyTimeout: options.verifyTimeout, track});
    reporter.looking();
    const verification = await verifyUntilClear(inspection, checked, plan, options.verifyTimeout);
    const repaired = verification.verdict === 'repaired';
    outcome = {
      node,
      state: repaired ? 'repaired' : 'failed',
      message: repaired ? '' : afterText(verification),
      plan,
      verification,
    };
  } catch (error) {
    if (inspection.signal.aborted) throw interruption(inspection.signal, plan, track);
    if (!(error instanceof WinError)) throw error;
    outcome = {
      node,
      state: 'failed',
      message: [error.message, ...error.next, ...cordoned(track, node)].join(' '),
      plan,
    };
  } finally {
    reporter.end();
  }
  await tellOnNode(inspection, plan, outcome);
  return outcome;
}

/** What an interrupted run leaves behind: the node continues on its own, and how to see it. */
function interruption({reason}: AbortSignal, {node, after}: RepairPlan, track: Track): WinError {
  const said = {
    before: `interrupted: nothing was done to the network of ${node}.`,
    node: `interrupted: ${node} continues its plan on its own.`,
    after: `interrupted: the steps of ${node} itself are done, those of the client after it may not be.`,
  }[track.stage];
  return new WinError(said, {
    exit: reason instanceof WinError ? reason.exit : ExitCode.uninspected,
    next: [
      ...(track.stage === 'node' ? [`See how it goes: kubectl win cleanup ${node} --status`] : []),
      ...(track.stage === 'before' || after.length === 0
        ? []
        : [`Then look what is left to do: kubectl win cleanup ${node}`]),
      ...cordoned(track, node),
    ],
  });
}

function cordoned(track: Track, node: string): string[] {
  const command = `kubectl win cleanup ${node}`;
  if (track.cordoned) return [`${node} stays cordoned; to uncordon it once it is healthy: ${command}`];
  return track.mayBeCordoned
    ? [
        `${node} may have been cordoned: kubectl get node ${node} shows it; to uncordon it once it is healthy: ${command}`,
      ]
    : [];
}

/** Looks again until it can be told: agents need their time, and what settles is no failure yet. */
async function verifyUntilClear(
  inspection: Inspection,
  before: CheckedNode,
  plan: RepairPlan,
  limit: number,
): Promise<Verification> {
  const until = Date.now() + limit;
  for (;;) {
    const after = await lookAgain(inspection, plan.node);
    const late = Date.now() > until;
    if (typeof after === 'string') {
      if (late) throw new WinError(`${plan.node} could not be read again: ${after}`, {exit: ExitCode.problems});
    } else {
      const verification = verify(before.results, after.results, plan);
      if (verification.verdict === 'repaired' || late) return verification;
    }
    await pause(pauseBetweenLooks, inspection.signal);
  }
}

/** The node as it is now, or why it could not be read. */
async function lookAgain(inspection: Inspection, node: string): Promise<CheckedNode | string> {
  try {
    return checkAgain(await inspection.read([node]), node);
  } catch (error) {
    inspection.signal.throwIfAborted();
    if (!isTemporary(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

function afterText({stayed, fresh, unclear}: Verification): string {
  const ids = (results: readonly {id: string}[]) => [...new Set(results.map(({id}) => id))].join(', ');
  return [
    stayed.length > 0 && `still failing: ${ids(stayed)}`,
    fresh.length > 0 && `new: ${ids(fresh)}`,
    unclear.length > 0 && `undetermined: ${ids(unclear)}`,
  ]
    .filter(Boolean)
    .join('; ');
}

async function tellOnNode(
  {client, signal}: Inspection,
  plan: RepairPlan,
  {state, message}: NodeOutcome,
): Promise<void> {
  const repaired = state === 'repaired';
  const text = `${plan.createdBy ?? 'someone'} ran a ${plan.level} cleanup (plan ${plan.id}): ${repaired ? `repaired ${plan.repairs.join(', ') || 'what an earlier run had left'}` : message}`;
  try {
    const node = await client.get<V1Node>(apiPath`/api/v1/nodes/${plan.node}`, {signal});
    await recordEvent(
      client,
      node,
      {reason: repaired ? 'NetworkCleanup' : 'NetworkCleanupFailed', message: text, warning: !repaired},
      signal,
    );
  } catch {
    // The event is a courtesy to the next person; the outcome is on the screen.
    signal.throwIfAborted();
  }
}
