import type {V1Node} from '@kubernetes/client-node';
import {cordonMark} from '../../checks/cordon.js';
import {isConflict, isTemporary} from '../../kube/api-errors.js';
import {persisting} from '../../kube/retry.js';
import {apiPath} from '../../lib/api-path.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {pause} from '../../lib/pause.js';
import type {RepairPlan} from '../../model/repair-plan.js';
import type {CheckedNode} from '../../model/result.js';
import type {ClientStepName} from '../../model/step.js';
import {type Verification, verify} from '../../repair/plan/verify-repair.js';
import type {Inspection} from '../../session/inspection.js';
import {applyPlan, type Track} from './apply-plan.js';
import {type Author, type ChangeContext, recordChange} from './audit.js';
import type {CleanupPorts, StepReporter} from './cleanup-ports.js';
import type {NodeOutcome} from './cleanup-result.js';
import {lockNode, type NodeLock, NodeLocked} from './node-lock.js';
import {checkAgain, isOutcome, prepareFromFile, type Ready} from './prepare-plans.js';

const pauseBetweenLooks = 3000;
const recordWithinMs = 30_000;
const takeBackWithinMs = 8000;

interface RepairOptions {
  readonly verifyTimeout: number;
  readonly maxUnavailable: number;
  readonly author: Author;
}

/** Runs one node's plan, inspects the node again, and returns the outcome. Only an interruption is thrown. */
export async function repairNode(
  inspection: Inspection,
  ready: Ready,
  options: RepairOptions,
  ports: Pick<CleanupPorts, 'openStepReporter'>,
): Promise<NodeOutcome> {
  const {plan} = ready;
  const {client, signal} = inspection;
  const reporter = await ports.openStepReporter(plan.node, plan, {alone: options.maxUnavailable === 1});
  try {
    const holder = {plan: plan.id, by: options.author.by};
    const lock = await lockNode(client, plan.node, holder, {signal, onWait: why => reporter.note(why)});
    try {
      const stale = lock.waited ? await movedOn(inspection, plan) : undefined;
      return stale ?? (await repairLocked(inspection, ready, options, reporter, lock));
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof WinError)) throw error;
    const message = [error.message, ...error.next].join('\n');
    return {node: plan.node, state: error instanceof NodeLocked ? 'refused' : 'failed', message, plan};
  } finally {
    reporter.end();
  }
}

/** Another repair ran since the node was read: the plan is for the earlier state. */
async function movedOn(inspection: Inspection, plan: RepairPlan): Promise<NodeOutcome | undefined> {
  const [prepared] = prepareFromFile(await inspection.read([plan.node]), [plan], plan.forced);
  return prepared && isOutcome(prepared) ? {...prepared, plan} : undefined;
}

async function repairLocked(
  inspection: Inspection,
  {plan, checked}: Ready,
  {verifyTimeout, author}: RepairOptions,
  reporter: StepReporter,
  lock: NodeLock,
): Promise<NodeOutcome> {
  const {node} = plan;
  const {client, run} = inspection;
  const signal = AbortSignal.any([inspection.signal, lock.lost]);
  const occasion: ChangeContext = {node, plan: plan.id, hash: plan.hash, author};
  const note = async (reason: string, message: string, warning = false) => {
    try {
      // Record also what an interrupted run still does.
      const own = signal.aborted ? AbortSignal.timeout(takeBackWithinMs) : signal;
      await recordChange(client, occasion, {reason, message, warning}, {signal: own});
    } catch (error) {
      if (!signal.aborted)
        reporter.note(`Could not write the Event on the Node: ${error instanceof Error ? error.message : error}`);
    }
  };
  const does = (steps: RepairPlan['after'], what: ClientStepName) => steps.some(step => step.do === what);
  const leftCordoned = does(plan.after, 'node.uncordon') && !does(plan.before, 'node.cordon');
  const track: Track = {stage: 'before', cordoned: false, mayBeCordoned: false, leftCordoned};
  let outcome: NodeOutcome;
  try {
    await begin(inspection, occasion, plan);
    const onChange = (message: string) => note('NetworkRepairStep', message);
    await applyPlan({client, run, signal}, plan, reporter, {
      verifyTimeout,
      track,
      onChange,
      isOurs: () => !lock.lost.aborted,
    });
    reporter.looking();
    const verification = await verifyUntilClear(inspection, checked, plan, verifyTimeout);
    const repaired = verification.verdict === 'repaired';
    outcome = {
      node,
      state: repaired ? 'repaired' : 'failed',
      message: repaired ? '' : afterText(verification),
      plan,
      verification,
    };
  } catch (error) {
    lock.lost.throwIfAborted();
    if (inspection.signal.aborted) {
      await takeCordonBack(inspection, occasion, track);
      throw interruption(inspection.signal, plan, track);
    }
    if (!(error instanceof WinError)) throw error;
    outcome = {
      node,
      state: 'failed',
      message: [error.message, ...error.next, ...cordoned(track, node)].join('\n'),
      plan,
    };
  }
  const repaired = outcome.state === 'repaired';
  const ending = repaired
    ? `repaired ${plan.repairs.join(', ') || 'what an earlier run had left unfinished'}`
    : outcome.message.replaceAll('\n', ' ');
  const text = `${plan.createdBy ?? 'someone'} ran a ${plan.level} cleanup (plan ${plan.id}): ${ending}`;
  await note(repaired ? 'NetworkCleanup' : 'NetworkCleanupFailed', text, !repaired);
  return outcome;
}

