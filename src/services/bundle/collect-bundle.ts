import type {Writable} from 'node:stream';
import {FleetDiagnosis} from '../../diagnose/diagnose.js';
import {subjectOf} from '../../diagnose/engine.js';
import type {DoctorReport} from '../../diagnose/report.js';
import {logBounds} from '../../helper/log-limits.js';
import {ExitCode} from '../../lib/errors.js';
import {SharedParts} from '../../lib/shared-parts.js';
import {keepHeapSmall} from '../../lib/small-heap.js';
import type {NodeSubject} from '../../model/check.js';
import type {Result} from '../../model/result.js';
import {withPlannedRemedies} from '../../repair/plan/planned-remedies.js';
import {type InspectOptions, inspect} from '../../session/inspection.js';
import {type OpenProgress, withProgress} from '../../session/progress.js';
import type {BundleManifest} from '../../snapshot/bundle-manifest.js';
import type {ClusterModel} from '../../snapshot/cluster.js';
import type {NodeDump, SnapshotDocument} from '../../snapshot/document.js';
import {type NodeModel, nodeModelOf, unreadNode} from '../../snapshot/node.js';
import {readSnapshot} from '../../snapshot/snapshot.js';
import {Drawings} from '../inspect/drawings.js';
import type {Topology} from '../inspect/part.js';
import {componentOf, textSince} from '../logs/merge.js';
import {type Redactable, Redactor} from '../redact/redact.js';
import {BundleWriter} from './bundle-writer.js';

export interface BundleOptions extends InspectOptions {
  /** What to replace in addition to secrets, which are always removed. */
  readonly redact: readonly Redactable[];
  /** The version of this program. */
  readonly version: string;
  /** How far back logs and events go, in milliseconds. */
  readonly since?: number | undefined;
}

/** What a bundle needs of its caller. */
export interface BundlePorts {
  readonly open: OpenProgress;
  readonly target: Writable;
  /** Renders the report as files. */
  reports(
    report: DoctorReport,
    topologies: ReadonlyMap<string, Topology>,
  ): Promise<readonly (readonly [path: string, text: string])[]>;
}

export interface Bundled {
  readonly manifest: BundleManifest;
  readonly report: DoctorReport;
  /** What of the cluster's objects was left out, with the number of objects. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Reads nodes into a bundle. Each node is written as soon as it is read; only its results stay in memory. */
export async function collectBundle(options: BundleOptions, ports: BundlePorts, signal: AbortSignal): Promise<Bundled> {
  keepHeapSmall();
  const bundle = new BundleWriter(ports.target, new Date());
  const collection = new BundleCollection(options, bundle);
  const {document, names, failures, context} = await withProgress(ports.open, progress =>
    inspect(
      {
        ...options,
        onRead: (name, dump, {cluster, failure}) => collection.node(name, dump(), cluster, failure),
        keep: false,
      },
      progress,
      // What cannot be written any more need not be read.
      AbortSignal.any([signal, bundle.failed]),
    ),
  );
  const cluster = readSnapshot(document).cluster;
  return collection.end({document, cluster, names, failures, context, reports: ports.reports});
}

class BundleCollection {
  readonly #options: BundleOptions;
  readonly #bundle: BundleWriter;
  readonly #redactor: Redactor;
  readonly #drawings = new Drawings();
  readonly #read = new Set<string>();
  readonly #log: string[] = [];
  readonly #now = new Date();
  #diagnosis: FleetDiagnosis | undefined;

  constructor(options: BundleOptions, bundle: BundleWriter) {
    this.#options = options;
    this.#bundle = bundle;
    this.#redactor = new Redactor(options.redact);
    this.#note(`kubectl win ${options.version}: collect`);
  }

