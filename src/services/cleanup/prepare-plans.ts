import {randomUUID} from 'node:crypto';
import {incompleteness} from '../../diagnose/completeness.js';
import {checkedNode, subjectOf} from '../../diagnose/engine.js';
import {problems} from '../../diagnose/failures.js';
import {names} from '../../lib/names.js';
import {userName} from '../../lib/user-name.js';
import type {Refusal} from '../../model/plugin-cleanup.js';
import {remedySteps} from '../../model/remedies.js';
import {cutsNetwork, type RepairPlan} from '../../model/repair-plan.js';
import type {CheckedNode, Result} from '../../model/result.js';
import {type Effect, fixesFor, withoutOthers} from '../../repair/plan/fixes-without-cut.js';
import {type PlanOutcome, planFor} from '../../repair/plan/plan-for-node.js';
import {withPlannedRemedies} from '../../repair/plan/planned-remedies.js';
import {review} from '../../repair/plan/review-plan-file.js';
import type {Inspected} from '../../session/inspection.js';
import {listName} from '../../snapshot/cluster-lists.js';
import {readSnapshot} from '../../snapshot/snapshot.js';
import type {Author} from './audit.js';
import type {NodeOutcome} from './cleanup-result.js';

/** The input of planning, from the cluster or from a file. */
type InspectedNodes = Pick<Inspected, 'document' | 'names' | 'failures'>;

export interface PlanningOptions {
  readonly level: 'auto' | 'soft' | 'medium' | 'hard';
  readonly force: boolean;
  readonly drain: boolean;
  readonly plugin?: string | undefined;
  /** `doctor --fix`: repair only these findings (check ids by node), and only without interrupting the node's network. */
  readonly fixes?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** The author of the plan; undefined: the local user. */
  readonly author?: Author | undefined;
}

/** A node with the plan that is ready for it. */
export interface Ready {
  readonly checked: CheckedNode;
  readonly plan: RepairPlan;
}

export type Prepared = Ready | NodeOutcome;

export const isOutcome = (prepared: Prepared): prepared is NodeOutcome => 'state' in prepared;
export const isReady = (prepared: Prepared): prepared is Ready => 'checked' in prepared;

/** Diagnoses every node and creates its plan, or reports why there is none. */
export function prepare(inspected: InspectedNodes, options: PlanningOptions): Prepared[] {
  return checkAll(inspected).map(([node, checked]): Prepared => {
    if (typeof checked === 'string') return {node, state: 'uninspected', message: checked};
    const outcome = options.fixes
      ? fixWithoutCut(checked, options.fixes.get(node), options)
      : plan(checked, checked.results, options.level, options);
    if (typeof outcome === 'string') return {node, state: 'nothing', message: outcome};
    if (outcome.kind === 'plan') return {checked, plan: outcome.plan};
    const message = outcome.kind === 'nothing' ? outcome.why : reasonsText(outcome.reasons);
    // "Nothing to do" and "refused" are valid only for a node that was read completely.
    const unseen = unseenOf(checked);
    if (unseen !== undefined)
      return {node, state: 'uninspected', message: message.includes(unseen) ? message : `${unseen}. ${message}`};
    return {node, state: outcome.kind, message};
  });
}

/** What could not be read of the node or its cluster, if the node's health is undetermined without it. */
function unseenOf({subject, results}: CheckedNode): string | undefined {
  const [list] = subject.cluster?.lists.unread ?? [];
  return incompleteness(subject, results) ?? (list && `${listName(list)} could not be read: ${list.error}`);
}

function plan(
  {subject, ofCluster}: CheckedNode,
  results: readonly Result[],
  level: PlanningOptions['level'],
  options: PlanningOptions,
): PlanOutcome {
  const {by = userName(), context} = options.author ?? {};
  return planFor(subject, results, {
    ...options,
    ...{level, ofCluster, id: randomUUID(), now: new Date(), by},
    ...(context && {context}),
  });
}

