import {checkPlan} from '../../helper/plans.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import type {Streams} from '../../lib/streams.js';
import {plain} from '../../lib/untrusted.js';
import {nodePlan, type RepairPlan} from '../../model/repair-plan.js';
import {plugins} from '../../plugins/all.js';
import {requireAccess} from '../../session/access.js';
import {type Inspection, type InspectOptions, withInspection} from '../../session/inspection.js';
import {chooseProgress} from '../../session/progress.js';
import {renderPlan} from '../../view/text/plan.js';
import {printDocument} from '../../view/text/print.js';
import type {TextOptions} from '../../view/text/report.js';
import {table} from '../../view/text/table.js';
import type {Consent} from './confirm.js';
import {agreed} from './confirm.js';
import {exitCodeOf, type NodeOutcome, printOutcomes, renderOutcomes} from './outcome.js';
import {type Done, showPlans, withSession} from './plans-on-nodes.js';
import {
  hasProblems,
  isOutcome,
  isReady,
  type PlanningOptions,
  type Prepared,
  prepare,
  prepareFromFile,
  type Ready,
  readPlans,
} from './prepare.js';
import {mendNode} from './repair-node.js';
import {goOn} from './resume.js';

export interface CleanupOptions extends InspectOptions, PlanningOptions, Consent {
  readonly dryRun?: 'client' | 'server' | undefined;
  readonly planFile?: string | undefined;
  readonly maxUnavailable: number;
  /** How long a node may take to be well again after its plan has run. */
  readonly verifyTimeout: number;
  /** What to do with plans that are on the nodes already. */
  readonly existing?: 'status' | 'resume' | 'rollback' | undefined;
  readonly format?: string | undefined;
  readonly text: TextOptions;
}

/** `kubectl win cleanup`: snapshot, plan, review, apply, verify. */
export async function runCleanup(options: CleanupOptions, streams: Streams, signal: AbortSignal): Promise<Done> {
  const plans = options.planFile === undefined ? undefined : await readPlans(options.planFile);
  const inspecting = plans ? {...options, names: plans.map(({node}) => node), selector: undefined} : options;
  const progress = await chooseProgress(streams, {quiet: true});
  try {
    return await withInspection(inspecting, progress, signal, async inspection => {
      if (options.existing === 'status') return await showPlans(inspection, options);
      if (options.existing) return await goOn(inspection, options.existing, options, streams);
      const inspected = await inspection.read();
      progress.end();
      const prepared = plans ? prepareFromFile(inspected, plans, options.force) : prepare(inspected, options);
      const named = options.names.length > 0 || plans !== undefined;
      const concerned = named ? prepared : prepared.filter(one => hasProblems(one, inspected));
      if (concerned.length === 0)
        return {
          output: 'Nothing to do: no Windows node has a problem that a cleanup could mend.\n',
          exitCode: ExitCode.ok,
        };
      if (options.dryRun) return await dryRun(inspection, concerned, options);
      return await carryOut(inspection, concerned, options, streams);
    });
  } finally {
    progress.end();
  }
}

/** Shows what would be done; with `server`, each node is asked what it would say to every step. */
async function dryRun(inspection: Inspection, prepared: readonly Prepared[], options: CleanupOptions): Promise<Done> {
  const outcomes = prepared.filter(isOutcome);
  const ready = prepared.filter(isReady);
  const exitCode = exitCodeOf(outcomes);
  if (options.format === 'json' || options.format === 'yaml') {
    const documents = ready.map(({plan}) => plan);
    const [only] = documents;
    const whole = documents.length === 1 ? only : {apiVersion: 'kubectl-win/v1', kind: 'List', items: documents};
    return {output: printDocument(whole, options.format), exitCode};
  }
  const pages: string[] = [];
  for (const {plan} of ready) {
    pages.push(renderPlan(plan, options.text));
    if (options.dryRun === 'server') pages.push(await answersOf(inspection, plan));
  }
  const rest = outcomes.length > 0 ? renderOutcomes(outcomes) : '';
  return {output: [...pages, rest].filter(page => page !== '').join('\n'), exitCode};
}