  async node(name: string, dump: NodeDump, cluster: ClusterModel, failure: string | undefined): Promise<void> {
    this.#read.add(name);
    const diagnosis = this.#begin(cluster);
    this.#redactor.learnNode(name, dump);
    // Diagnose the same amount of log as doctor, so that both have the same findings. Longer logs are for people.
    diagnosis.add({read: () => this.#subject(cluster, nodeModelOf(name, withUsualLogs(dump))), error: failure});
    const redacted = this.#redactor.document(dump);
    const standIn = this.#redactor.text(name);
    await this.#write(standIn, redacted);
    for (const [section, {message, kind}] of Object.entries(redacted.errors)) {
      this.#bundle.miss(`${standIn} ${section}`, message || kind);
    }
    this.#note(`${name}: read, ${Object.keys(dump.sections).length} sections`);
  }

  async end({document, cluster, names, failures, context, reports}: Ending): Promise<Bundled> {
    const redactor = this.#redactor;
    const diagnosis = this.#begin(cluster);
    for (const name of names.filter(one => !this.#read.has(one))) {
      diagnosis.add({
        read: () => this.#subject(cluster, unreadNode(name)),
        error: failures.get(name) ?? 'it was not read.',
      });
    }
    for (const [name, reason] of failures) {
      this.#bundle.miss(redactor.text(name), redactor.text(reason));
      this.#note(`${name}: ${reason}`);
    }
    await this.#bundle.add('cluster.json', json(redactor.document(document.cluster ?? {})));
    for (const {name, error} of cluster?.lists.unreadTogether ?? []) {
      this.#bundle.miss(redactor.text(name), redactor.text(error));
    }
    const report = redactor.document(diagnosis.report(context));
    const topologies = new Map(
      [...this.#drawings.topologies].map(([name, one]) => [redactor.text(name), redactor.document(one)]),
    );
    for (const [path, text] of await reports(report, topologies)) await this.#bundle.add(path, text);
    await this.#bundle.add('kubectl-win.log', redactor.text(this.#log.join('')));
    const manifest = await this.#bundle.end({version: this.#options.version, replaced: redactor.replaced});
    return {manifest, report, leftOut: document.cluster?.leftOut ?? {}};
  }

  /** All sections of a node as JSON, and its logs and events as text. */
  async #write(name: string, dump: NodeDump): Promise<void> {
    const folder = `nodes/${fileName(name)}`;
    await this.#bundle.add(`${folder}/node.json`, json({name, ...withUsualLogs(dump)}));
    const node = nodeModelOf(name, dump);
    const {since} = this.#options;
    const earliest = since === undefined ? undefined : (node.os?.clock ?? this.#now.getTime()) - since;
    const taken = new Set<string>();
    for (const log of node.logs ?? []) {
      const text = textSince(log, earliest, node.os?.utcOffset);
      if (text === '') continue;
      const file = unique(fileName(componentOf(log.path)), taken);
      await this.#bundle.add(`${folder}/logs/${file}.log`, `${headOf(log)}\n${text}\n`);
    }
    const events = (node.events ?? []).filter(({at}) => earliest === undefined || at === undefined || at >= earliest);
    if (events.length > 0) await this.#bundle.add(`${folder}/events.txt`, events.map(eventLine).join(''));
  }

  #begin(cluster: ClusterModel | undefined): FleetDiagnosis {
    if (this.#diagnosis) return this.#diagnosis;
    this.#redactor.learnObjects(cluster?.objects() ?? []);
    const remedies = (subject: NodeSubject, results: readonly Result[]) => {
      this.#drawings.take(subject, results);
      return withPlannedRemedies(subject, results);
    };
    this.#diagnosis = new FleetDiagnosis({
      cluster,
      selection: {},
      remedies,
      now: this.#now,
      parts: new SharedParts(),
    });
    return this.#diagnosis;
  }

  #subject(cluster: ClusterModel | undefined, node: NodeModel): NodeSubject {
    const snapshot = {cluster, nodes: new Map([[node.name, node]]), takenAt: this.#now.getTime()};
    return subjectOf(snapshot, node.name, this.#now.getTime());
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

/** A name of a node or log as a valid file name. */
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

/** The dump with its logs cut to the length that checks read. */
function withUsualLogs(dump: NodeDump): NodeDump {
  const {logs} = dump.sections;
  if (!Array.isArray(logs)) return dump;
  const usual = logs.map((log: {Tail?: unknown} | null) =>
    typeof log?.Tail === 'string' ? {...log, Tail: log.Tail.slice(-logBounds.usual)} : log,
  );
  return {...dump, sections: {...dump.sections, logs: usual}};
}

type Log = NonNullable<NodeModel['logs']>[number];

/** The header line of a log file: its path, and how much of it was read. */
function headOf({path, length, tail}: Log): string {
  const bytes = Buffer.byteLength(tail);
  return length !== undefined && length > bytes ? `# ${path}, the last ${bytes} of ${length} bytes` : `# ${path}`;
}

type NodeEvent = NonNullable<NodeModel['events']>[number];

const eventLine = ({at, level, provider, log, id, message}: NodeEvent) =>
  `${at === undefined ? '-' : new Date(at).toISOString()} ${level ?? ''} ${provider ?? log ?? ''} ${id ?? ''}: ${message}\n`;

const json = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`;

/** The manifest lists what is missing; the exit code signals that something is. */
export function bundleExitCode({report: {cluster, summary}}: Bundled): ExitCode {
  const gaps = summary.uninspected + summary.incomplete + (cluster.unread?.length ?? 0);
  return gaps > 0 ? ExitCode.uninspected : ExitCode.ok;
}
