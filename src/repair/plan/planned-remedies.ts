import {shellText} from '../../lib/quote.js';
import type {NodeSubject} from '../../model/check.js';
import type {Refusal} from '../../model/plugin-cleanup.js';
import {manual, manualCutting, type Remedy} from '../../model/remedies.js';
import {cutsNetwork} from '../../model/repair-plan.js';
import type {Result} from '../../model/result.js';
import {type PlanOutcome, planFor} from './plan-for-node.js';
import {checkOf, isProblem} from './repairable-findings.js';

const command = (node: string) => `kubectl win cleanup ${shellText(node)}`;

/** The id of a plan that nobody carries out. */
const nobodys = '00000000-0000-0000-0000-000000000000';

/**
 * Findings whose remedy is a cleanup, with what a cleanup of this node would really do now: its level, whether it cuts,
 * or, where there would be no plan, what a person has to do instead. `all` are the results that a cleanup would plan from.
 */
export function withPlannedRemedies(
  subject: NodeSubject,
  results: readonly Result[],
  all: () => readonly Result[] = () => results,
): Result[] {
  const cleanup = command(subject.node.name);
  const isByCleanup = (result: Result) =>
    isProblem(result) && result.remedy?.kind === 'command' && result.remedy.command === cleanup;
  if (!results.some(isByCleanup)) return [...results];
  const outcome = planFor(subject, all(), {level: 'auto', id: nobodys, isCarriedOut: false, now: new Date(0)});
  return results.map(result =>
    isByCleanup(result) ? {...result, remedy: remedyOf(result, outcome, subject)} : result,
  );
}

function remedyOf(result: Result, outcome: PlanOutcome, subject: NodeSubject): Remedy {
  if (outcome.kind === 'refused') return instead(outcome.reasons, result, subject);
  if (outcome.kind === 'plan') {
    const {repairs, after, level} = outcome.plan;
    const uncordons = isCordon(result) && after.some(step => step.do === 'node.uncordon');
    if (repairs.includes(result.id) || uncordons)
      return {kind: 'command', command: command(subject.node.name), cutsNetwork: cutsNetwork(outcome.plan), level};
  }
  if (isCordon(result)) return manual(`Once the node is healthy: kubectl uncordon ${shellText(subject.node.name)}`);
  return manual(...byPerson(result, subject));
}

const isCordon = ({id}: Result) => id === 'repair/left-cordoned';

/** What a person does where a cleanup would be refused. */
function instead(reasons: readonly Refusal[], result: Result, subject: NodeSubject): Remedy {
  const next = [...new Set(reasons.flatMap(reason => reason.next ?? []))];
  const steps = [
    ...new Set(reasons.map(({reason}) => `cleanup is not possible: ${reason}`)),
    ...(next.length > 0 ? next : byPerson(result, subject)),
  ];
  return result.remedy?.cutsNetwork ? manualCutting(...steps) : manual(...steps);
}

function byPerson({id}: Result, subject: NodeSubject): string[] {
  const steps = (checkOf(id, subject)?.explain.fix ?? []).filter(step => !step.includes('kubectl win cleanup'));
  return steps.length > 0 ? steps : [`kubectl win explain ${id}`];
}
