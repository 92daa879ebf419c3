import {type Check, check, type NodeSubject} from '../../model/check.js';
import type {KnownError} from '../../model/footprint.js';
import {type Evidence, fail} from '../../model/verdict.js';
import type {ClusterModel, Pod} from '../../snapshot/cluster.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {Sections} from '../../snapshot/sections.js';
import {commonErrors} from './catalogue.js';
import {currentLines, longestLine, startPattern} from './current-lines.js';

const hour = 60 * 60_000;
const mostEvidence = 3;

interface Said {
  readonly section: 'logs' | 'events' | 'cluster';
  readonly where: string;
  readonly text: string;
}

export const logChecks: readonly Check[] = [
  check({
    id: 'log/known-error',
    title: 'No known errors in the logs',
    failure: 'Known error in the logs',
    severity: 'warning',
    needs: ['logs', 'events'],
    consequenceOf: [
      'hns/network-present',
      'hns/responds',
      'hns/host-endpoint',
      'hns/leaked-endpoints',
      'ovs/services',
      'ovs/stale-bridge',
      'ovs/driver',
      'ovs/extension',
      'cni/azure-state',
      'cni/agent-pod',
      'cni/conf',
      'cni/flannel-net-conf',
      'cni/host-local-leases',
      'tunnel/vni',
      'tunnel/annotation-resolves',
      'kube-proxy/source-vip',
      'kube-proxy/network-name',
      'net/node-ip-owner',
      'net/management-ip',
    ],
    run(subject) {
      const said = [...inLogs(subject), ...inEvents(subject), ...inClusterEvents(subject)];
      const errors = [...commonErrors, ...subject.plugin.known.flatMap(({footprint}) => footprint.knownErrors)];
      return [...Map.groupBy(errors, ({means}) => means).values()].flatMap(alike => {
        const found = said.filter(({text}) =>
          alike.some(known => isSaid(known, text.slice(0, longestLine)) && !(known.isFamily && isKnown(errors, text))),
        );
        return found.length > 0 && alike[0] ? [tell(subject.node, alike[0], found)] : [];
      });
    },
    explain: {
      meaning:
        'A log of the plugin, OVS, kubelet or kube-proxy, or an event, contains an error with a known cause. The finding explains it. Only recent lines count, and only if the same log does not report success later.',
      why: 'Components retry forever and report the reason only in their logs. HNS error codes need explanation: 0x803b0001 network not found, 0x57 NIC not free, 0x490 an id that is gone.',
      see: [
        'Get-Content C:\\var\\log\\antrea\\antrea-agent.log -Tail 50',
        'Get-WinEvent -LogName Microsoft-Windows-Host-Network-Service-Admin -MaxEvents 50',
        'kubectl get events -A --field-selector type=Warning',
      ],
      fix: [
        'Repair the other findings on the node first: they often cause the error.',
        'Otherwise follow the advice of the finding.',
      ],
      sources: [
        'https://github.com/microsoft/hcsshim/blob/main/hcn/hcnerrors.go',
        'https://github.com/Azure/azure-container-networking/issues/283',
        'https://github.com/flannel-io/flannel/issues/1423',
      ],
    },
  }),
];

/** What a line of a log means, where its error is known. */
export function meaningOfLine({node, plugin}: NodeSubject, text: string): string | undefined {
  const errors = [...commonErrors, ...plugin.known.flatMap(({footprint}) => footprint.knownErrors)];
  const line = text.slice(0, longestLine);
  const found = errors.filter(known => isSaid(known, line));
  const known = found.find(({isFamily}) => !isFamily) ?? found[0];
  return known?.otherwise?.when(node) ? known.otherwise.means : known?.means;
}

function inLogs(subject: NodeSubject): Said[] {
  const {node, plugin} = subject;
  const start = startPattern(plugin.known.flatMap(({footprint}) => footprint.starting));
  const boot = node.os?.bootedAt;
  return (node.logs ?? [])
    .filter(({writtenAt}) => boot === undefined || writtenAt === undefined || writtenAt >= boot)
    .filter(log => !isFromBeforeStart(node, log) && !isOfAnotherPod(log.path, subject))
    .flatMap(({path, tail}) =>
      currentLines(tail, start)
        .filter(({overtaken}) => !overtaken)
        .map(({text}): Said => ({section: 'logs', where: path, text})),
    );
}

