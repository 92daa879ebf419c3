import {cordonedBy} from '../../checks/cordon.js';
import {printable} from '../../lib/untrusted.js';
import type {Level} from '../../model/level.js';
import {type Draft, type NodeRepair, type PodRestart, refusal} from '../../model/plugin-cleanup.js';
import {cutsNetwork, planHash, type RepairPlan, repairPlan} from '../../model/repair-plan.js';
import type {ClientStep} from '../../model/step.js';
import type {Pod} from '../../snapshot/cluster.js';
import {podName} from '../node/endpoint-owners.js';
import {cutsByAgent} from '../steps/all.js';
import {manualAfterwards, nodeUplink} from './adapter-configuration.js';
import {deadManOf} from './dead-man.js';
import {type Loss, lossesOf} from './losses.js';
import {markCuts} from './mark-cuts.js';
import type {PlanOptions, PlanOutcome} from './plan-for-node.js';
import {violations} from './refusals.js';
import type {Repairable} from './repairable-findings.js';
import {stateBehind} from './state-behind-plan.js';

interface Making extends PlanOptions {
  readonly repaired: readonly Repairable[];
  /** Problems that this level does not repair. */
  readonly left: readonly Repairable[];
}

const doing: Record<Level, string> = {
  soft: 'restart',
  medium: 'remove stale objects, then restart the agent',
  hard: 'remove and recreate the network',
};

const changesNothing = ({steps, pods}: Draft) => steps.length + pods.length === 0;

/** Turns a draft into a plan: what cuts the network, what is lost, what must hold afterwards. Refuses unsafe plans. */
export function assemble(job: NodeRepair, draft: Draft, making: Making): PlanOutcome {
  const {subject, force} = job;
  const {node, plugin} = subject;
  const {steps, agentCuts} = markCuts(subject, draft);
  const {losses, refusals} = lossesOf(job, draft);
  const cuts = steps.some(step => step.cuts);
  const client = clientSteps(job, draft, {losses, agentCuts, cuts: agentCuts || cuts});
  const remakes = draft.remakes.map(({name}) => name);
  const reasons = [...violations(subject, {...client, steps, remakes, forced: force}), ...refusals];
  if (reasons.length > 0) return {kind: 'refused', reasons};
  const deadMan = cuts ? deadManOf(subject, making.apiServer) : undefined;
  if (deadMan && 'reason' in deadMan) return {kind: 'refused', reasons: [deadMan]};
  const agentIsPod = draft.pods.some(({of}) => of === 'agent');
  const uplink = nodeUplink(subject);
  const parts = {before: client.before, steps: [...steps], after: client.after, remakes};
  const state = stateBehind(subject, parts);
  const {id, now, by, context, repaired, left} = making;
  const made: Omit<RepairPlan, 'hash'> = {
    apiVersion: 'kubectl-win/v1',
    kind: 'RepairPlan',
    id,
    node: node.name,
    plugin: plugin.name,
    level: job.level,
    title:
      `${plugin.title} on ${node.name}: ${changesNothing(draft) ? 'allow scheduling again' : doing[job.level]}`.slice(
        0,
        200,
      ),
    createdAt: now.toISOString(),
    ...(by !== undefined && {createdBy: by}),
    ...(context !== undefined && {context}),
    repairs: [...new Set(repaired.map(({result}) => result.id))].sort(),
    ...parts,
    ...(deadMan && {deadMan}),
    ...(uplink &&
      cutsNetwork(parts) && {uplink: {...uplink, dnsServers: [...uplink.dnsServers], routes: [...uplink.routes]}}),
    loses: losses.map(({pod, endpoint}) => ({
      namespace: pod.metadata.namespace ?? 'default',
      pod: pod.metadata.name,
      endpoint,
    })),
    notes: [
      ...draft.notes,
      ...(agentIsPod && agentCuts ? manualAfterwards(subject) : []),
      ...losses
        .filter(isForGood)
        .map(({pod}) => `Pod ${podName(pod)} has no controller: it has no network until you recreate it.`),
      ...notRepaired(left),
      ...(making.ofCluster ?? []).map(
        ({id, message}) => `${id} concerns the whole cluster and is not repaired by this plan: ${message}`,
      ),
    ],
    forced: force,
    state,
  };
  const checked = repairPlan.safeParse({
    ...made,
    hash: making.isExecuted === false ? '0'.repeat(64) : planHash(made),
  } satisfies RepairPlan);
  if (checked.success) return {kind: 'plan', plan: checked.data};
  const [issue] = checked.error.issues;
  return {
    kind: 'refused',
    reasons: [
      refusal(
        `Something on ${node.name} has a name or value that a plan cannot contain (${issue?.path.join('.')}: ${issue?.message}).`,
      ),
    ],
  };
}

function notRepaired(left: readonly Repairable[]): string[] {
  return [...new Map(left.map(({result, repair}) => [result.id, repair.level]))].map(
    ([id, level]) => `${id} is not repaired by this plan: it needs --level=${level}.`,
  );
}

const isForGood = ({pod}: Loss) => pod.metadata.ownerReferences.length === 0;

interface Client {
  readonly losses: readonly Loss[];
  readonly agentCuts: boolean;
  readonly cuts: boolean;
}

function clientSteps(
  job: NodeRepair,
  draft: Draft,
  {losses, agentCuts, cuts}: Client,
): {before: ClientStep[]; after: ClientStep[]} {
  const {subject, drain, force} = job;
  const node = subject.node.name;
  // No pod may be scheduled here meanwhile. A node that was already cordoned stays cordoned.
  const cordons = (cuts || drain) && !subject.object?.spec?.unschedulable;
  const leftBy = cordonedBy(subject.object);
  const agentPod = draft.pods.find(({of}) => of === 'agent')?.pod;
  const agent = {pod: agentPod && podReference(agentPod), cuts: agentCuts};
  const marked = (step: ClientStep): ClientStep => (cutsByAgent(step, agent) ? {...step, cuts: true} : step);
  return {
    before: [
      ...(cordons
        ? [{do: 'node.cordon', with: {node}, why: 'No new pods are scheduled here during the repair.'} as const]
        : []),
      ...(drain
        ? [{do: 'node.drain', with: {node, force}, why: 'Its pods run elsewhere during the repair.'} as const]
        : []),
    ].map(marked),
    after: [
      ...draft.pods.map(deletePod),
      ...losses
        .filter(loss => !isForGood(loss))
        .map(
          ({pod}): ClientStep => ({
            do: 'pod.delete',
            with: {...podReference(pod), awaits: false},
            why: 'It has lost its network.',
          }),
        ),
      ...(cordons || leftBy !== undefined
        ? [
            {
              do: 'node.uncordon',
              with: {node},
              why: leftBy === undefined ? 'Allows scheduling again.' : leftCordoned(leftBy),
            } as const,
          ]
        : []),
    ].map(marked),
  };
}

const podReference = ({metadata}: Pod) => ({namespace: metadata.namespace ?? 'default', name: metadata.name});

const leftCordoned = (plan: string) => `Plan ${printable(plan, 60)} left it cordoned.`;

function deletePod({pod, why}: PodRestart): ClientStep {
  return {
    do: 'pod.delete',
    with: {...podReference(pod), awaits: true},
    why,
    timeoutSeconds: 300,
  };
}
