import type {V1Node} from '@kubernetes/client-node';
import {type Collected, collect} from '../helper/collect-sections.js';
import type {HelperRun, HelperSession} from '../helper/helper-run.js';
import type {LogLimits} from '../helper/log-limits.js';
import type {Probe} from '../helper/wire.js';
import {nameOfNode} from '../kube/select-nodes.js';
import {plugins} from '../plugins/all.js';
import {type ClusterModel, internalIp} from '../snapshot/cluster.js';
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

/** Puts a helper on a node, or finds the one that is there. */
export function openHelper(
  run: HelperRun,
  node: V1Node,
  {progress, signal, reading}: Pick<Reading, 'progress' | 'signal'> & {reading: string},
): Promise<HelperSession> {
  const name = nameOfNode(node);
  progress.node(name, 'starting helper');
  return run.open(node, {signal, reading, onState: state => progress.node(name, 'starting helper', state)});
}

/** Reads the sections of a node. */
export function readSections(session: HelperSession, reading: Reading): Promise<Collected> {
  const {sections = sectionNames, probes, maxAgeMs, logs, progress, signal} = reading;
  const {node: name} = session;
  let read = 0;
  progress.node(name, 'reading', `0/${sections.length}`);
  return collect(session, {
    sections,
    probes,
    maxAgeMs: session.installed ? maxAgeMs : undefined,
    logs,
    deadlineMs: requestLimit,
    sectionTimeoutMs: sectionLimit,
    signal,
    onSection: () => progress.node(name, 'reading', `${++read}/${sections.length}`),
  });
}

/** What the node should reach: the API server at its real address, its own kubelet, and what plugins need. */
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
