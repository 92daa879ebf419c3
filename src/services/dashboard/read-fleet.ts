import {setFlagsFromString} from 'node:v8';
import {readSuppressions} from '../../diagnose/suppress.js';
import {Turns} from '../../lib/work-in-turns.js';
import {type InspectOptions, withInspection} from '../../session/inspection.js';
import type {Phase, Progress} from '../../session/progress.js';
import {nodesIn, readSnapshotFile} from '../../session/snapshot-file.js';
import {ClusterModel} from '../../snapshot/cluster.js';
import {PackedNode} from './packed-node.js';

// Each reading of a fleet produces much garbage, but little is kept. Collecting garbage earlier than V8's default costs
// little, and keeps the memory at what it was after the first reading.
setFlagsFromString('--heap-growing-percent=50');

/** A screen that shows the nodes, and their progress while they are read. */
export interface FleetScreen {
  context(name: string): void;
  stage(text: string): void;
  nodes(names: readonly string[]): void;
  phase(name: string, phase: Phase, detail: string): void;
  read(node: PackedNode): void;
  warn(text: string): void;
}

export interface FleetOptions extends InspectOptions {
  /** A snapshot or bundle to read instead of a cluster. */
  readonly from?: string | undefined;
}

/** Reads the named nodes, or all, and updates the screen as each is read. */
export async function readFleet(
  options: FleetOptions,
  names: readonly string[],
  screen: FleetScreen,
  signal: AbortSignal,
): Promise<void> {
  if (options.from !== undefined) return readFile(options.from, names, {asked: options.names, screen});
  const chosen = names.length > 0 ? {names, selector: undefined} : {};
  const suppressions = await readSuppressions(undefined);
  const turns = new Turns();
  const onRead: InspectOptions['onRead'] = (name, dump, {cluster}) =>
    turns.take(() => screen.read(new PackedNode(name, dump(), {cluster, suppressions})));
  const reading = {...options, ...chosen, onRead, keep: false};
  await withInspection(reading, progressOn(screen, names.length === 0), signal, inspection => {
    screen.context(inspection.client.context);
    return inspection.read();
  });
}

/** The same for the nodes of a file, with the age of the file. */
async function readFile(
  path: string,
  again: readonly string[],
  {asked, screen}: {readonly asked: readonly string[]; readonly screen: FleetScreen},
): Promise<void> {
  const suppressions = await readSuppressions(undefined);
  screen.context(path);
  screen.stage('Reading the file…');
  const document = await readSnapshotFile(path);
  const {snapshot, names, failures} = nodesIn(document, path, again.length > 0 ? again : asked);
  const {cluster = new ClusterModel(), takenAt: readAt} = snapshot;
  if (again.length === 0) screen.nodes(names);
  const turns = new Turns();
  for (const name of names) {
    const dump = document.nodes[name];
    if (dump) await turns.take(() => screen.read(new PackedNode(name, dump, {cluster, suppressions, readAt})));
    screen.phase(name, dump ? 'done' : 'not inspected', failures.get(name) ?? '');
  }
}

function progressOn(screen: FleetScreen, all: boolean): Progress {
  return {
    isWatched: true,
    stage: text => screen.stage(text),
    begin: names => {
      if (all) screen.nodes(names);
    },
    node: (name, phase, detail = '') => screen.phase(name, phase, detail),
    found: () => {},
    warn: text => screen.warn(text),
    end: () => {},
  };
}
