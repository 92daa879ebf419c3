import {powerShellText, shellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import type {Pod} from '../../snapshot/cluster.js';
import {agentOf} from '../agent.js';
import {isStuck} from '../pending.js';
import {settling} from '../still-starting.js';

const minutes = 60_000;
/** What only a running agent creates and is therefore missing without it. */
const createdByAgent = [
  'hns/network-present',
  'hns/host-endpoint',
  'ovs/bridges',
  'net/peer-routes',
  'tunnel/remote-routes',
];
/** Reasons why a container never started, as opposed to one that ran and stopped. */
const neverRan = /^(ErrImage|ImagePull|ImageInspectError|InvalidImageName|CreateContainer|RegistryUnavailable)/;
/** A container counts as unstable after this many restarts, the last one within this time. */
const restarts = 3;
const lately = 15 * minutes;

export const agentPodChecks: readonly Check[] = [
  check({
    id: 'cni/agent-pod',
    title: 'Plugin agent is running',
    failure: 'Plugin agent is not running',
    severity: 'error',
    repair: {level: 'soft', effect: 'uncertain', restarts: 'agent'},
    needs: [],
    consequenceOf: [
      'ovs/services',
      'ovs/driver',
      'hns/responds',
      'hns/service',
      'platform/hyper-v',
      'platform/test-signing',
      'cni/api-server-override',
      'cni/flannel-net-conf',
      'cni/calico-ipam',
      'cni/calico-boot-time',
      'tunnel/annotation-resolves',
      'net/node-ip-owner',
      'net/apipa',
      'net/api-server',
    ],
    appliesTo: ({plugin}) => plugin.profile.agent !== undefined,
    run(subject) {
      const agent = agentOf(subject);
      const found = agent?.pod ? diagnosePod(subject, agent.pod) : diagnoseNode(subject);
      const verdict = found && explainingMissingObjects(subject, found, agent?.pod);
      if (verdict?.outcome !== 'fail' || agent?.crashLooping) return verdict;
      const reason = settling(subject) ?? newPod(subject, agent?.pod);
      return reason === undefined ? verdict : verdict.asInfo(`Still settling (${reason}): ${verdict.message}`);
    },
    explain: {
      meaning:
        'Each plugin has an agent on the node, as a DaemonSet pod or as a Windows service. The agent creates the network, the routes and the tunnels. It is not running or not ready, so new pods get no network and changes in the cluster do not reach this node.',
      why: 'The agent exits because something it requires is missing: OVS, the API server, its adapter. Or its image cannot be pulled, its DaemonSet does not select this node, or its service was stopped.',
      see: [
        'kubectl get pods -A -o wide --field-selector spec.nodeName=NODE',
        'kubectl -n NAMESPACE logs POD --previous',
        'Get-Service flanneld, antrea-agent, kube-ovn, CalicoNode, hybrid-overlay-node -ErrorAction SilentlyContinue',
      ],
      fix: [
        'Read the agent log. It names what is missing.',
        'Repair that first. The agent restarts automatically.',
        'If its service is stopped: Start-Service NAME',
      ],
      sources: ['https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/'],
    },
  }),
];

/** A missing agent explains everything it would create, and OVS if that runs in its pod. */
function explainingMissingObjects({plugin}: NodeSubject, verdict: Verdict, pod: Pod | undefined): Verdict {
  const statuses = [...(pod?.status?.initContainerStatuses ?? []), ...(pod?.status?.containerStatuses ?? [])];
  const hasRun =
    pod !== undefined &&
    !statuses.some(({state}) => neverRan.test(state?.waiting?.reason ?? '')) &&
    statuses.length > 0;
  if (hasRun) return verdict;
  return verdict.explaining(...createdByAgent, ...(plugin.profile.ovs?.inPod ? ['ovs/services'] : []));
}

/** A new pod may still be pulling its image. */
function newPod({now}: NodeSubject, pod: Pod | undefined): string | undefined {
  const started = pod?.status?.startTime;
  return started !== undefined && now - started < 5 * minutes ? 'its pod is new' : undefined;
}

type ContainerStatus = NonNullable<Pod['status']>['containerStatuses'][number];

function diagnosePod({plugin, now}: NodeSubject, pod: Pod): Verdict | undefined {
  const {name, namespace = ''} = pod.metadata;
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const ready = pod.status?.conditions.find(({type}) => type === 'Ready')?.status;
  const failing = statuses.find(hasStopped) ?? pod.status?.containerStatuses.find(status => status.ready === false);
  const logs = manual(
    `kubectl -n ${shellText(namespace)} logs ${shellText(name)}${failing ? ` -c ${shellText(failing.name)}` : ''} --previous`,
    `kubectl -n ${shellText(namespace)} describe pod ${shellText(name)}`,
  );
  if (ready !== undefined && ready !== 'True') {
    const why = failing ? reasonOf(failing) : (pod.status?.reason ?? pod.status?.phase);
    return fail(`${plugin.profile.agent?.name} is not ready: pod ${namespace}/${name}${why ? `, ${why}` : ''}.`)
      .because(
        {section: 'cluster', object: `Pod ${namespace}/${name}`, field: 'Ready', seen: ready, expected: 'True'},
        ...(failing ? [containerEvidence(pod, failing)] : []),
      )
      .fixedBy(logs);
  }
  const unsteady = pod.status?.containerStatuses.find(({restartCount, lastState}) => {
    const ended = lastState?.terminated?.finishedAt;
    return (restartCount ?? 0) >= restarts && ended !== undefined && now - ended < lately;
  });
  if (!unsteady)
    return ready === undefined ? unknown(`The Ready condition of pod ${namespace}/${name} was not read.`) : undefined;
  return fail(
    `${plugin.profile.agent?.name} keeps restarting: container ${unsteady.name} of pod ${namespace}/${name} has restarted ${unsteady.restartCount} times, most recently within the last 15 minutes.`,
  )
    .as('warning')
    .because(containerEvidence(pod, unsteady))
    .fixedBy(logs);
}

function hasStopped({state}: ContainerStatus): boolean {
  const ended = state?.terminated;
  return state?.waiting !== undefined || (ended !== undefined && ended.exitCode !== 0);
}

function reasonOf({name, state, lastState, restartCount}: ContainerStatus): string {
  const last = lastState?.terminated ?? state?.terminated;
  const reason = state?.waiting?.reason ?? state?.terminated?.reason ?? 'not ready';
  const code = last?.exitCode === undefined ? '' : `, last exit code ${last.exitCode}`;
  return `container ${name}: ${reason}${code}${restartCount ? `, ${restartCount} restarts` : ''}`;
}

function containerEvidence(pod: Pod, {name, restartCount, state, lastState}: ContainerStatus) {
  const last = lastState?.terminated;
  return {
    section: 'cluster',
    object: `Pod ${pod.metadata.namespace}/${pod.metadata.name}, container ${name}`,
    field: 'state',
    seen: {
      state: state?.waiting?.reason ?? (state?.terminated ? 'terminated' : 'running'),
      restarts: restartCount ?? 0,
      ...(last && {lastExitCode: last.exitCode, lastReason: last.reason, lastMessage: last.message?.slice(0, 300)}),
    },
    expected: 'running and ready',
  };
}

/** Without a pod, the agent may be a service or a process, or its pod is missing. */
function diagnoseNode(subject: NodeSubject): Verdict | undefined {
  const {node, plugin, cluster} = subject;
  const agent = plugin.profile.agent;
  if (!agent) return undefined;
  const services = node.services?.filter(({name}) => agent.services.includes(name.toLowerCase())) ?? [];
  const process = node.processes?.find(({name}) => agent.processes.includes(name));
  const stopped = services.find(({state, startMode}) => state !== 'Running' && startMode !== 'Disabled');
  if (stopped && isStuck(subject, stopped) === false)
    return unknown(`Service ${stopped.name} is changing state (${stopped.state}).`);
  // If the process runs without its service, something else started it and the service is a leftover.
  if (stopped && (!process || services.some(({state}) => state === 'Running')))
    return fail(`Service ${stopped.name} of ${plugin.title} is ${stopped.state.toLowerCase()}.`)
      .because({
        section: 'services',
        object: stopped.name,
        field: 'State',
        seen: stopped.exitCode ? `${stopped.state}, exit code ${stopped.exitCode}` : stopped.state,
        expected: 'Running',
      })
      .fixedBy(manual(`Start-Service ${powerShellText(stopped.name)}`, 'If it stops again, read its log.'));
  if (services.length > 0 || process) return undefined;
  if (node.services === undefined || node.processes === undefined)
    return unknown(`No pod of ${agent.name} was found on this node, and services and processes were not read.`);
  if (cluster === undefined && agent.services.length === 0)
    return unknown(`${agent.name} was not found on the node, and the pods of the cluster were not read.`);
  const sets = agent.daemonSets.map(({namespace, name}) => `${namespace}/${name}`);
  return fail(
    sets.length > 0
      ? `${agent.name} is not running: DaemonSet ${sets.join(' or ')} has no pod on this node.`
      : `${agent.name} is not running on this node, neither as a pod nor as a service.`,
  )
    .because({section: 'processes', object: agent.name, seen: null, expected: 'a pod, a service or a process'})
    .fixedBy(
      manual(
        sets.length > 0
          ? `kubectl -n ${shellText(agent.daemonSets[0]?.namespace ?? '')} describe daemonset ${shellText(agent.daemonSets[0]?.name ?? '')}`
          : `Install ${plugin.title} for Windows on this node, or start its service.`,
      ),
    );
}
