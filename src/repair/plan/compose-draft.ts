import type {Draft, NodeRepair, Refusal} from '../../model/plugin-cleanup.js';
import type {PlanStep} from '../../model/step.js';
import type {Network} from '../../snapshot/hns.js';
import {carrierOf, isLastOnSwitch} from '../node/address-carrier.js';
import {isEvictable, localEndpoints, mayBeAttached, ownerOf} from '../node/endpoint-owners.js';
import {awaitNetwork, removeNetwork, removePolicyLists} from '../steps/make.js';
import {backOnNic, backOnSwitch} from './adapter-configuration.js';
import {firewallRules, hnsService, metadataRoute, orphanBindings} from './host-steps.js';
import {agentHandle, type Handle, kubeProxyHandle, noHandle, podRestart, restarts, starts, stops} from './restart.js';
import {staleEndpoints, staleLeases, stalePolicyLists, staleSourceVip} from './stale-objects.js';

/** The plugin-specific parts of a cleanup. */
export interface CleanupParts {
  /** Removes the network while agent and kube-proxy are stopped. */
  readonly down?: readonly PlanStep[];
  /** The networks that `down` removes. */
  readonly removes?: readonly Network[];
  /** Removes stale state that blocks the agent. */
  readonly stale?: readonly PlanStep[];
  /** Networks that the agent recreates when it starts. */
  readonly remakes?: readonly Network[];
  /** Whether the agent must not run while `stale` is removed. */
  readonly stopFirst?: boolean;
  /** The agent's services, in the order in which they start. */
  readonly services?: readonly string[];
  /** What the agent's other services wait for, in addition to the network. */
  readonly ready?: readonly PlanStep[];
  /** Final steps: routes, if no agent creates them. */
  readonly last?: readonly PlanStep[];
  readonly notes?: readonly string[];
}

/** The order for every plugin: stop, remove the network, remove stale state, start the agent, then kube-proxy. */
export function composeDraft(job: NodeRepair, parts: CleanupParts): Draft | Refusal {
  const {subject, restart, level} = job;
  const {down = [], removes = [], remakes = [], stale = []} = parts;
  const changes = removes.length + remakes.length > 0;
  const wantsAgent = (restart.agent || changes) && subject.plugin.profile.agent !== undefined;
  const agent = wantsAgent ? agentHandle(subject, parts.services) : undefined;
  if (wantsAgent && !agent) return noHandle(subject);
  const proxy = restart.kubeProxy || changes ? kubeProxyHandle(subject) : undefined;
  const stopFirst = down.length > 0 || parts.stopFirst === true;
  const start = stopFirst ? starts : restarts;
  const host = level === 'soft' ? [] : [...metadataRoute(job), ...firewallRules(job)];
  return {
    steps: [
      ...hnsService(job),
      ...(stopFirst ? [...stops(proxy, whyStop), ...stops(agent, whyStop)] : []),
      ...down,
      ...(level === 'soft' ? [] : orphanBindings(job)),
      ...stale,
      ...start(agent, whyAgent, readySteps(job, parts)),
      ...start(proxy, whyProxy),
      ...host,
      ...(parts.last ?? []),
    ],
    pods: [...podRestart('agent', agent, whyAgent), ...podRestart('kube-proxy', proxy, whyProxy)],
    remakes,
    notes: [...(parts.notes ?? []), ...outOfOrder(job, agent, proxy)],
  };
}

const whyStop = 'It must not run while its network changes.';
const whyAgent = 'It creates its network when it starts.';
const whyProxy = 'It creates its load balancers only when it starts.';

/**
 * After the start of the agent's first service: wait for the network it creates, then restore the configuration of the
 * adapter that the network replaces.
 */
function readySteps(
  {subject, network}: NodeRepair,
  {removes = [], remakes = [], ready = []}: CleanupParts,
): PlanStep[] {
  const {profile, plugin} = subject.plugin;
  const isMade = !network || removes.includes(network) || remakes.includes(network);
  if (!isMade || !profile.network || plugin?.cleanup?.builder(subject) !== 'agent') return [...ready];
  const wait = awaitNetwork(network?.name ?? profile.network.name);
  const isNewSwitch = network ? isLastOnSwitch(subject.node, network) : carrierOf(subject)?.switched === false;
  return [wait, ...ready, ...(isNewSwitch ? backOnSwitch(subject, network) : [])];
}

function outOfOrder({subject}: NodeRepair, agent: Handle | undefined, proxy: Handle | undefined): string[] {
  if (agent?.kind !== 'pod' || proxy?.kind !== 'services') return [];
  if (subject.plugin.plugin?.cleanup?.builder(subject) !== 'agent') return [];
  return [
    'kube-proxy is a service on this node and starts before the new agent pod: if Services stay unreachable, run cleanup again.',
  ];
}

/**
 * Policy lists must be removed before the network (Windows since 17763.1554); remaining endpoints are removed with it.
 */
export function takeDown(job: NodeRepair, network: Network): PlanStep[] {
  return [...allPolicyLists(job), ...withoutNetwork(job, network)];
}

export function allPolicyLists({subject}: NodeRepair): PlanStep[] {
  const {hnsPolicyLists} = subject.node;
  if (hnsPolicyLists?.length === 0 || !kubeProxyHandle(subject)) return [];
  return [removePolicyLists(undefined, 'They refer to endpoints of the network, so they are removed first.')];
}

/** Removes the network, and restores the address of the NIC if it was the last network on its switch. */
export function withoutNetwork(job: NodeRepair, network: Network): PlanStep[] {
  return [
    removeNetwork(network, endpointsRemovedWith(job, network), 'It is recreated.'),
    ...(isLastOnSwitch(job.subject.node, network) ? backOnNic(job.subject, network) : []),
  ];
}

/** Attached endpoints that may still be on the network when the step runs. */
export function endpointsRemovedWith({subject, drain, force}: NodeRepair, network: Network) {
  return localEndpoints(subject, [network]).filter(endpoint => {
    const owner = ownerOf(subject, endpoint);
    const isDrained = owner.kind === 'pod' && drain && isEvictable(owner.pod, force);
    return mayBeAttached(endpoint) && !isDrained;
  });
}

/** Stale objects that outlive pods and networks with every plugin. */
export function leftovers(job: NodeRepair, gone: readonly Network[] = []): PlanStep[] {
  if (job.level === 'soft') return [];
  return [...staleEndpoints(job, gone), ...stalePolicyLists(job), ...staleLeases(job), ...staleSourceVip(job)];
}
