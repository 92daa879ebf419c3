import {powerShellText, shellText} from '../lib/quote.js';
import type {NodeSubject} from '../model/check.js';
import type {Pod} from '../snapshot/cluster.js';

/** The plugin's agent as it runs on a node: a pod, a Windows service, or a bare process. */
export interface RunningAgent {
  readonly name: string;
  readonly pod: Pod | undefined;
  readonly startedAt: number | undefined;
  readonly crashLooping: boolean;
}

export function agentOf({node, cluster, plugin}: NodeSubject): RunningAgent | undefined {
  const agent = plugin.profile.agent;
  if (!agent) return undefined;
  const pod = cluster
    ?.podsOn(node.name)
    .find(candidate =>
      agent.daemonSets.some(
        ({namespace, name}) =>
          candidate.metadata.namespace === namespace &&
          candidate.metadata.ownerReferences.some(owner => owner.kind === 'DaemonSet' && owner.name === name),
      ),
    );
  const service = node.services?.find(({name}) => agent.services.includes(name.toLowerCase()));
  const process = node.processes?.find(({name}) => agent.processes.includes(name));
  if (!pod && !service && !process) return undefined;
  const statuses = pod?.status?.containerStatuses ?? [];
  return {
    name: agent.name,
    pod,
    startedAt: process?.startedAt ?? service?.startedAt ?? latest(statuses.map(({state}) => state?.running?.startedAt)),
    crashLooping: statuses.some(isCrashLooping),
  };
}

/**
 * How to restart the agent of a node manually: delete its pod, which the DaemonSet recreates, or restart its service.
 */
export function restartAgent(subject: NodeSubject): string {
  const {pod} = agentOf(subject) ?? {};
  if (pod)
    return `kubectl -n ${shellText(pod.metadata.namespace ?? 'default')} delete pod ${shellText(pod.metadata.name)}`;
  const {agent} = subject.plugin.profile;
  const service = subject.node.services?.find(({name}) => agent?.services.includes(name.toLowerCase()));
  return service
    ? `Restart-Service ${powerShellText(service.name)}`
    : `Restart ${agent?.name ?? 'the agent'} on the node.`;
}

type ContainerStatus = NonNullable<Pod['status']>['containerStatuses'][number];

/** Waiting for the next restart, or running again after several failed attempts. */
function isCrashLooping({state, restartCount, lastState, ready}: ContainerStatus): boolean {
  if (state?.waiting?.reason === 'CrashLoopBackOff') return true;
  return !ready && (restartCount ?? 0) >= 3 && (lastState?.terminated?.exitCode ?? 0) !== 0;
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter(time => time !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}
