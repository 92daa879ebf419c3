import {setFlagsFromString} from 'node:v8';
import {readSuppressions} from '../../diagnose/suppress.js';
import {Turns} from '../../lib/turns.js';
import {type InspectOptions, withInspection} from '../../session/inspection.js';
import type {Progress} from '../../session/progress.js';
import type {NodeEntry} from '../../view/ink/dashboard/state.js';
import type {Store} from '../../view/ink/dashboard/store.js';
import {tell} from '../../view/ink/dashboard/tabs/all.js';
import {KeptNode} from './inspected-node.js';

// Each reading of a fleet leaves much behind. What is kept is small, so collecting it earlier than V8 would costs little,
// and the dashboard stays as large as it is after its first reading.
setFlagsFromString('--heap-growing-percent=50');

/** Reads nodes, all where none is named, and tells the store of each as it comes. */
export async function readNodes(
  options: InspectOptions,
  names: readonly string[],
  store: Store,
  signal: AbortSignal,
): Promise<void> {
  const chosen = names.length > 0 ? {names, selector: undefined} : {};
  const suppressions = await readSuppressions(undefined);
  const turns = new Turns();
  const onRead: InspectOptions['onRead'] = (name, dump, cluster) =>
    turns.take(() => {
      const kept = new KeptNode(name, dump, cluster, suppressions);
      store.stream({type: 'read', entry: entryOf(kept, dump)});
    });
  const reading = {...options, ...chosen, onRead, keep: false};
  await withInspection(reading, progressTo(store, names.length === 0), signal, inspection => {
    store.dispatch({type: 'context', context: inspection.client.context});
    return inspection.read();
  });
}

/** What the list and the keys need of a node, and the way to all that was read of it. */
export function entryOf(kept: KeptNode, dump: Parameters<KeptNode['judge']>[0]): NodeEntry {
  const {subject, results} = kept.judge(dump);
  const {name, version, variant} = subject.plugin;
  return {
    name: kept.name,
    plugin: [name, version, variant && `(${variant})`].filter(Boolean).join(' '),
    results: results.filter(({outcome}) => outcome === 'fail'),
    seenAt: kept.seenAt,
    tell: sight => tell(kept.look(), sight),
  };
}

function progressTo(store: Store, all: boolean): Progress {
  return {
    isWatched: true,
    stage: text => store.stream({type: 'stage', text}),
    begin: names => {
      if (all) store.stream({type: 'nodes', names});
    },
    node: (name, phase, detail = '') => store.stream({type: 'phase', name, phase, detail}),
    found: () => {},
    warn: text => store.dispatch({type: 'notice', text}),
    end: () => {},
  };
}
