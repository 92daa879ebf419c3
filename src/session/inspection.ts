import type {V1Node} from '@kubernetes/client-node';
import {HelperRun, type HelperSession} from '../helper/helper-run.js';
import {type LogLimits, logBounds} from '../helper/log-limits.js';
import {skewRemedy, skewText} from '../helper/version-skew.js';
import {connect, type KubeClient} from '../kube/client.js';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {helperImpossible, type NodeSelection, nameOfNode, readNodes} from '../kube/select-nodes.js';
import {durationText} from '../lib/duration.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {inParallel} from '../lib/in-parallel.js';
import {interruptionOf} from '../lib/interrupt.js';
import {SharedParts} from '../lib/shared-parts.js';
import {inTurns} from '../lib/work-in-turns.js';
import {Limit} from '../lib/work-limit.js';
import {plugins} from '../plugins/all.js';
import {ClusterModel} from '../snapshot/cluster.js';
import type {NodeDump, SnapshotDocument} from '../snapshot/document.js';
import type {SectionName} from '../snapshot/section-names.js';
import {requireHelperAccess} from './access.js';
import {readClusterObjects} from './objects.js';
import {phaseLimits} from './phases.js';
import type {Progress} from './progress.js';
import {openHelper, probesOf, readSections} from './read-node.js';

export interface InspectOptions {
  readonly connection: ConnectionFlags;
  readonly names: readonly string[];
  readonly selector?: string | undefined;
  /** How many nodes are read in parallel; undefined: a default that depends on the number of nodes. */
  readonly concurrency: number | undefined;
  readonly helperNamespace?: string | undefined;
  readonly helperImage?: string | undefined;
  readonly helperTimeout: number;
  /** False: read only the API and start no helpers. Undefined: the command has no --no-helper flag. */
  readonly helper?: boolean | undefined;
  /** Sections to read; undefined: all. */
  readonly sections?: readonly SectionName[] | undefined;
  /** Accept results that installed helpers collected on schedule, if they are no older than this. */
  readonly maxAgeMs?: number | undefined;
  /** Log limits for all nodes together; undefined: the default. */
  readonly logs?: LogLimits | undefined;
  /** Limit for the whole inspection; nodes not read by then are reported as not read. */
  readonly timeout: number;
  /** Called for each node as soon as it was read, while others are still being read; the node is done when this resolves. */
  readonly onRead?: ((name: string, dump: () => NodeDump, about: AboutRead) => Promise<void>) | undefined;
  /** False: a node's data is passed to `onRead` and then discarded, for callers that read a fleet repeatedly. */
  readonly keep?: boolean | undefined;
  /** False: omit the cluster's objects from the document, for callers that need only its model. */
  readonly keepObjects?: boolean | undefined;
}

/** The context of one node's data. */
export interface AboutRead {
  readonly cluster: ClusterModel;
  /** Why the data is incomplete. */
  readonly failure: string | undefined;
  /** How long ago it was read, if it comes from an installed helper's schedule. */
  readonly ageMs: number | undefined;
}

export interface Inspected {
  /** Without the data that `keep` and `keepObjects` exclude. */
  readonly document: SnapshotDocument;
  readonly cluster: ClusterModel;
  readonly names: readonly string[];
  /** Why a node could not be read, by its name. */
  readonly failures: ReadonlyMap<string, string>;
  readonly context: string;
  /** What helpers printed besides their answers, by node. */
  readonly noise: ReadonlyMap<string, readonly string[]>;
}

/** Starts helpers on the nodes, reads the nodes, and always removes the helpers. */
export async function inspect(options: InspectOptions, progress: Progress, signal: AbortSignal): Promise<Inspected> {
  return withInspection(options, progress, signal, inspection => inspection.read());
}

/** The same for callers that continue to work with the nodes: helpers can be opened until the body returns. */
export async function withInspection<T>(
  options: InspectOptions,
  progress: Progress,
  signal: AbortSignal,
  body: (inspection: Inspection) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(options.timeout)]);
  const inspection = new Inspection(options, progress, limit);
  try {
    return await body(inspection);
  } catch (error) {
    if (signal.aborted) throw interruptionOf(error, signal);
    // An error caused by the timeout already describes what timed out.
    const isSpecific = error instanceof WinError && error.cause === limit.reason;
    throw limit.aborted && !isSpecific ? outOfTime(options.timeout, error) : error;
  } finally {
    progress.stage('Removing helpers…');
    await inspection.close();
  }
}

export class Inspection {
  readonly client: KubeClient;
  readonly run: HelperRun;
  readonly signal: AbortSignal;
  readonly #options: InspectOptions;
  readonly #progress: Progress;
  /** Checked once: permissions rarely change during a run, and a restarted API server denies everything for a moment. */
  #mayUseHelpers = false;
  #readings = 0;