/**
 * Whether a log of a pod is not that of the plugin's agent, whatever the pod is called. The folder of a pod begins with its
 * namespace, which `_` separates from the name.
 */
function isOfAnotherPod(path: string, {plugin}: NodeSubject): boolean {
  const [, namespace] = /[\\/]var[\\/]log[\\/]pods[\\/]([a-z0-9-]+)_/i.exec(path) ?? [];
  const {daemonSets = []} = plugin.profile.agent ?? {};
  if (namespace === undefined || daemonSets.length === 0) return false;
  return namespace !== 'kube-system' && !daemonSets.some(set => set.namespace === namespace);
}

/** Whether its component has started since the log was last written to: what it says is about a former life. */
function isFromBeforeStart({processes}: NodeModel, {path, writtenAt}: Sections['logs'][number]): boolean {
  if (writtenAt === undefined) return false;
  const name = logName(path).toLowerCase();
  const [component] = (processes ?? [])
    .filter(process => process.name.length > 3 && name.includes(process.name.toLowerCase()))
    .sort((one, other) => other.name.length - one.name.length);
  return component?.startedAt !== undefined && writtenAt < component.startedAt;
}

/** What Windows logged in the last hour; events of before the boot are about another life. */
function inEvents({node, now}: NodeSubject): Said[] {
  const since = Math.max(now - hour, node.os?.bootedAt ?? 0);
  return (node.events ?? [])
    .filter(({at}) => at !== undefined && at >= since)
    .map(({log, provider, message}): Said => ({section: 'events', where: log ?? provider ?? 'events', text: message}));
}

/** What kubelet told the cluster in the last hour about pods of this node that still wait. */
function inClusterEvents({node, cluster, now}: NodeSubject): Said[] {
  const waiting = cluster?.podsOn(node.name).filter(isWaiting) ?? [];
  return eventsOf(cluster, waiting)
    .filter(({lastTimestamp, eventTime}) => now - (lastTimestamp ?? eventTime ?? 0) < hour)
    .map(
      ({involvedObject, message}): Said => ({
        section: 'cluster',
        where: `events of pod ${involvedObject?.namespace}/${involvedObject?.name}`,
        text: message ?? '',
      }),
    );
}

function eventsOf(cluster: ClusterModel | undefined, pods: readonly Pod[]) {
  const names = new Set(pods.map(({metadata}) => `${metadata.namespace}/${metadata.name}`));
  return (cluster?.known('Event') ?? []).filter(
    ({involvedObject: about}) => about?.kind === 'Pod' && names.has(`${about.namespace}/${about.name}`),
  );
}

function isWaiting({status}: Pod): boolean {
  return (
    status?.phase === 'Pending' || (status?.containerStatuses ?? []).some(({state}) => state?.waiting !== undefined)
  );
}

/** Whether an entry of its own explains the line, if only to say that it is harmless. */
function isKnown(errors: readonly KnownError[], text: string): boolean {
  return errors.some(({pattern, isFamily}) => !isFamily && pattern.test(text.slice(0, longestLine)));
}

function isSaid({pattern, unless}: KnownError, text: string): boolean {
  return pattern.test(text) && !unless?.test(text);
}

/** The name of a log; those of pods are all called 0.log, so the container's goes with it. */
function logName(path: string): string {
  const parts = path.split(/[\\/]/);
  return parts.slice(/^\d+\.log$/.test(parts.at(-1) ?? '') ? -2 : -1).join('/');
}

function tell(node: NodeModel, known: KnownError, found: readonly Said[]) {
  const {explains = [], measuredBy = [], otherwise} = known;
  const {means, remedy} = otherwise?.when(node) ? otherwise : known;
  const places = [...new Set(found.map(({section, where}) => (section === 'logs' ? logName(where) : where)))];
  const latest = found.slice(-mostEvidence).map(
    ({section, where, text}): Evidence => ({
      section,
      object: where,
      seen: text.trim().slice(0, 300),
      expected: 'no such line',
    }),
  );
  return fail(`${places.slice(0, mostEvidence).join(', ')}: ${means}.`)
    .because(...latest)
    .explaining(...explains)
    .echoing(...measuredBy)
    .fixedBy(remedy(node));
}
