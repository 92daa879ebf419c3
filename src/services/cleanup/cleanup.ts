import {checkPlan} from '../../helper/plan-requests.js';
import {WinError} from '../../lib/errors.js';
import {nodePlan, type RepairPlan, withManualPart} from '../../model/repair-plan.js';
import {plugins} from '../../plugins/all.js';
import {requireAccess, requireHelperAccess} from '../../session/access.js';
import {type Inspection, type InspectOptions, withInspection} from '../../session/inspection.js';
import {withProgress} from '../../session/progress.js';
import {need} from '../../session/rights.js';
import {nodesIn, readSnapshotFile} from '../../session/snapshot-file.js';
import type {SnapshotDocument} from '../../snapshot/document.js';
import {type Author, authorOf} from './audit.js';
import type {CleanupPorts, Consent} from './cleanup-ports.js';
import type {CleanupResult, NodeOutcome, PlannedRepair} from './cleanup-result.js';
import {clientStepNeeds, repairNeeds} from './client-step-needs.js';
import {continuePlans} from './continue-plans.js';
import {historyOf} from './history.js';
import {withHelperOn} from './node-connection.js';
import {readPlanFile} from './plan-file.js';
import {plansOnNodes} from './plans-on-nodes.js';
import {
  hasProblems,
  isOutcome,
  isReady,
  type PlanningOptions,
  type Prepared,
  prepare,
  prepareFromFile,
  type Ready,
} from './prepare-plans.js';
import {repairNode} from './repair-node.js';

export interface CleanupOptions extends InspectOptions, PlanningOptions, Consent {
  readonly dryRun?: 'client' | 'server' | undefined;
  readonly planFile?: string | undefined;
  /** A snapshot file to plan from, for nodes that cannot run a helper: the plan is run manually on the node. */
  readonly from?: string | undefined;
  readonly maxUnavailable: number;
  /** How long to wait for a node to become healthy after its plan has run. */
  readonly verifyTimeout: number;
  /** What to do with plans that are on the nodes already. */
  readonly existing?: 'status' | 'history' | 'resume' | 'rollback' | undefined;
}

/** `kubectl win cleanup`: snapshot, plan, review, apply, verify. */
export async function cleanup(
  options: CleanupOptions,
  ports: CleanupPorts,
  signal: AbortSignal,
): Promise<CleanupResult> {
  if (options.from !== undefined) return planFromSnapshot(options, options.from, ports, signal);
  const plans = options.planFile === undefined ? undefined : await readPlanFile(options.planFile);
  const inspecting = plans ? {...options, names: plans.map(({node}) => node), selector: undefined} : options;
  return withProgress(ports.openProgress, progress =>
    withInspection(inspecting, progress, signal, async (inspection): Promise<CleanupResult> => {
      const {existing} = options;
      if (existing) {
        const {client} = inspection;
        await requireAccess(client, [need('look', 'list nodes'), need('repair', 'get nodes')], {
          signal: inspection.signal,
        });
        await requireHelperAccess(client, options.helperNamespace, {signal: inspection.signal});
      }
      if (existing === 'history') return {kind: 'history', nodes: await historyOf(inspection, options)};
      if (existing === 'status') return {kind: 'status', nodes: await plansOnNodes(inspection, options)};
      if (existing) {
        const nodes = await continuePlans(inspection, existing, options, ports, progress);
        return {kind: 'continued', how: existing, nodes};
      }
      const inspected = await inspection.read();
      progress.end();
      const author = await authorOf(inspection.client, {signal: inspection.signal});
      const prepared = plans
        ? prepareFromFile(inspected, plans, options.force)
        : prepare(inspected, {...options, author});
      const named = options.names.length > 0 || plans !== undefined;
      const concerned = named ? prepared : prepared.filter(one => hasProblems(one, inspected));
      if (concerned.length === 0) return {kind: 'nothing to do'};
      return options.dryRun
        ? dryRun(inspection, concerned, options.dryRun)
        : runPlans(inspection, concerned, {...options, author}, ports);
    }),
  );
}

/**
 * Plans for nodes whose snapshot was collected manually. The helper script does not read the cluster, but no plan is safe
 * without it: if the file has no cluster, it is read now. No helper is started, and nothing is run.
 */
