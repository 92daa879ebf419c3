// Diagnoses recorded nodes one after the other, as `doctor --from` does.
import {createReadStream, readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {FleetDiagnosis} from '../../../src/diagnose/diagnose.js';
import {subjectOf} from '../../../src/diagnose/engine.js';
import type {NodeSubject} from '../../../src/model/check.js';
import {withPlannedRemedies} from '../../../src/repair/plan/planned-remedies.js';
import type {ClusterModel} from '../../../src/snapshot/cluster.js';
import type {NodeDump, SnapshotDocument} from '../../../src/snapshot/document.js';
import {nodeModelOf} from '../../../src/snapshot/node.js';
import {readSnapshot} from '../../../src/snapshot/snapshot.js';
import {documentPieces} from '../../../src/view/text/print.js';

const now = new Date();
const document: SnapshotDocument = {apiVersion: 'kubectl-win/v1', kind: 'Snapshot', collectedAt: undefined, nodes: {}};
const parts = {'parse JSON': 0, normalise: 0, detect: 0, 'run checks': 0, 'read cluster': 0, 'report as JSON': 0};

let withinMs = 0;

/** Runs a function and adds up its time, without that of the parts within it. */
function timed<Result>(part: keyof typeof parts, work: () => Result): Result {
  const before = withinMs;
  withinMs = 0;
  const began = performance.now();
  const result = work();
  const ms = performance.now() - began;
  parts[part] += ms - withinMs;
  withinMs = before + ms;
  return result;
}

/** Nodes that are diagnosed together: the data of a whole fleet does not fit into memory. */
const together = 64;

const began = process.cpuUsage();
let cluster: ClusterModel | undefined;
let fleet: FleetDiagnosis | undefined;
let waiting: string[] = [];
for await (const line of createInterface({input: createReadStream(process.argv[2] ?? '')})) {
  if (!fleet) {
    const read = timed('parse JSON', () => JSON.parse(line));
    cluster = timed('read cluster', () => readSnapshot({...document, cluster: read}).cluster);
    fleet = new FleetDiagnosis({
      cluster,
      selection: {},
      remedies: (subject, results) => withPlannedRemedies(subject, results, () => results),
      now,
    });
    continue;
  }
  waiting.push(line);
  if (waiting.length === together) diagnoseWaiting();
}
diagnoseWaiting();

function diagnoseWaiting(): void {
  timed('run checks', () => fleet?.addAll(waiting.map(line => ({read: () => readNode(line)}))));
  waiting = [];
}

function readNode(line: string): NodeSubject {
  const {name, dump}: {name: string; dump: NodeDump} = timed('parse JSON', () => JSON.parse(line));
  const node = timed('normalise', () => nodeModelOf(name, dump));
  const snapshot = {cluster, nodes: new Map([[name, node]]), takenAt: now.getTime()};
  return timed('detect', () => subjectOf(snapshot, name, now.getTime()));
}

const report = timed('run checks', () => fleet?.report('bench'));
timed('report as JSON', () => {
  for (const _ of documentPieces(report, 'json'));
});

const ms = Object.values(parts).reduce((sum, part) => sum + part, 0);
const {user, system} = process.cpuUsage(began);
const processorMs = (user + system) / 1000;
// Not maxRSS, which includes the memory of the parent process.
const [, kib = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
process.stdout.write(JSON.stringify({ms, processorMs, parts, mib: Number(kib) / 1024}));
