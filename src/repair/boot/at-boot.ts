import {podNetwork} from '../../checks/pod-network.js';
import type {BootPlan} from '../../model/boot-plan.js';
import type {NodeSubject} from '../../model/check.js';
import {type Draft, isRefusal, type NodeRepair} from '../../model/plugin-cleanup.js';
import type {PlanStep} from '../../model/step.js';
import {nameOf} from '../../snapshot/paths.js';
import {deadManOf} from '../plan/dead-man.js';
import {markCuts} from '../plan/mark-cuts.js';
import {onePlugin, refusedUnread} from '../plan/plan-conditions.js';
import {nodeViolations} from '../plan/refusals.js';
import {isForEveryBoot} from '../steps/all.js';
import {jobAfterLoss} from './after-loss.js';
import {bootPlan} from './boot-plan-rules.js';

export interface BootOptions {
  readonly now: Date;
  readonly by?: string | undefined;
}

export type BootOutcome =
  | {readonly kind: 'plan'; readonly plan: BootPlan}
  /** A task could repair nothing here, or nothing without manual action. */
  | {readonly kind: 'nothing'; readonly why: string}
  /** Required data was not read. */
  | {readonly kind: 'unread'; readonly why: string};

/** The time after which a missing agent counts as a failure: by then it has normally started. */
const settleSeconds = 180;

/**
 * What a node does at boot if its network does not come back: the plugin's cleanup of a lost network at level medium,
 * limited to steps that may run at every boot. Created while the node is healthy.
 */
export function planForBoots(subject: NodeSubject, options: BootOptions): BootOutcome {
  try {
    return makeBootPlan(subject, options);
  } catch (error) {
    return {kind: 'unread', why: refusedUnread(error).reason};
  }
}

function makeBootPlan(subject: NodeSubject, {now, by}: BootOptions): BootOutcome {
  const {node, plugin} = subject;
  const cleanup = plugin.plugin?.cleanup;
  const [several] = onePlugin(subject, undefined);
  if (!cleanup || several) return nothing(several?.reason ?? 'the network plugin was not recognised');
  const network = podNetwork(node, plugin.profile.network)?.name ?? plugin.profile.network?.name;
  if (network === undefined || cleanup.builder(subject) === 'person')
    return nothing(`nothing on the node recreates the network of ${plugin.title}: needs manual action`);
  const job = jobAfterLoss(subject);
  const alone = cleanup.leaveAlone?.(job);
  const draft = alone ?? cleanup.draft(job);
  if (isRefusal(draft)) return nothing(draft.reason);
  if (draft.pods.some(({of}) => of === 'agent') && !cleanup.podTriesAgain)
    return nothing(`${plugin.profile.agent?.name} is in a pod, which the kubelet restarts at every boot`);
  const steps = stepsFor(job, draft);
  if (steps.every(({do: what}) => what === 'wait.until')) return nothing('a boot leaves nothing for a task to repair');
  const odd = steps.find(step => !isForEveryBoot(step));
  const [reason] = nodeViolations(job.subject, steps);
  if (odd || reason) return nothing(reason?.reason ?? `${odd?.do} needs manual action`);
  const deadMan = deadManOf(subject, undefined);
  if ('reason' in deadMan) return nothing(deadMan.reason);
  const checked = bootPlan.safeParse({
    apiVersion: 'kubectl-win/v1',
    kind: 'BootPlan',
    node: node.name,
    title: `${plugin.title} on ${node.name}: repair the network after a boot`.slice(0, 200),
    createdAt: now.toISOString(),
    ...(by !== undefined && {createdBy: by}),
    // A network whose extension is disabled is a different problem, which these steps do not repair.
    unless: [{until: 'hnsNetwork', name: network, present: true}],
    settleSeconds,
    steps: [...steps],
    deadMan,
  } satisfies BootPlan);
  if (checked.success) return {kind: 'plan', plan: checked.data};
  const [issue] = checked.error.issues;
  return nothing(
    `an object has a name or value that a plan cannot contain (${issue?.path.join('.')}: ${issue?.message})`,
  );
}

const nothing = (why: string): BootOutcome => ({kind: 'nothing', why});

/** The draft's steps, adapted to boots. */
function stepsFor({subject}: NodeRepair, {steps, pods, remakes}: Draft): readonly PlanStep[] {
  // A kube-proxy pod is not restarted at boot, and does not notice that its load balancers were removed.
  const proxyIsPod = pods.some(({of}) => of === 'kube-proxy');
  const wanted = steps
    .filter(step => !(proxyIsPod && step.do === 'hns.removePolicyLists'))
    .flatMap(step => [...stopBefore(step), atAnyBoot(step)]);
  return markCuts(subject, {steps: wanted, remakes}).steps;
}

/** The address at that boot is unknown, so the description must not name one. */
const atAnyBoot = (step: PlanStep): PlanStep =>
  step.do === 'ip.restore' ? {...step, why: 'A new network can lose a static address.'} : step;

/** ovs-vswitchd may be running after a boot: then the pid file is valid, and it has rows in memory. */
function stopBefore(step: PlanStep): PlanStep[] {
  if (step.do !== 'file.remove' || nameOf(step.with.path) !== 'ovs-vswitchd.pid') return [];
  return [{do: 'service.stop', with: {name: 'ovs-vswitchd'}, why: 'It reloads its database when it starts.'}];
}
