import type {V1Node} from '@kubernetes/client-node';
import {requireHelperAccess} from '../cluster/access.js';
import {connect, type KubeClient} from '../cluster/client.js';
import {HelperRun} from '../cluster/helper-run.js';
import type {ConnectionFlags} from '../cluster/kubeconfig.js';
import {helperImpossible, nodeName, selectNodes} from '../cluster/nodes.js';
import {readClusterObjects} from '../cluster/objects.js';
import {ExitCode, WinError} from '../errors.js';
import {collect} from '../helper/collect.js';
import type {Probe} from '../helper/wire.js';
import {inParallel} from '../in-parallel.js';
import {ClusterModel, internalIp} from '../snapshot/cluster.js';
import type {NodeDump, SnapshotDocument} from '../snapshot/document.js';
import {sectionNames} from '../snapshot/section-names.js';
import type {Progress} from './progress.js';

export interface InspectOptions {
  readonly connection: ConnectionFlags;
  readonly names: readonly string[];
  readonly selector?: string | undefined;
  readonly concurrency: number;
  readonly helperNamespace?: string | undefined;
  readonly helperImage?: string | undefined;
  readonly helperTimeout: number;
  /** Limit for the whole: nodes that are not read by then are told as such. */
  readonly timeout: number;
}

export interface Inspected {
  readonly document: SnapshotDocument;
  readonly names: readonly string[];
  /** Why a node could not be read, by its name. */
  readonly failures: ReadonlyMap<string, string>;
  readonly context: string;
  /** What helpers printed besides their answers, by node. */
  readonly noise: ReadonlyMap<string, readonly string[]>;
}

const sectionLimit = 10_000;
const requestLimit = 90_000;

/** Puts helpers on the nodes, reads them, and takes the helpers away again, whatever happens. */
export async function inspect(options: InspectOptions, progress: Progress, signal: AbortSignal): Promise<Inspected> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(options.timeout)]);
  const client = connect(options.connection);
  const run = new HelperRun(client, {
    namespace: options.helperNamespace,
    image: options.helperImage,
    startTimeoutMs: options.helperTimeout,
    lifetimeMs: options.timeout + options.helperTimeout,
  });
  try {
    return await withinLimit(inspectWith(client, run, options, progress, limit), options.timeout, limit, signal);
  } finally {
    progress.stage('Removing helpers…');
    await run.close();
    await client.close();
  }
}

async function inspectWith(
  client: KubeClient,
  run: HelperRun,
  options: InspectOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<Inspected> {
  progress.stage('Reading the cluster…');
  const nodes = await selectNodes(client, options, {signal});
  const names = nodes.map(nodeName);
  await requireHelperAccess(client, run.namespace, {signal});
  const {objects, version} = await readClusterObjects(client, {signal, nodes: names});
  const cluster = new ClusterModel(objects, version);
  if (nodes.some(node => helperImpossible(node) === undefined)) await run.prepare(nodes, {signal});
  progress.begin(names);
  const failures = new Map<string, string>();
  const noise = new Map<string, readonly string[]>();
  const dumps = await inParallel(nodes, options.concurrency, async (node): Promise<[string, NodeDump] | undefined> => {
    const name = nodeName(node);
    try {
      const collected = await readNode(run, node, probesOf(cluster, name), progress, signal);
      if (collected.interrupted !== undefined)
        failures.set(name, `the answer was interrupted: ${collected.interrupted}.`);
      if (collected.noise.length > 0) noise.set(name, collected.noise);
      progress.node(name, 'done');
      return [name, {sections: collected.sections, errors: collected.errors}];
    } catch (error) {
      const reason = failureOf(error, signal, options.timeout);
      failures.set(name, reason);
      progress.node(name, 'not inspected', reason);
      return undefined;
    }
  });
  return {
    document: {
      apiVersion: 'kubectl-win/v1',
      kind: 'Snapshot',
      collectedAt: new Date().toISOString(),
      cluster: {...(version !== undefined && {version}), objects},
      nodes: Object.fromEntries(dumps.filter(dump => dump !== undefined)),
    },
    names,
    failures,
    noise,
    context: client.context,
  };
}

async function readNode(
  run: HelperRun,
  node: V1Node,
  probes: readonly Probe[],
  progress: Progress,
  signal: AbortSignal,
) {
  const name = nodeName(node);
  signal.throwIfAborted();
  progress.node(name, 'starting helper');
  const session = await run.open(node, {signal, onState: state => progress.node(name, 'starting helper', state)});
  try {
    let read = 0;
    progress.node(name, 'reading', `0/${sectionNames.length}`);
    return await collect(session, {
      sections: sectionNames,
      probes,
      deadlineMs: requestLimit,
      sectionTimeoutMs: sectionLimit,
      signal,
      onSection: () => progress.node(name, 'reading', `${++read}/${sectionNames.length}`),
    });
  } finally {
    // What cannot be removed now is tried again, and told, when the run is closed.
    await session.close().catch(() => {});
  }
}

/** What the node should reach: the API server at its real address, and its own kubelet. */
function probesOf(cluster: ClusterModel, name: string): Probe[] {
  const slice = cluster.find('EndpointSlice', 'kubernetes', 'default');
  const port = slice?.ports[0]?.port ?? 6443;
  const servers = slice?.endpoints.flatMap(({addresses}) => addresses) ?? [];
  const address = internalIp(cluster.node(name));
  return [
    ...servers.map((server): Probe => ({Target: `${server}:${port}`, Kind: 'tcp'})),
    ...(address === undefined ? [] : [{Target: `${address}:10250`, Kind: 'tcp'} as const]),
  ];
}

/** One node's trouble as a sentence. Being interrupted is not a node's trouble: that ends the run. */
function failureOf(error: unknown, signal: AbortSignal, timeout: number): string {
  if (signal.aborted) {
    if (signal.reason instanceof WinError) throw signal.reason;
    return `not read within --timeout (${timeout / 1000} s).`;
  }
  if (error instanceof WinError) return [error.message, ...error.next].join(' ');
  return `unexpected: ${error instanceof Error ? error.message : String(error)}`;
}

/** Before the nodes are known there is nothing to report: running out of time then is an error. */
async function withinLimit<T>(work: Promise<T>, timeout: number, limit: AbortSignal, signal: AbortSignal): Promise<T> {
  try {
    return await work;
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) throw error;
    throw new WinError(`the cluster could not be read within --timeout (${timeout / 1000} s).`, {
      exit: ExitCode.uninspected,
      next: ['Give it more time with --timeout.'],
      cause: error,
    });
  }
}