/**
 * `doctor --fix`: the plan for everything that may be repaired. If that interrupts the network, the plan for what certainly
 * does not. Never a plan that interrupts the network, even with the user's approval: a draft may do more than the
 * findings declare.
 */
function fixWithoutCut(
  checked: CheckedNode,
  wanted: ReadonlySet<string> = new Set(),
  options: PlanningOptions,
): PlanOutcome | string {
  for (const effects of [['none', 'blip'], ['none']] as const) {
    const {results, level} = fixesOf(checked, wanted, effects);
    if (level === undefined) continue;
    const outcome = plan(checked, results, level, options);
    if (outcome.kind !== 'plan' || !cutsNetwork(outcome.plan)) return outcome;
  }
  return leftAlone(checked, wanted);
}

function fixesOf({subject, results}: CheckedNode, wanted: ReadonlySet<string>, effects: readonly Effect[]) {
  const fixable = withoutOthers(results, subject, wanted, effects);
  const levels = fixesFor(fixable, subject, effects).map(({level}) => level);
  return {results: fixable, level: levels.includes('medium') ? 'medium' : levels[0]} as const;
}

/** The findings that were not repaired, with the command that repairs them if there is one. */
function leftAlone({subject, results}: CheckedNode, wanted: ReadonlySet<string>): string {
  const left = problems(withPlannedRemedies(subject, results)).filter(({id}) => wanted.has(id));
  const cutting = left.filter(({remedy}) => remedy?.kind === 'command' && remedy.cutsNetwork && remedy.level);
  const commands = new Set(cutting.flatMap(({remedy}) => remedySteps(remedy)));
  const idsOf = (some: readonly Result[]) => names([...new Set(some.map(({id}) => id))]);
  const others = left.filter(result => !cutting.includes(result));
  return [
    ...(others.length > 0 ? [`See the report for how to repair ${idsOf(others)}.`] : []),
    ...(cutting.length > 0
      ? [
          `Repairing ${idsOf(cutting)} interrupts the node's network, which --fix never does. To repair it: ${[...commands].join('; ')}`,
        ]
      : []),
  ].join(' ');
}

/** Reviews the plans of a file against the current state of their nodes. */
export function prepareFromFile(inspected: InspectedNodes, plans: readonly RepairPlan[], force: boolean): Prepared[] {
  const checked = new Map(checkAll(inspected));
  return plans.map((plan): Prepared => {
    const node = plan.node;
    const found = checked.get(node);
    if (found === undefined || typeof found === 'string')
      return {node, state: 'uninspected', message: found ?? 'not read'};
    const verdict = review(plan, found.subject, {force});
    if (verdict.kind === 'ready') return {checked: found, plan};
    if (verdict.kind === 'refused') return {node, state: 'refused', message: reasonsText(verdict.reasons)};
    return {
      node,
      state: 'refused',
      message: `The node has changed since the plan was created: ${verdict.differences.join('; ')}. Create a new plan.`,
    };
  });
}

function checkAll({document, names, failures}: InspectedNodes): [string, CheckedNode | string][] {
  const snapshot = readSnapshot(document);
  return names.map(name => {
    const failure = failures.get(name);
    if (failure !== undefined) return [name, failure];
    return [name, checkedNode(subjectOf(snapshot, name, Date.now()))];
  });
}

/** The results of one node, read again. */
export function checkAgain(inspected: InspectedNodes, node: string): CheckedNode | string {
  return new Map(checkAll(inspected)).get(node) ?? 'not read';
}

/** Whether to report a node that was not named explicitly. */
export function hasProblems(prepared: Prepared, inspected: InspectedNodes): boolean {
  if (!isOutcome(prepared) || prepared.state !== 'nothing') return true;
  const diagnosed = checkAgain(inspected, prepared.node);
  return typeof diagnosed === 'string' || problems(diagnosed.results).length > 0;
}

function reasonsText(reasons: readonly Refusal[]): string {
  return reasons
    .map(({reason, next, forcible}) =>
      [reason, next, forcible ? '--force overrides this.' : undefined].filter(Boolean).join(' '),
    )
    .join(' ');
}