/** Records the start of the repair. If that fails, nothing is changed. */
async function begin({client, signal}: Inspection, occasion: ChangeContext, plan: RepairPlan): Promise<void> {
  const steps = [...plan.before, ...plan.steps, ...plan.after].map(step => step.do).join(', ');
  const message = `Repair started (level ${plan.level}): ${steps}.`;
  const write = () => recordChange(client, occasion, {reason: 'NetworkRepairStarted', message}, {signal});
  try {
    await persisting(write, {until: performance.now() + recordWithinMs, signal});
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new WinError(`Nothing was changed, because the Event on ${plan.node} could not be written: ${reason}`, {
      exit: ExitCode.problems,
      cause: error,
    });
  }
}

/** Uncordons the node if the run is interrupted before the node's steps began. Gives up after a short time. */
async function takeCordonBack({client}: Inspection, occasion: ChangeContext, track: Track): Promise<void> {
  if (track.stage !== 'before' || !(track.cordoned || track.mayBeCordoned)) return;
  const path = apiPath`/api/v1/nodes/${occasion.node}`;
  const signal = AbortSignal.timeout(takeBackWithinMs);
  const takeBack = async () => {
    const {metadata} = await client.get<V1Node>(path, {signal});
    if (metadata?.annotations?.[cordonMark] !== occasion.plan) return;
    const {resourceVersion} = metadata;
    const patch = {metadata: {resourceVersion, annotations: {[cordonMark]: null}}, spec: {unschedulable: null}};
    await client.patch(path, 'merge', patch, {signal});
    await recordChange(
      client,
      occasion,
      {reason: 'NetworkRepairStep', message: `Interrupted: uncordoned ${occasion.node}.`},
      {signal},
    ).catch(() => {});
  };
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    try {
      await takeBack();
      track.cordoned = false;
      track.mayBeCordoned = false;
      return;
    } catch (error) {
      if (!isConflict(error)) return;
    }
  }
}

/** Describes the state in which an interrupted run leaves the node, and how to continue. */
function interruption({reason}: AbortSignal, {node, after}: RepairPlan, track: Track): WinError {
  const how = reason instanceof WinError ? 'interrupted' : 'timed out (--timeout)';
  const message = {
    before: `${how}: the network of ${node} was not changed${track.cordoned || track.mayBeCordoned || track.leftCordoned ? '' : ', and the node is not cordoned'}.`,
    node: `${how}: ${node} continues to run its plan.`,
    after: `${how}: the steps on ${node} are done; the client steps after them may not be.`,
  }[track.stage];
  return new WinError(message, {
    exit: reason instanceof WinError ? reason.exit : ExitCode.uninspected,
    cause: reason,
    next: [
      ...(track.stage === 'node' ? [`Show its progress: kubectl win cleanup ${node} --status`] : []),
      ...(track.stage === 'before' || after.length === 0
        ? []
        : [`Then check what is left to do: kubectl win cleanup ${node}`]),
      ...cordoned(track, node),
    ],
  });
}

function cordoned(track: Track, node: string): string[] {
  const command = `kubectl win cleanup ${node}`;
  if (track.cordoned || track.leftCordoned)
    return [`${node} stays cordoned. To uncordon it once it is healthy: ${command}`];
  return track.mayBeCordoned
    ? [`${node} may be cordoned; check with: kubectl get node ${node}. To uncordon it once it is healthy: ${command}`]
    : [];
}

/** Inspects the node until it is healthy or time is up: agents need time to restore the network. */
async function verifyUntilClear(
  inspection: Inspection,
  before: CheckedNode,
  plan: RepairPlan,
  limit: number,
): Promise<Verification> {
  const until = performance.now() + limit;
  for (;;) {
    const after = await lookAgain(inspection, plan.node);
    const late = performance.now() > until;
    if (typeof after === 'string') {
      if (late) throw new WinError(`${plan.node} could not be verified: ${after}`, {exit: ExitCode.problems});
    } else {
      const verification = verify(before.results, after.results, plan);
      if (verification.verdict === 'repaired' || late) return verification;
    }
    await pause(pauseBetweenLooks, inspection.signal);
  }
}

/** The node in its current state, or why it could not be read. */
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
