import {agentOf} from '../../checks/agent.js';
import {kubeProxyOf} from '../../checks/kube-proxy/running-proxy.js';
import type {NodeSubject} from '../../model/check.js';
import {type PodRestart, type Refusal, refusal} from '../../model/plugin-cleanup.js';
import type {PlanStep} from '../../model/step.js';
import type {Pod} from '../../snapshot/cluster.js';
import type {Service} from '../../snapshot/sections.js';
import {restartService, startService, stopService} from '../steps/make.js';

/** How something on a node is restarted: by deleting its pod, or by restarting its services, listed in start order. */
export type Handle =
  | {readonly kind: 'pod'; readonly pod: Pod}
  | {readonly kind: 'services'; readonly services: readonly Service[]};

/** The plugin's agent. `names`: its services in start order, if that differs from the profile. */
export function agentHandle(subject: NodeSubject, names?: readonly string[]): Handle | undefined {
  const pod = agentOf(subject)?.pod;
  if (pod) return {kind: 'pod', pod};
  const order = names ?? subject.plugin.profile.agent?.services ?? [];
  const services = order
    .map(name => subject.node.services?.find(service => service.name.toLowerCase() === name.toLowerCase()))
    .filter(service => service !== undefined);
  return services.length > 0 ? {kind: 'services', services} : undefined;
}

export function kubeProxyHandle(subject: NodeSubject): Handle | undefined {
  if (subject.plugin.profile.kubeProxy === 'unwanted') return undefined;
  const {pod, service} = kubeProxyOf(subject);
  if (pod) return {kind: 'pod', pod};
  return service && {kind: 'services', services: [service]};
}

/** Why an expected agent cannot be restarted. */
export function noHandle({node, plugin}: NodeSubject): Refusal {
  const {agent} = plugin.profile;
  const process = node.processes?.find(({name}) => agent?.processes.includes(name));
  return process
    ? refusal(`${agent?.name} runs on ${node.name} neither in a pod nor as a service, so cleanup cannot restart it.`, {
        next: `On the node, restart its parent (process ${process.id ?? process.name}), for example the service rke2 or k3s.`,
      })
    : refusal(`${agent?.name ?? plugin.title} was found on ${node.name} neither as a pod nor as a service.`, {
        next: 'Install it on the node, or check why its DaemonSet has no pod there.',
      });
}

export function stops(handle: Handle | undefined, why: string): PlanStep[] {
  if (handle?.kind !== 'services') return [];
  return handle.services.toReversed().map(service => stopService(service, why));
}

/** `between`: steps to run after the first service has started and before the others start. */
export function starts(handle: Handle | undefined, why: string, between: readonly PlanStep[] = []): PlanStep[] {
  if (handle?.kind !== 'services') return [];
  const [first, ...others] = handle.services;
  if (!first) return [];
  return [startService(first, why), ...between, ...others.map(service => startService(service, why))];
}

export function restarts(handle: Handle | undefined, why: string, between: readonly PlanStep[] = []): PlanStep[] {
  if (handle?.kind !== 'services') return [];
  const [only, ...others] = handle.services;
  if (only && others.length === 0) return [restartService(only, why), ...between];
  return [...stops(handle, why), ...starts(handle, why, between)];
}

export function podRestart(of: PodRestart['of'], handle: Handle | undefined, why: string): PodRestart[] {
  return handle?.kind === 'pod' ? [{of, pod: handle.pod, why}] : [];
}