async function answersOf(inspection: Inspection, plan: RepairPlan): Promise<string> {
  const onNode = nodePlan(plan);
  if (!onNode) return 'The node itself has no step to check.\n';
  return withSession(inspection, plan.node, async session => {
    const checks = await checkPlan(session, onNode, inspection.signal);
    const first = plan.before.length + 1;
    return table(
      ['#', 'STEP', 'ON THE NODE', 'BECAUSE'],
      checks.map(({step, do: what, outcome, message}) => [String(first + step), what, outcome, plain(message)]),
    );
  });
}

/** One node after the other, or a few at once: the next begins only when the last is verified, and none after a failure. */
async function carryOut(
  inspection: Inspection,
  prepared: readonly Prepared[],
  options: CleanupOptions,
  streams: Streams,
): Promise<Done> {
  const ready = prepared.filter(isReady);
  const outcomes = new Map<string, NodeOutcome>(prepared.filter(isOutcome).map(outcome => [outcome.node, outcome]));
  await requirePlanAccess(
    inspection,
    ready.map(({plan}) => plan),
  );
  const queue: Ready[] = [];
  for (const one of ready) {
    if (await agreed(one.plan, options, streams, inspection.signal)) queue.push(one);
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
      const outcome = await mendNode(inspection, next, options, streams);
      outcomes.set(node, outcome);
      if (outcome.state !== 'mended') stopped ??= node;
    }
  };
  await Promise.all(Array.from({length: Math.min(options.maxUnavailable, queue.length)}, worker));
  const inOrder = prepared
    .map(one => outcomes.get(isOutcome(one) ? one.node : one.plan.node))
    .filter(outcome => outcome !== undefined);
  const output =
    options.format === 'json' || options.format === 'yaml'
      ? printOutcomes(inOrder, options.format)
      : renderOutcomes(inOrder);
  const worked = inOrder.some(({state}) => state === 'mended' || state === 'failed');
  return {output, exitCode: exitCodeOf(inOrder), worked};
}

/** Before the first change: everything that the plans do through the API must be allowed. */
async function requirePlanAccess({client, signal}: Inspection, plans: readonly RepairPlan[]): Promise<void> {
  const steps = plans.flatMap(({before, after}) => [...before, ...after]);
  const namespaces = [...new Set(steps.flatMap(step => (step.do === 'pod.delete' ? [step.with.namespace] : [])))];
  const needs = [
    ...(steps.some(step => step.do === 'node.cordon' || step.do === 'node.uncordon')
      ? [{verb: 'patch', resource: 'nodes'}]
      : []),
    ...(steps.some(step => step.do === 'node.drain') ? [{verb: 'create', resource: 'pods/eviction'}] : []),
    ...namespaces.map(namespace => ({verb: 'delete', resource: 'pods', namespace})),
  ];
  if (needs.length === 0) return;
  await requireAccess(
    client,
    needs,
    ["Ask an administrator for the role kubectl-win-repair of kubectl win's manifests/rbac.yaml."],
    {signal},
  );
}

export function existingMode(options: {
  status: boolean;
  resume: boolean;
  rollback: boolean;
}): 'status' | 'resume' | 'rollback' | undefined {
  const chosen = (['status', 'resume', 'rollback'] as const).filter(name => options[name]);
  if (chosen.length > 1) throw new WinError(`--${chosen.join(' and --')} cannot be given together.`);
  return chosen[0];
}

/** `--cni` as one that there is. */
export function pluginNamed(name: string | undefined): PlanningOptions['plugin'] {
  const names = plugins.map(plugin => plugin.name);
  if (name === undefined || names.includes(name)) return name;
  throw new WinError(`there is no network plugin "${name}".`, {next: [`Choose one of: ${names.join(', ')}.`]});
}