async function planFromSnapshot(
  options: CleanupOptions,
  path: string,
  ports: CleanupPorts,
  signal: AbortSignal,
): Promise<CleanupResult> {
  const file = await readSnapshotFile(path);
  const {names, failures} = nodesIn(file, path, options.names);
  const {cluster} = file.cluster ? file : await clusterOf({...options, names, helper: false}, ports, signal);
  const document = {...file, ...(cluster && {cluster})};
  const prepared = prepare({document, names, failures}, options);
  return {
    kind: 'planned',
    plans: prepared.filter(isReady).map(({plan}) => ({plan: withManualPart(plan)})),
    outcomes: prepared.filter(isOutcome),
  };
}

const clusterOf = (options: InspectOptions, ports: CleanupPorts, signal: AbortSignal): Promise<SnapshotDocument> =>
  withProgress(ports.openProgress, progress =>
    withInspection(options, progress, signal, async inspection => (await inspection.read()).document),
  );

/** The plans that would run; with `server`, each node validates its steps. */
async function dryRun(
  inspection: Inspection,
  prepared: readonly Prepared[],
  how: 'client' | 'server',
): Promise<CleanupResult> {
  const plans: PlannedRepair[] = [];
  for (const {plan} of prepared.filter(isReady))
    plans.push(how === 'server' ? {plan, answers: await answersOf(inspection, plan)} : {plan});
  return {kind: 'planned', plans, outcomes: prepared.filter(isOutcome)};
}

async function answersOf(inspection: Inspection, plan: RepairPlan): Promise<NonNullable<PlannedRepair['answers']>> {
  const onNode = nodePlan(plan);
  if (!onNode) return 'nothing to check';
  return withHelperOn(inspection, plan.node, session => checkPlan(session, onNode, inspection.signal));
}

/** Runs plans on `maxUnavailable` nodes at a time. The next node starts after one was verified; a failure stops the run. */
async function runPlans(
  inspection: Inspection,
  prepared: readonly Prepared[],
  options: CleanupOptions & {readonly author: Author},
  ports: CleanupPorts,
): Promise<CleanupResult> {
  const ready = prepared.filter(isReady);
  const outcomes = new Map<string, NodeOutcome>(prepared.filter(isOutcome).map(outcome => [outcome.node, outcome]));
  await requirePlanAccess(
    inspection,
    ready.map(({plan}) => plan),
  );
  const queue: Ready[] = [];
  for (const one of ready) {
    if (await ports.agreeTo(one.plan, options, inspection.signal)) queue.push(one);
    else outcomes.set(one.plan.node, {node: one.plan.node, state: 'declined', message: '', plan: one.plan});
  }
  let stopped: string | undefined;
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const {node} = next.plan;
      if (stopped !== undefined) {
        outcomes.set(node, {node, state: 'untouched', message: `the run stopped at ${stopped}`, plan: next.plan});
        continue;
      }
      const outcome = await repairNode(inspection, next, options, ports);
      outcomes.set(node, outcome);
      if (outcome.state !== 'repaired') stopped ??= node;
    }
  };
  await Promise.all(Array.from({length: Math.min(options.maxUnavailable, queue.length)}, worker));
  const inOrder = prepared
    .map(one => outcomes.get(isOutcome(one) ? one.node : one.plan.node))
    .filter(outcome => outcome !== undefined);
  return {kind: 'run', outcomes: inOrder};
}

/** Before the first change, checks that the user may do everything the plans do through the API. */
async function requirePlanAccess({client, signal}: Inspection, plans: readonly RepairPlan[]): Promise<void> {
  const steps = plans.flatMap(({before, after}) => [...before, ...after]);
  const needs = [...(plans.length > 0 ? repairNeeds() : []), ...steps.flatMap(clientStepNeeds)];
  await requireAccess(client, needs, {signal});
}

export function existingMode(options: {
  status: boolean;
  resume: boolean;
  rollback: boolean;
  history: boolean;
}): CleanupOptions['existing'] {
  const chosen = (['status', 'history', 'resume', 'rollback'] as const).filter(name => options[name]);
  if (chosen.length > 1) throw new WinError(`--${chosen.join(' and --')} cannot be combined.`);
  return chosen[0];
}

/** Validates `--cni`. */
export function pluginNamed(name: string | undefined): PlanningOptions['plugin'] {
  const names = plugins.map(plugin => plugin.name);
  if (name === undefined || names.includes(name)) return name;
  throw new WinError(`unknown network plugin "${name}" (--cni).`, {next: [`Choose one of: ${names.join(', ')}.`]});
}
