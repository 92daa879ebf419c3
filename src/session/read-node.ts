import type {V1Node} from '@kubernetes/client-node';
import {type Collected, collect} from '../helper/collect-sections.js';
import type {HelperRun, HelperSession} from '../helper/helper-run.js';
import type {LogLimits} from '../helper/log-limits.js';
import type {Probe} from '../helper/wire.js';
import {nameOfNode} from '../kube/select-nodes.js';
import {plugins} from '../plugins/all.js';
import {type ClusterModel, internalIp} from '../snapshot/cluster.js';
import {ovs, southboundServers} from '../snapshot/ovs.js';
import {type SectionName, sectionNames} from '../snapshot/section-names.js';
import type {Progress} from './progress.js';

const sectionLimit = 10_000;
const requestLimit = 90_000;

interface Reading {
  readonly sections?: readonly SectionName[] | undefined;
  readonly probes: readonly Probe[];
  readonly maxAgeMs?: number | undefined;
  readonly logs?: LogLimits | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Starts a helper on a node, or finds the installed one. */
export function openHelper(
  run: HelperRun,
  node: V1Node,
  {progress, signal, reading}: Pick<Reading, 'progress' | 'signal'> & {reading: string},
): Promise<HelperSession> {
  const name = nameOfNode(node);
  progress.node(name, 'starting helper');
  return run.open(node, {signal, reading, onState: state => progress.node(name, 'starting helper', state)});
}

/** Reads the sections of a node through its helper. */
export async function readSections(session: HelperSession, reading: Reading): Promise<Collected> {
  const {sections = sectionNames, probes, maxAgeMs, logs, progress, signal} = reading;
  const {node: name} = session;
  const limits = {deadlineMs: requestLimit, sectionTimeoutMs: sectionLimit, signal};
  let read = 0;
  progress.node(name, 'reading', `0/${sections.length}`);
  const collected = await collect(session, {
    ...limits,
    sections,
    probes,
    maxAgeMs: session.installed ? maxAgeMs : undefined,
    logs,
    onSection: () => progress.node(name, 'reading', `${++read}/${sections.length}`),
  });
  const further = sections.includes('probes') ? namedByNode(collected, probes) : [];
  if (further.length === 0) return collected;
  const more = await collect(session, {...limits, sections: ['probes'], probes: further}).catch(() => {
    // The other sections are complete without it; a check reports that this was not tested.
    signal.throwIfAborted();
    return undefined;
  });
  return more === undefined ? collected : withProbes(collected, more);
}

/** The external id of OVS that names OVN's southbound servers. */
const southbound = 'ovn-remote';
/** The list comes from the node and is untrusted, so it is limited. */
const mostServers = 8;

/** Servers that only the node names: those of OVN, which are not always nodes labelled by the plugin. */
function namedByNode(collected: Collected, probes: readonly Probe[]): Probe[] {
  if (!collected.mentions('ovs', southbound)) return [];
  const remote = externalIdsOf(collected.section('ovs'))[southbound] ?? '';
  const known = new Set(probes.map(({Target}) => Target));
  return southboundServers(remote)
    .slice(0, mostServers)
    .map(({host, port}): Probe => ({Target: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`, Kind: 'tcp'}))
    .filter(({Target}) => !known.has(Target) && !known.has(Target.replace(/[[\]]/g, '')));
}

/** The external ids of OVS; none if the section is not valid. */
function externalIdsOf(raw: unknown): Readonly<Record<string, string>> {
  try {
    return ovs(raw).externalIds;
  } catch {
    return {};
  }
}

function withProbes(collected: Collected, more: Collected): Collected {
  const probed = [collected, more].flatMap(one => (one.section('probes') as unknown[] | undefined) ?? []);
  const {noise, host, ms, ageMs, interrupted} = collected;
  return {
    ...{noise, host, ms, ageMs, interrupted},
    read: () => {
      const {sections, errors} = collected.read();
      return {sections: {...sections, probes: probed}, errors};
    },
    section: name => (name === 'probes' ? probed : collected.section(name)),
    mentions: (name, text) => collected.mentions(name, text),
  };
}

/** The addresses that the node should reach: the API server's endpoints, its own kubelet, and what plugins need. */
export function probesOf(cluster: ClusterModel, name: string): Probe[] {
  const slice = cluster
    .known('EndpointSlice')
    .find(({metadata}) => metadata.name === 'kubernetes' && metadata.namespace === 'default');
  const port = slice?.ports[0]?.port ?? 6443;
  const servers = slice?.endpoints.flatMap(({addresses}) => addresses) ?? [];
  const address = internalIp(cluster.node(name));
  const targets = [
    ...servers.map(server => `${server}:${port}`),
    ...(address === undefined ? [] : [`${address}:10250`]),
    ...plugins.flatMap(({footprint}) => footprint.probes(cluster)),
  ];
  return targets.map(Target => ({Target, Kind: 'tcp'}));
}
