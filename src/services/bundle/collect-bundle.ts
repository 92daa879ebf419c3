import type {Writable} from 'node:stream';
import {diagnose} from '../../diagnose/diagnose.js';
import {allChecks, checkNode, subjectOf} from '../../diagnose/engine.js';
import type {DoctorReport} from '../../diagnose/report.js';
import {ExitCode} from '../../lib/errors.js';
import {withPlannedRemedies} from '../../repair/plan/planned-remedies.js';
import {type InspectOptions, inspect} from '../../session/inspection.js';
import {type OpenProgress, withProgress} from '../../session/progress.js';
import type {BundleManifest} from '../../snapshot/bundle.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import {listName} from '../../snapshot/cluster-lists.js';
import type {NodeDump, SnapshotDocument} from '../../snapshot/document.js';
import {type NodeModel, nodeModelOf} from '../../snapshot/node.js';
import {readSnapshot, type Snapshot} from '../../snapshot/snapshot.js';
import type {Topology} from '../inspect/part.js';
import {topologyOf} from '../inspect/topology.js';
import {componentOf} from '../logs/merge.js';
import {type Redactable, Redactor} from '../redact/redact.js';
import {BundleWriter} from './bundle-writer.js';

export interface BundleOptions extends InspectOptions {
  /** What to replace besides secrets, which never leave. */
  readonly redact: readonly Redactable[];
  /** The version of this program. */
  readonly version: string;
}

/** What a bundle needs of whoever asks for it. */
export interface BundlePorts {
  readonly open: OpenProgress;
  readonly target: Writable;
  /** The report as files: how it looks is not for here to say. */
  reports(
    report: DoctorReport,
    topologies: ReadonlyMap<string, Topology>,
  ): Promise<readonly (readonly [path: string, text: string])[]>;
}

export interface Bundled {
  readonly manifest: BundleManifest;
  readonly report: DoctorReport;
}

/** Drawings of more nodes would make a page that nobody can open. */
const mostDrawings = 50;

/** Reads nodes into a bundle. Each is written as it is read. */
export async function collectBundle(options: BundleOptions, ports: BundlePorts, signal: AbortSignal): Promise<Bundled> {
  const collection = new BundleCollection(options, new BundleWriter(ports.target, new Date()));
  const {document, names, failures, context} = await withProgress(ports.open, progress =>
    inspect(
      {...options, onRead: (name, dump, {cluster}) => collection.node(name, dump, cluster), keep: false},
      progress,
      signal,
    ),
  );
  const cluster = readSnapshot(document).cluster;
  return collection.end({document, cluster, names, failures, context, reports: ports.reports});
}

class BundleCollection {
  readonly #options: BundleOptions;
  readonly #bundle: BundleWriter;
  readonly #redactor: Redactor;
  readonly #topologies = new Map<string, Topology>();
  readonly #nodes = new Map<string, NodeModel>();
  readonly #log: string[] = [];
  readonly #now = new Date();
  #knowsCluster = false;

  constructor(options: BundleOptions, bundle: BundleWriter) {
    this.#options = options;
    this.#bundle = bundle;
    this.#redactor = new Redactor(options.redact);
    this.#note(`kubectl win ${options.version}: collect`);
  }

  async node(name: string, dump: NodeDump, cluster: ClusterModel): Promise<void> {
    this.#learn(cluster);
    this.#redactor.learnNode(name, dump);
    const node = nodeModelOf(name, dump);
    this.#nodes.set(name, node);
    const subject = subjectOf(this.#snapshot(cluster), name, Date.now());
    const results = checkNode(subject, allChecks);
    const redacted = this.#redactor.document(dump);
    const standIn = this.#redactor.text(name);
    if (this.#topologies.size < mostDrawings) {
      this.#topologies.set(standIn, this.#redactor.document(topologyOf({subject, results, ofCluster: []})));
    }
    await this.#write(standIn, redacted);
    for (const [section, {message, kind}] of Object.entries(redacted.errors)) {
      this.#bundle.miss(`${standIn} ${section}`, message || kind);
    }
    this.#note(`${name}: read, ${Object.keys(dump.sections).length} sections`);
  }

  async end({document, cluster, names, failures, context, reports}: Ending): Promise<Bundled> {
    const redactor = this.#redactor;
    this.#learn(cluster);
    for (const [name, reason] of failures) {
      this.#bundle.miss(redactor.text(name), redactor.text(reason));
      this.#note(`${name}: ${reason}`);
    }
    await this.#bundle.add('cluster.json', json(redactor.document(document.cluster ?? {})));
    for (const list of cluster?.lists.unread ?? []) {
      this.#bundle.miss(redactor.text(listName(list)), redactor.text(list.error ?? ''));
    }
    const snapshot = this.#snapshot(cluster);
    const report = redactor.document(
      diagnose({snapshot, names, failures, selection: {}, remedies: withPlannedRemedies, context, now: this.#now}),
    );
    for (const [path, text] of await reports(report, this.#topologies)) await this.#bundle.add(path, text);
    await this.#bundle.add('kubectl-win.log', redactor.text(this.#log.join('')));
    const manifest = await this.#bundle.end({version: this.#options.version, replaced: redactor.replaced});
    return {manifest, report};
  }

  /** The whole of a node for programs, its logs and events also as people read them. */
  async #write(name: string, dump: NodeDump): Promise<void> {
    const folder = `nodes/${fileName(name)}`;
    await this.#bundle.add(`${folder}/node.json`, json({name, ...dump}));
    const {logs = [], events = []} = nodeModelOf(name, dump);
    const taken = new Set<string>();
    for (const {path, tail} of logs.filter(log => log.tail !== '')) {
      const file = unique(fileName(componentOf(path)), taken);
      await this.#bundle.add(`${folder}/logs/${file}.log`, `# ${path}\n${tail}\n`);
    }
    if (events.length > 0) await this.#bundle.add(`${folder}/events.txt`, events.map(eventLine).join(''));
  }

  #learn(cluster: ClusterModel | undefined): void {
    if (this.#knowsCluster) return;
    this.#redactor.learnObjects(cluster?.objects() ?? []);
    this.#knowsCluster = true;
  }

  #snapshot(cluster: ClusterModel | undefined): Snapshot {
    return {cluster, nodes: this.#nodes, takenAt: this.#now.getTime()};
  }

  #note(text: string): void {
    this.#log.push(`${new Date().toISOString()} ${text}\n`);
  }
}

interface Ending {
  readonly document: SnapshotDocument;
  readonly cluster: ClusterModel | undefined;
  readonly names: readonly string[];
  readonly failures: ReadonlyMap<string, string>;
  readonly context: string;
  readonly reports: BundlePorts['reports'];
}

/** Names of nodes and logs become names of files. */
const fileName = (name: string) =>
  name
    .replace(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 100) || '_';

function unique(name: string, taken: Set<string>): string {
  let free = name;
  for (let i = 2; taken.has(free); i++) free = `${name}-${i}`;
  taken.add(free);
  return free;
}

type NodeEvent = NonNullable<NodeModel['events']>[number];

const eventLine = ({at, level, provider, log, id, message}: NodeEvent) =>
  `${at === undefined ? '-' : new Date(at).toISOString()} ${level ?? ''} ${provider ?? log ?? ''} ${id ?? ''}: ${message}\n`;

const json = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`;

/** What could not be had is in the manifest; the code says that there is some. */
export function bundleExitCode({report: {cluster, summary}}: Bundled): ExitCode {
  const gaps = summary.uninspected + summary.incomplete + (cluster.unread?.length ?? 0);
  return gaps > 0 ? ExitCode.uninspected : ExitCode.ok;
}
