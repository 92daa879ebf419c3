import {type Check, check, type NodeSubject} from '../../model/check.js';
import type {KnownError} from '../../model/footprint.js';
import {type Evidence, fail} from '../../model/verdict.js';
import type {Pod} from '../../snapshot/cluster.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {Sections} from '../../snapshot/sections.js';
import {commonErrors} from './catalogue.js';
import {currentLines, longestLine, startPattern} from './current-lines.js';

const hour = 60 * 60_000;
const mostEvidence = 3;

interface LogLine {
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
      const lines = [...inLogs(subject), ...inEvents(subject), ...inClusterEvents(subject)];
      const errors = [...commonErrors, ...subject.plugin.known.flatMap(({footprint}) => footprint.knownErrors)];
      return [...Map.groupBy(errors, ({means}) => means).values()].flatMap(alike => {
        const found = lines.filter(({text}) =>
          alike.some(known => matches(known, text.slice(0, longestLine)) && !(known.isFamily && isKnown(errors, text))),
        );
        return found.length > 0 && alike[0] ? [verdictFor(subject.node, alike[0], found)] : [];
      });
    },
    explain: {
      meaning:
        'A log of the plugin, OVS, kubelet or kube-proxy, or an event, contains an error with a known cause. The finding explains it. Only recent lines count, and only if the same log does not report success later.',
      why: 'Components retry forever and report the reason only in their logs. HNS error codes need explanation: 0x803b0001 network not found, 0x57 NIC not free, 0x490 object no longer exists.',
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

/** The meaning of a log line, if its error is known. */
export function meaningOfLine({node, plugin}: NodeSubject, text: string): string | undefined {
  const errors = [...commonErrors, ...plugin.known.flatMap(({footprint}) => footprint.knownErrors)];
  const line = text.slice(0, longestLine);
  const found = errors.filter(known => matches(known, line));
  const known = found.find(({isFamily}) => !isFamily) ?? found[0];
  return known?.otherwise?.when(node) ? known.otherwise.means : known?.means;
}

function inLogs(subject: NodeSubject): LogLine[] {
  const {node, plugin} = subject;
  const start = startPattern(plugin.known.flatMap(({footprint}) => footprint.starting));
  const boot = node.os?.bootedAt;
  return (node.logs ?? [])
    .filter(({writtenAt}) => boot === undefined || writtenAt === undefined || writtenAt >= boot)
    .filter(log => !isFromBeforeStart(node, log) && !isOfAnotherPod(log.path, subject))
    .flatMap(({path, tail}) =>
      currentLines(tail, start)
        .filter(({overtaken}) => !overtaken)
        .map(({text}): LogLine => ({section: 'logs', where: path, text})),
    );
}

/**
 * Whether a pod log belongs to a pod other than the plugin's agent, even if that has a similar name. The folder name of
 * a pod log is its namespace, `_` and its name.
 */
function isOfAnotherPod(path: string, {plugin}: NodeSubject): boolean {
  const [, namespace] = /[\\/]var[\\/]log[\\/]pods[\\/]([a-z0-9-]+)_/i.exec(path) ?? [];
  const {daemonSets = []} = plugin.profile.agent ?? {};
  if (namespace === undefined || daemonSets.length === 0) return false;
  return namespace !== 'kube-system' && !daemonSets.some(set => set.namespace === namespace);
}

/** Whether its component has started since the log was last written: its content is then outdated. */
function isFromBeforeStart({processes}: NodeModel, {path, writtenAt}: Sections['logs'][number]): boolean {
  if (writtenAt === undefined) return false;
  const name = logName(path).toLowerCase();
  const [component] = (processes ?? [])
    .filter(process => process.name.length > 3 && name.includes(process.name.toLowerCase()))
    .sort((one, other) => other.name.length - one.name.length);
  return component?.startedAt !== undefined && writtenAt < component.startedAt;
}

/** Windows events of the last hour, except those from before the boot. */
function inEvents({node, now}: NodeSubject): LogLine[] {
  const since = Math.max(now - hour, node.os?.bootedAt ?? 0);
  return (node.events ?? [])
    .filter(({at}) => at !== undefined && at >= since)
    .map(
      ({log, provider, message}): LogLine => ({section: 'events', where: log ?? provider ?? 'events', text: message}),
    );
}

/** Kubernetes events of the last hour about pods of this node that are still waiting. */
function inClusterEvents({node, cluster, now}: NodeSubject): LogLine[] {
  const waiting = cluster?.podsOn(node.name).filter(isWaiting) ?? [];
  return waiting
    .flatMap(pod => cluster?.knownEventsOn(pod) ?? [])
    .filter(({lastTimestamp, eventTime}) => now - (lastTimestamp ?? eventTime ?? 0) < hour)
    .map(
      ({involvedObject, message}): LogLine => ({
        section: 'cluster',
        where: `events of pod ${involvedObject?.namespace}/${involvedObject?.name}`,
        text: message ?? '',
      }),
    );
}

function isWaiting({status}: Pod): boolean {
  return (
    status?.phase === 'Pending' || (status?.containerStatuses ?? []).some(({state}) => state?.waiting !== undefined)
  );
}

/** Whether a specific entry covers the line, even if it marks it as harmless. */
function isKnown(errors: readonly KnownError[], text: string): boolean {
  return errors.some(({pattern, isFamily}) => !isFamily && pattern.test(text.slice(0, longestLine)));
}

function matches({pattern, unless}: KnownError, text: string): boolean {
  return pattern.test(text) && !unless?.test(text);
}

/** The name of a log; pod logs are all named 0.log, so the container name is included. */
function logName(path: string): string {
  const parts = path.split(/[\\/]/);
  return parts.slice(/^\d+\.log$/.test(parts.at(-1) ?? '') ? -2 : -1).join('/');
}

function verdictFor(node: NodeModel, known: KnownError, found: readonly LogLine[]) {
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
