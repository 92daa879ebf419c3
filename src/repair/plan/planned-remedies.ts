import {shellText} from '../../lib/quote.js';
import type {NodeSubject} from '../../model/check.js';
import type {Refusal} from '../../model/plugin-cleanup.js';
import {manual, type Remedy} from '../../model/remedies.js';
import {cutsNetwork} from '../../model/repair-plan.js';
import type {Result} from '../../model/result.js';
import {type PlanOutcome, planFor} from './plan-for-node.js';
import {checkOf, isProblem} from './repairable-findings.js';

const command = (node: string) => `kubectl win cleanup ${shellText(node)}`;

/** The id of plans that never run. */
const unusedId = '00000000-0000-0000-0000-000000000000';

/**
 * For findings whose remedy is a cleanup, adds what a cleanup of this node would do now: its level, whether it cuts the
 * network, or the manual steps if there would be no plan. `all` are the results that a cleanup would plan from.
 */
export function withPlannedRemedies(
  subject: NodeSubject,
  results: readonly Result[],
  all: () => readonly Result[] = () => results,
): readonly Result[] {
  const cleanup = command(subject.node.name);
  const isByCleanup = (result: Result) =>
    isProblem(result) && result.remedy?.kind === 'command' && result.remedy.command === cleanup;
  if (!results.some(isByCleanup)) return results;
  const plan = (drain: boolean) =>
    planFor(subject, all(), {level: 'auto', drain, id: unusedId, isExecuted: false, now: new Date(0)});
  const outcome = plan(false);
  // If only running pods block the plan, it is possible after a drain.
  const drained = outcome.kind === 'refused' ? plan(true) : outcome;
  return results.map(result =>
    isByCleanup(result) ? {...result, remedy: remedyOf(result, {outcome, drained}, subject)} : result,
  );
}

function remedyOf(
  result: Result,
  {outcome, drained}: {outcome: PlanOutcome; drained: PlanOutcome},
  subject: NodeSubject,
): Remedy {
  if (drained.kind === 'plan') {
    const {repairs, after, level} = drained.plan;
    const uncordons = isCordon(result) && after.some(step => step.do === 'node.uncordon');
    if (repairs.includes(result.id) || uncordons)
      return {
        kind: 'command',
        command: `${command(subject.node.name)}${outcome === drained ? '' : ' --drain'}`,
        ...(result.remedy?.kind === 'command' && result.remedy.first !== undefined && {first: result.remedy.first}),
        cutsNetwork: cutsNetwork(drained.plan),
        level,
      };
  }
  if (outcome.kind === 'refused') return instead(outcome.reasons, result, subject);
  if (isCordon(result)) return manual(`Once the node is healthy: kubectl uncordon ${shellText(subject.node.name)}`);
  return manual(...manualStepsFor(result, subject));
}

const isCordon = ({id}: Result) => id === 'repair/left-cordoned';

/** The manual steps if a cleanup would be refused, and the reasons. */
function instead(reasons: readonly Refusal[], result: Result, subject: NodeSubject): Remedy {
  const {remedy} = result;
  const first = remedy?.kind === 'command' && remedy.first !== undefined ? [remedy.first] : [];
  const next = reasons.flatMap(reason => reason.next ?? []);
  const steps = [
    ...first,
    ...(next.length > 0 ? next : manualStepsFor(result, subject)),
    ...reasons.map(({reason}) => `cleanup cannot repair this: ${reason}`),
  ];
  return {kind: 'manual', steps: [...new Set(steps)], cutsNetwork: remedy?.cutsNetwork ?? false};
}

function manualStepsFor({id}: Result, subject: NodeSubject): string[] {
  const steps = (checkOf(id, subject)?.explain.fix ?? []).filter(step => !step.includes('kubectl win cleanup'));
  return steps.length > 0 ? steps : [`kubectl win explain ${id}`];
}
