import {Box, render, useInput, useWindowSize} from 'ink';
import {useEffect, useMemo, useRef, useState, useSyncExternalStore} from 'react';
import {subjectOf} from '../checks/engine.js';
import {type Command, commandOf, singleKeys} from '../dashboard/keys.js';
import {contentOf} from '../dashboard/lines.js';
import {type Action, entryAtHand, type State} from '../dashboard/state.js';
import type {Store} from '../dashboard/store.js';
import {BottomLine, ContentPane, NodeList, offsetOf, overlayContent, TabLine, TopLine} from './dashboard-parts.js';
import {Coloured} from './toned.js';

export interface DashboardHandle {
  /** Gives the terminal back. */
  close(): Promise<void>;
}

interface Options {
  readonly store: Store;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly colour: boolean;
  readonly onCommand: (command: Exclude<Command, Action>) => void;
}

/** The full-screen dashboard, on a screen of its own: what was on the terminal comes back when it ends. */
export function openDashboard({store, input, output, colour, onCommand}: Options): DashboardHandle {
  const screen = (
    <Coloured value={colour}>
      <Dashboard store={store} onCommand={onCommand} />
    </Coloured>
  );
  // Ctrl-C is a key from the first frame on, also before Ink listens.
  input.setRawMode(true);
  const app = render(screen, {
    stdin: input,
    stdout: output,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
    alternateScreen: true,
    incrementalRendering: true,
  });
  return {
    close: async () => {
      const ended = app.waitUntilExit();
      app.unmount();
      await ended;
      input.setRawMode(false);
    },
  };
}

function Dashboard({store, onCommand}: Pick<Options, 'store' | 'onCommand'>) {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const {rows, columns} = useWindowSize();
  const now = useClock();
  const entry = entryAtHand(state);
  const listWidth = listWidthOf(columns, state.focus);
  const width = Math.max(20, columns - listWidth - 2);
  const height = Math.max(3, rows - 3);
  const {cluster, tab, finding, unfolded, focus, overlay} = state;
  const node = entry?.node;
  const subject = useMemo(
    () =>
      node && subjectOf({cluster, nodes: new Map([[node.name, node]]), takenAt: entry?.seenAt}, node.name, Date.now()),
    [cluster, node, entry?.seenAt],
  );
  const content = useMemo(() => {
    if (overlay) return overlayContent(overlay, width);
    return entry && contentOf(entry, subject, {tab, finding, unfolded, focus, width});
  }, [overlay, entry, subject, tab, finding, unfolded, focus, width]);
  const offset = content ? offsetOf(content, state.scroll, height - 1) : {at: 0, scroll: 0};
  const shown = useRef(offset.scroll);
  shown.current = offset.scroll;
  useInput((typed, key) => {
    // What could not be scrolled any more must not have to be scrolled back.
    if (store.get().scroll !== shown.current) store.dispatch({type: 'scrolled', to: shown.current});
    for (const [one, its] of singleKeys(typed, key)) {
      const command = commandOf(store.get(), one, its);
      if (command && isAction(command)) store.dispatch(command);
      else if (command) onCommand(command);
    }
  });
  return (
    <Box flexDirection="column" height={rows} width={columns}>
      <TopLine state={state} />
      <TabLine state={state} columns={columns} />
      <Box height={height}>
        <NodeList state={state} width={listWidth} height={height} now={now} />
        <ContentPane
          entry={entry}
          lines={content?.lines ?? []}
          at={offset.at}
          width={width}
          height={height}
          stage={state.stage}
        />
      </Box>
      <BottomLine state={state} columns={columns} />
    </Box>
  );
}

/** On a narrow screen the list makes room for what is read. */
function listWidthOf(columns: number, focus: State['focus']): number {
  if (columns < 100 && focus === 'content') return 20;
  return Math.max(24, Math.min(44, Math.floor(columns * 0.38)));
}

function isAction(command: Command): command is Action {
  return !['refresh', 'fix', 'explain', 'copy', 'quit'].includes(command.type);
}

/** Ticks for the ages of what was read. */
function useClock(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
