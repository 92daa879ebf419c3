import {Box, render, useInput, useIsScreenReaderEnabled, useWindowSize} from 'ink';
import {useEffect, useMemo, useRef, useState, useSyncExternalStore} from 'react';
import {plain} from '../../../lib/untrusted.js';
import {phaseText} from '../live-state.js';
import {Coloured} from '../toned.js';
import {type Content, type ScreenLine, still, type Viewport, wrapped} from './content.js';
import {type Command, commandOf, singleKeys} from './keys.js';
import {listWidth, NodeList} from './node-list.js';
import {BottomLine, ContentPane, offsetOf, overlayContent, TabLine, TopLine} from './parts.js';
import {type Action, entryAtHand, type NodeEntry} from './state.js';
import type {DashboardStore} from './store.js';

export interface DashboardHandle {
  /** Resolves when the first frame is on the screen. */
  readonly drawn: Promise<void>;
  /** Gives the terminal back. */
  close(): Promise<void>;
}

interface Options {
  readonly store: DashboardStore;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly colour: boolean;
  readonly onCommand: (command: Exclude<Command, Action>) => void;
}

/** The full-screen dashboard, on a screen of its own: what was on the terminal comes back when it ends. */
export function openDashboard({store, input, output, colour, onCommand}: Options): DashboardHandle {
  const {promise: drawn, resolve: onDrawn} = Promise.withResolvers<void>();
  const screen = (
    <Coloured value={colour}>
      <Dashboard store={store} onCommand={onCommand} onDrawn={onDrawn} />
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
    drawn,
    close: async () => {
      const ended = app.waitUntilExit();
      app.unmount();
      await ended;
      input.setRawMode(false);
    },
  };
}

interface DashboardProps extends Pick<Options, 'store' | 'onCommand'> {
  readonly onDrawn: () => void;
}

export function Dashboard({store, onCommand, onDrawn}: DashboardProps) {
  useEffect(onDrawn, [onDrawn]);
  const state = useSyncExternalStore(store.subscribe, store.get);
  const {rows, columns} = useWindowSize();
  const now = useClock();
  const entry = entryAtHand(state);
  const {tab, finding, unfolded, focus, overlay, failure} = state;
  // Read aloud, the list is one line above what is told of the node.
  const isSpoken = useIsScreenReaderEnabled();
  const list = overlay ? 0 : isSpoken ? columns : listWidth(state, columns);
  const width = Math.max(20, columns - (isSpoken ? 0 : list) - 2);
  const height = Math.max(3, rows - (isSpoken ? 6 : 3));
  const content = useMemo(() => {
    if (overlay) return overlayContent(overlay, width);
    const told = entry ? contentOf(entry, {tab, finding, unfolded, focus, width}) : still([]);
    return failure === undefined ? told : below(wrapped('error', `✗ ${plain(failure)} r tries again.`, width), told);
  }, [overlay, entry, failure, tab, finding, unfolded, focus, width]);
  const offset = offsetOf(content, state.scroll, height - 1);
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
      <Box height={height} flexDirection={isSpoken ? 'column' : 'row'}>
        {overlay ? null : <NodeList state={state} width={list} height={height} now={now} />}
        <ContentPane
          entry={entry}
          overlay={overlay}
          lines={content.lines}
          at={offset.at}
          width={width}
          height={height}
          focused={focus === 'content' || overlay !== undefined}
        />
      </Box>
      <BottomLine state={state} columns={columns} />
    </Box>
  );
}

/** What was read of a node, with what is in the way of reading it now. */
function contentOf({tell, error, phase, detail = ''}: NodeEntry, sight: Viewport): Content {
  const trouble = error === undefined ? [] : wrapped('warning', `? Could not be read: ${plain(error)}`, sight.width);
  if (!tell)
    return still([...trouble, ...wrapped('dim', phase ? phaseText(phase, detail) : 'Not read yet.', sight.width)]);
  return trouble.length === 0 ? tell(sight) : below(trouble, tell(sight));
}

/** Content under a few lines that come before it. */
function below(first: readonly ScreenLine[], {lines, from, to}: Content): Content {
  const before = [...first, []];
  return {lines: [...before, ...lines], from: from + before.length, to: to + before.length};
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
