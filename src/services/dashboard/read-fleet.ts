import {setFlagsFromString} from 'node:v8';
import {readSuppressions} from '../../diagnose/suppress.js';
import {Turns} from '../../lib/work-in-turns.js';
import {type InspectOptions, withInspection} from '../../session/inspection.js';
import type {Phase, Progress} from '../../session/progress.js';
import {PackedNode} from './packed-node.js';

// Each reading of a fleet leaves much behind. What is kept is small, so collecting it earlier than V8 would costs little,
// and the dashboard stays as large as it is after its first reading.
setFlagsFromString('--heap-growing-percent=50');

/** A screen that shows nodes while they are read, and what was read of them. */
export interface FleetScreen {
  context(name: string): void;
  stage(text: string): void;
  nodes(names: readonly string[]): void;
  phase(name: string, phase: Phase, detail: string): void;
  read(node: PackedNode): void;
  warn(text: string): void;
}

/** Reads nodes, all where none is named, and tells the screen of each as it comes. */
export async function readFleet(
  options: InspectOptions,
  names: readonly string[],
  screen: FleetScreen,
  signal: AbortSignal,
): Promise<void> {
  const chosen = names.length > 0 ? {names, selector: undefined} : {};
  const suppressions = await readSuppressions(undefined);
  const turns = new Turns();
  const onRead: InspectOptions['onRead'] = (name, dump, {cluster}) =>
    turns.take(() => screen.read(new PackedNode(name, dump, cluster, suppressions)));
  const reading = {...options, ...chosen, onRead, keep: false};
  await withInspection(reading, progressOn(screen, names.length === 0), signal, inspection => {
    screen.context(inspection.client.context);
    return inspection.read();
  });
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
