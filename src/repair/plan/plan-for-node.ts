import {cordonedBy} from '../../checks/cordon.js';
import {names} from '../../lib/names.js';
import type {NodeSubject} from '../../model/check.js';
import {type Level, levels} from '../../model/level.js';
import {isRefusal, type NodeRepair, type Refusal, refusal} from '../../model/plugin-cleanup.js';
import type {RepairPlan} from '../../model/repair-plan.js';
import type {Result} from '../../model/result.js';
import {assemble} from './assemble-plan.js';
import {asRunning, nodeRepairOf} from './node-repair.js';
import {
  allRead,
  clusterFirst,
  noBlockingProblems,
  onePlugin,
  refusedUnread,
  settled,
  unfinishedPlans,
} from './plan-conditions.js';
import {isProblem, neededLevel, type Repairable, repairables, repairedBy} from './repairable-findings.js';

export interface PlanOptions {
  /** `auto`: the mildest level that repairs the findings. */
  readonly level: 'auto' | Level;
  readonly force?: boolean;
  /** Whether pods are evicted before the node's steps begin. */
  readonly drain?: boolean;
  /** The plugin that the node should run, if it has traces of several. */
  readonly plugin?: string | undefined;
  /** Findings about the whole cluster that explain some of the node's. */
  readonly ofCluster?: readonly Result[];
  /** host:port of the API server as nodes reach it; default: the endpoints of the Service `kubernetes`. */
  readonly apiServer?: string | undefined;
  readonly id: string;
  /** False if the plan is only examined: it then gets no hash, which takes longer to compute than the plan itself. */
  readonly isExecuted?: boolean;
  readonly now: Date;
  readonly by?: string | undefined;
  /** The kubeconfig context. */
  readonly context?: string | undefined;
}

export type PlanOutcome =
  | {readonly kind: 'nothing'; readonly why: string}
  | {readonly kind: 'refused'; readonly reasons: readonly Refusal[]}
  | {readonly kind: 'plan'; readonly plan: RepairPlan};

/** The repair plan of a node, from its data and the results of its checks. Pure: the same input gives the same plan. */
export function planFor(read: NodeSubject, results: readonly Result[], options: PlanOptions): PlanOutcome {
  try {
    return makePlan(read, results, options);
  } catch (error) {
    return refused(refusedUnread(error));
  }
}

function makePlan(read: NodeSubject, results: readonly Result[], options: PlanOptions): PlanOutcome {
  const {force = false, drain = false, ofCluster = []} = options;
  const {node} = read;
  if (!read.plugin.plugin?.cleanup)
    return refused(
      refusal(`The network plugin of ${node.name} was not recognised, so its objects are unknown.`, {
        next: `kubectl win doctor ${node.name} -v shows what was read.`,
      }),
    );
  const subject = asRunning(read, options.plugin);
  if (!subject) return refused(refusal(`${node.name} has no traces of ${options.plugin}.`));
  const unfinished = unfinishedPlans(subject, force);
  if (unfinished.length > 0) return refused(...unfinished);

  const all = repairables(results, nodeRepairOf(subject, results, {level: 'soft', force, drain, repaired: []}));
  const chosen = chooseLevel(all, options.level, force);
  if (chosen === undefined)
    return (
      onlyUncordon(subject, results, options) ?? nothing(subject, whyNothing(node.name, [...ofCluster, ...results]))
    );
  if (typeof chosen !== 'string') return refused(chosen);

  const repaired = repairedBy(all, chosen);
  const jobAt = (level: Level) => nodeRepairOf(subject, results, {level, force, drain, repaired});
  const obstacles = [
    ...obstaclesTo(jobAt(chosen), results, options.plugin),
    ...clusterFirst(repaired, results, ofCluster, force),
  ];
  if (obstacles.length > 0) return refused(...obstacles);
  const cleanup = subject.plugin.plugin?.cleanup;
  const job = options.level === 'auto' ? jobAt(mildest(chosen, level => cleanup?.draft(jobAt(level)))) : jobAt(chosen);
  const draft = cleanup?.draft(job);
  if (!draft || isRefusal(draft)) return refused(draft ?? refusal('There is no repair for this plugin.'));
  if (draft.steps.length + draft.pods.length === 0)
    return nothing(subject, `A ${chosen} repair has nothing to change on ${node.name}.`);
  return assemble(job, draft, {...options, ofCluster, repaired, left: all.filter(one => !repaired.includes(one))});
}

/** A plan for a node without errors that an interrupted run left cordoned. */
function onlyUncordon(subject: NodeSubject, results: readonly Result[], options: PlanOptions): PlanOutcome | undefined {
  const isUnhealthy = results.some(result => isProblem(result) && result.severity === 'error');
  if (cordonedBy(subject.object) === undefined || isUnhealthy) return undefined;
  const job = nodeRepairOf(subject, results, {level: 'soft', force: false, drain: false, repaired: []});
  return assemble(job, {steps: [], pods: [], remakes: [], notes: []}, {...options, repaired: [], left: []});
}

function obstaclesTo(job: NodeRepair, results: readonly Result[], chosenPlugin: string | undefined): Refusal[] {
  const {subject, force} = job;
  const alone = subject.plugin.plugin?.cleanup?.leaveAlone?.(job);
  return [
    ...onePlugin(subject, chosenPlugin),
    ...settled(subject, force),
    ...(alone && !(alone.forcible && force) ? [alone] : []),
    ...noBlockingProblems(results, subject, force),
    ...allRead(job),
  ];
}

/**
 * Undefined: there is nothing to repair. An explicit level without a problem requires --force, because it disrupts a
 * healthy node.
 */
function chooseLevel(all: readonly Repairable[], wanted: 'auto' | Level, force: boolean): Level | Refusal | undefined {
  const needed = neededLevel(all);
  if (wanted === 'auto') return needed;
  if (needed === undefined) return force ? wanted : undefined;
  if (repairedBy(all, wanted).length > 0) return wanted;
  return refusal(`A ${wanted} repair fixes none of ${names(all.map(({result}) => result.id))}.`, {
    next: `They require --level=${needed}.`,
  });
}

/** The mildest level with the same steps. */
function mildest(level: Level, draft: (level: Level) => unknown): Level {
  const same = JSON.stringify(draft(level));
  return levels.find(milder => JSON.stringify(draft(milder)) === same) ?? level;
}

function whyNothing(node: string, results: readonly Result[]): string {
  const others = [...new Set(results.filter(isProblem).map(({id}) => id))];
  if (others.length === 0) return `${node} has no problem that cleanup can repair.`;
  return `The problems of ${node} need manual action: ${names(others)}. Run kubectl win doctor ${node} for the steps.`;
}

function nothing({node, object}: NodeSubject, why: string): PlanOutcome {
  const plan = cordonedBy(object);
  const cordon =
    plan === undefined
      ? ''
      : ` It is still cordoned by plan ${plan}; once it is healthy: kubectl uncordon ${node.name}`;
  return {kind: 'nothing', why: `${why}${cordon}`};
}

function refused(...reasons: Refusal[]): PlanOutcome {
  return {kind: 'refused', reasons};
}