  constructor(options: InspectOptions, progress: Progress, signal: AbortSignal) {
    this.client = connect(options.connection);
    this.run = new HelperRun(this.client, {
      namespace: options.helperNamespace,
      image: options.helperImage,
      pluginImages: plugins.flatMap(({footprint}) => footprint.images),
      startTimeoutMs: options.helperTimeout,
      lifetimeMs: options.timeout + options.helperTimeout,
    });
    this.signal = signal;
    this.#options = options;
    this.#progress = progress;
  }

  get #withoutHelper(): string | undefined {
    const {helper} = this.#options;
    return helper === undefined ? undefined : 'Or read only the Kubernetes API: pass --no-helper.';
  }

  /** Removes the helpers. A failed removal is only a warning, so that the results are not lost. */
  async close(): Promise<void> {
    await this.run.close().catch(error => this.#progress.warn(sentence(error)));
    await this.client.close();
  }

  /** Reads the nodes that the options select, or only these. */
  async read(only?: readonly string[]): Promise<Inspected> {
    const {helper = true} = this.#options;
    this.#progress.stage('Reading the cluster…');
    const {nodes, around} = await this.#select(only ? {names: only} : this.#options, helper);
    const findings: Findings = {failures: new Map(), noise: new Map()};
    const dumps = helper ? await this.#readNodes(nodes, around, findings) : {};
    const {cluster, part} = await around;
    return {
      document: {
        apiVersion: 'kubectl-win/v1',
        kind: 'Snapshot',
        collectedAt: new Date().toISOString(),
        cluster: part,
        nodes: dumps,
      },
      cluster,
      names: nodes.map(nameOfNode),
      ...findings,
      context: this.client.context,
    };
  }

  /** The selected nodes, reduced to what helpers need, and the cluster around them, which is read in the background. */
  async #select(selection: NodeSelection, helper: boolean) {
    const {chosen, all} = await readNodes(this.client, selection, {signal: this.signal});
    if (helper) await this.requireHelpers();
    const around = this.#readCluster(chosen.map(nameOfNode), all);
    // The error is thrown later, when the cluster is awaited.
    around.catch(() => {});
    return {nodes: chosen.map(node => forHelper(node, this.#options.helperImage)), around};
  }

  /** The cluster around the selected nodes. Raw objects are released if they are not kept. */
  async #readCluster(nodes: readonly string[], allNodes: readonly V1Node[] | undefined): Promise<ClusterRead> {
    const {signal} = this;
    const {objects, version, lists, leftOut} = await readClusterObjects(this.client, {signal, nodes, allNodes});
    const isKept = this.#options.keepObjects !== false;
    const kept = isKept ? objects : released(objects);
    // Pods start meanwhile.
    const cluster = await inTurns(ClusterModel.inSteps(kept, version, lists, new SharedParts()));
    for (const {name, error} of cluster.lists.unreadTogether)
      this.#progress.warn(`${name} could not be read: ${error}`);
    return {
      cluster,
      part: {...(version !== undefined && {version}), objects: isKept ? objects : [], lists, leftOut},
    };
  }

  /** Fails before anything is created if the user may not run helpers. */
  async requireHelpers(): Promise<void> {
    if (this.#mayUseHelpers) return;
    const {client, run, signal} = this;
    await requireHelperAccess(client, run.namespace, {signal, instead: this.#withoutHelper});
    this.#mayUseHelpers = true;
  }

  /** Pods start while the cluster is read; nodes are read only after it. */
  async #readNodes(
    nodes: readonly V1Node[],
    around: Promise<ClusterRead>,
    findings: Findings,
  ): Promise<Record<string, NodeDump>> {
    if (nodes.some(node => helperImpossible(node) === undefined)) await this.run.prepare(nodes, {signal: this.signal});
    const skew = await this.run.skew({signal: this.signal});
    if (skew) this.#progress.warn(`${skewText(skew)} This command used its own helper pods instead. ${skewRemedy}`);
    this.#progress.stage('Reading nodes…');
    this.#progress.begin(nodes.map(nameOfNode));
    const {starting, reading} = phaseLimits(nodes.length, this.#options.concurrency);
    const batch: Batch = {
      id: String(++this.#readings),
      starting: new Limit(starting),
      reading: new Limit(reading),
      pods: [],
      refusals: [],
      around,
      findings,
      logs: this.#options.logs && shareOf(this.#options.logs, nodes.length),
    };
    try {
      const dumps = await inParallel(nodes, starting + reading, node => this.#readNode(node, batch));
      this.#requireOneAccepted(nodes, batch.refusals);
      return Object.fromEntries(dumps.filter(dump => dump !== undefined));
    } finally {
      // `close` retries what could not be removed, and reports it.
      if (!this.signal.aborted) await this.run.removeReading(batch.id, batch.pods).catch(() => {});
    }
  }

  /** If the cluster refuses the helper on every node, that is one access error, not one error per node. */
  #requireOneAccepted(nodes: readonly V1Node[], [first, ...others]: readonly WinError[]): void {
    const possible = nodes.filter(node => helperImpossible(node) === undefined).length;
    if (!first || others.length + 1 < possible) return;
    const instead = this.#withoutHelper;
    const next = [...first.next, ...(instead === undefined ? [] : [instead])];
    throw new WinError(first.message, {exit: first.exit, next, cause: first});
  }

  /** Starts the helper, then reads and reports. Each phase has its own limit on parallel nodes. */
  async #readNode(node: V1Node, batch: Batch): Promise<[string, NodeDump] | undefined> {
    const name = nameOfNode(node);
    const {id, starting, reading, pods, around} = batch;
    const {signal} = this;
    const progress = this.#progress;
    try {
      const session = await starting.use(() => openHelper(this.run, node, {progress, signal, reading: id}), signal);
      pods.push(session.pod);
      const {cluster} = await around;
      // Keep the slot until the node is reported, so that no more nodes are read than can be diagnosed.
      return await reading.use(() => this.#readSections(session, cluster, batch), signal);
    } catch (error) {
      const reason = this.#failureOf(error);
      batch.findings.failures.set(name, reason);
      const refusal = error instanceof WinError && error.exit === ExitCode.denied ? error : undefined;
      if (refusal) batch.refusals.push(refusal);
      // The advice is the same for all nodes and is printed once, at the end.
      progress.node(name, 'not inspected', refusal?.message ?? reason);
      return undefined;
    }
  }

  async #readSections(
    session: HelperSession,
    cluster: ClusterModel,
    {findings: {failures, noise}, logs}: Batch,
  ): Promise<[string, NodeDump] | undefined> {
    const {node: name} = session;
    const {signal} = this;
    const progress = this.#progress;
    const {sections, maxAgeMs, onRead, keep} = this.#options;
    const probes = probesOf(cluster, name);
    const read = await readSections(session, {sections, probes, maxAgeMs, logs, progress, signal});
    if (read.interrupted !== undefined) failures.set(name, `the answer was interrupted: ${read.interrupted}.`);
    if (read.noise.length > 0) noise.set(name, read.noise);
    const dump = () => read.read();
    if (onRead) {
      progress.node(name, 'checking');
      await onRead(name, dump, {cluster, failure: failures.get(name), ageMs: read.ageMs});
    }
    progress.node(name, 'done');
    return keep === false ? undefined : [name, dump()];
  }

  /** A node's failure as a sentence. An interruption is no failure of a node: it ends the run. */
  #failureOf(error: unknown): string {
    const {aborted, reason} = this.signal;
    if (!aborted) return sentence(error);
    if (reason instanceof WinError) throw reason;
    return `timed out after ${durationText(this.#options.timeout / 1000)} (--timeout).`;
  }
}

interface ClusterRead {
  readonly cluster: ClusterModel;
  readonly part: SnapshotDocument['cluster'];
}

/** Nodes that are read together. */
interface Batch {
  readonly id: string;
  readonly starting: Limit;
  readonly reading: Limit;
  /** The pods created for this batch. */
  readonly pods: string[];
  /** Helpers that the cluster refused. */
  readonly refusals: WinError[];
  readonly around: Promise<ClusterRead>;
  readonly findings: Findings;
  /** Log limits per node. */
  readonly logs: LogLimits | undefined;
}

/** Releases each object when the next one is read, so that a cluster is not in memory twice. */
function* released(objects: unknown[]): Generator<unknown> {
  for (const [index, object] of objects.entries()) {
    objects[index] = undefined;
    yield object;
  }
}

/** Every node gets the same share, because log sizes are not known in advance. */
function shareOf({bytes, bytesInAll}: LogLimits, nodes: number): LogLimits {
  const share = Math.floor(bytesInAll / Math.max(nodes, 1));
  return {bytes, bytesInAll: Math.min(Math.max(share, logBounds.least), logBounds.mostInAll)};
}

interface Findings {
  readonly failures: Map<string, string>;
  readonly noise: Map<string, readonly string[]>;
}

/** The part of a Node object that starting a helper needs. Images are needed only to select one of them. */
function forHelper({metadata, status}: V1Node, image: string | undefined): V1Node {
  const {containerRuntimeVersion, kubeletVersion} = status?.nodeInfo ?? {};
  const conditions = status?.conditions?.filter(({type}) => type === 'Ready');
  return {
    metadata: {name: metadata?.name},
    status: {
      nodeInfo: {containerRuntimeVersion, kubeletVersion},
      ...(conditions && {conditions}),
      ...(image === 'auto' && {images: status?.images}),
    },
  } as V1Node;
}

/** Before the nodes are known there is nothing to report, so a timeout is an error. */
function outOfTime(timeout: number, cause: unknown): WinError {
  return new WinError(`reading the cluster timed out after ${durationText(timeout / 1000)} (--timeout).`, {
    exit: ExitCode.uninspected,
    next: ['Increase --timeout.'],
    cause,
  });
}

function sentence(error: unknown): string {
  if (error instanceof WinError) return [error.message, ...error.next].join(' ');
  return `unexpected: ${error instanceof Error ? error.message : String(error)}`;
}
