import {Box, render, useInput, useIsScreenReaderEnabled, useWindowSize} from 'ink';
import {useEffect, useMemo, useRef, useState, useSyncExternalStore} from 'react';
import {plain} from '../../../lib/untrusted.js';
import {phaseText} from '../live-state.js';
import {useSuspension} from '../suspend.js';
import {Coloured} from '../toned.js';
import {type Content, type ScreenLine, still, type Viewport, wrapped} from './content.js';
import {type Action, type NodeEntry, selectedEntry} from './dashboard-state.js';
import {type Command, commandOf, singleKeys} from './keys.js';
import {type Layout, MouseReports, mouseAction, mouseOff, mouseOn, withoutReports} from './mouse.js';
import {listColumns, NodeList, shownNodes, tinyScreen, widthOf} from './node-list.js';
import {BottomLine, ContentPane, offsetOf, overlayContent, Rule, TabLine, TopLine} from './parts.js';
import {searched} from './search.js';
import type {DashboardStore} from './store.js';

export interface DashboardHandle {
  /** Resolves when the first frame is on the screen. */
  readonly drawn: Promise<void>;
  /** Restores the terminal. */
  close(): Promise<void>;
}

interface Options {
  readonly store: DashboardStore;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly colour: boolean;
  readonly onCommand: (command: Exclude<Command, Action | {type: 'typed'}>) => void;
}

/** The full-screen dashboard, on the alternate screen: the previous terminal content returns when it ends. */
export function openDashboard({store, input, output, colour, onCommand}: Options): DashboardHandle {
  const {promise: drawn, resolve: onDrawn} = Promise.withResolvers<void>();
  const mouse = followMouse(store, output);
  const reports = new MouseReports();
  const screen = (
    <Coloured value={colour}>
      <Dashboard store={store} onCommand={onCommand} onDrawn={onDrawn} reports={reports} around={mouse.without} />
    </Coloured>
  );
  // Ctrl-C must be a key from the first frame on, even before Ink listens.
  input.setRawMode(true);
  const app = render(screen, {
    stdin: withoutReports(input, reports),
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
      mouse.close();
      app.unmount();
      await ended;
      input.setRawMode(false);
    },
  };
}

/** Enables mouse reports while the dashboard uses the mouse, and always disables them when the process exits. */
function followMouse(store: DashboardStore, output: NodeJS.WriteStream) {
  let isOn = false;
  const set = (on: boolean) => {
    if (on !== isOn) output.write(on ? mouseOn : mouseOff);
    isOn = on;
  };
  const off = () => set(false);
  const follow = () => set(store.get().mouse);
  const unsubscribe = store.subscribe(follow);
  process.once('exit', off);
  follow();
  return {
    without: async (stop: () => Promise<void>) => {
      off();
      await stop();
      follow();
    },
    close: () => {
      unsubscribe();
      process.off('exit', off);
      off();
    },
  };
}

interface DashboardProps extends Pick<Options, 'store' | 'onCommand'> {
  readonly onDrawn: () => void;
  readonly reports?: MouseReports;
  /** Wraps the suspension by Ctrl-Z, with actions before and after it. */
  readonly around?: (stop: () => Promise<void>) => Promise<void>;
}

/** From this number of rows on there is room for blank lines and a second rule. */
const roomyRows = 30;
const ruledRows = 20;

export function Dashboard({store, onCommand, onDrawn, reports, around}: DashboardProps) {
  useEffect(onDrawn, [onDrawn]);
  const state = useSyncExternalStore(store.subscribe, store.get);
  const {rows, columns} = useWindowSize();
  const now = useClock();
  const suspends = useSuspension(around);
  const entry = selectedEntry(state);
  const {tab, finding, unfolded, focus, overlay, failure, search, match} = state;
  // For screen readers, the list is one line above the details of the node.
  const isSpoken = useIsScreenReaderEnabled();
  const roomy = rows >= roomyRows && !isSpoken;
  const ruled = rows >= ruledRows && !isSpoken;
  const cells = overlay ? undefined : listColumns(isSpoken ? {...state, focus: 'nodes'} : state, columns);
  const isListAlone = cells !== undefined && columns < tinyScreen && !isSpoken;
  const list = cells === undefined ? 0 : isSpoken || isListAlone ? columns : widthOf(cells);
  const width = Math.max(20, columns - (isSpoken ? 0 : list) - 2);
  const height = Math.max(3, rows - (isSpoken ? 6 : 3 + Number(ruled) + Number(roomy)));
  const whole = search !== '';
  const told = useMemo(() => {
    if (overlay) return overlayContent(overlay, width);
    const content = entry ? contentOf(entry, {tab, finding, unfolded, focus, width, roomy, whole}) : still([]);
    const spaced = roomy ? below([], content) : content;
    return failure === undefined
      ? spaced
      : below(wrapped('error', `✗ ${plain(failure)} Press r to retry.`, width), spaced);
  }, [overlay, entry, failure, tab, finding, unfolded, focus, width, roomy, whole]);
  const found = useMemo(() => searched(told, search, match, height - 1), [told, search, match, height]);
  const {content} = found;
  const offset = offsetOf(content, state.scroll, height - 1);
  const shown = useRef(offset.scroll);
  shown.current = offset.scroll;
  const perform = (command: Command): void => {
    if (command.type === 'typed') {
      store.dispatch({type: 'command', text: '', typing: false});
      if (typeof command.command === 'string') store.dispatch({type: 'notice', text: command.command});
      else perform(command.command);
    } else if (command.type === 'page' && command.pages)
      store.dispatch({type: 'page', by: Math.sign(command.by) * Math.round(Math.abs(command.by) * (height - 1))});
    else if (isAction(command)) store.dispatch(command);
    else onCommand(command);
  };
  const layout = useRef<Layout>(undefined);
  layout.current = {
    ...{columns, height, list, listColumns: cells, content},
    top: ruled ? 3 : 2,
    firstNode: shownNodes(state, height).from,
    firstLine: offset.at,
  };
  useEffect(
    () =>
      reports?.listen(event => {
        const action = layout.current && mouseAction(event, store.get(), layout.current);
        if (action) store.dispatch(action);
      }),
    [reports, store],
  );
  useInput((typed, key) => {
    if (suspends(typed, key)) return;
    // Scrolling past the end must not have to be undone by scrolling back.
    if (store.get().scroll !== shown.current) store.dispatch({type: 'scrolled', to: shown.current});
    for (const [one, its] of singleKeys(typed, key)) {
      const command = commandOf(store.get(), one, its);
      if (command) perform(command);
    }
  });
  const contentFocused = focus === 'content' || overlay !== undefined;
  return (
    <Box flexDirection="column" height={rows} width={columns}>
      <TopLine state={state} columns={columns} />
      <TabLine state={state} columns={columns} />
      {ruled ? <Rule columns={columns} at={isListAlone ? 0 : list} focused={contentFocused} /> : null}
      <Box height={height} flexDirection={isSpoken ? 'column' : 'row'}>
        {cells ? <NodeList state={state} width={list} columns={cells} height={height} now={now} /> : null}
        {isListAlone ? null : (
          <ContentPane
            entry={entry}
            overlay={overlay}
            lines={content.lines}
            at={offset.at}
            width={width}
            height={height}
            focused={contentFocused}
          />
        )}
      </Box>
      {roomy ? <Rule columns={columns} at={isListAlone ? 0 : list} focused={contentFocused} end /> : null}
      <BottomLine state={state} columns={columns} found={found} />
    </Box>
  );
}

/** The data of a node, below the error of the last reading if it failed. */
function contentOf({tell, error, phase, detail = ''}: NodeEntry, sight: Viewport): Content {
  const trouble = error === undefined ? [] : wrapped('warning', `? Could not be read: ${plain(error)}`, sight.width);
  if (!tell)
    return still([...trouble, ...wrapped('dim', phase ? phaseText(phase, detail) : 'Not read yet.', sight.width)]);
  return trouble.length === 0 ? tell(sight) : below(trouble, tell(sight));
}

/** Places content below other lines. */
function below(first: readonly ScreenLine[], {lines, from, to, starts = []}: Content): Content {
  const before = [...first, []];
  const moved = (line: number) => line + before.length;
  return {lines: [...before, ...lines], from: moved(from), to: moved(to), starts: starts.map(moved)};
}

function isAction(command: Command): command is Action {
  return !['refresh', 'fix', 'explain', 'copy', 'quit', 'typed'].includes(command.type);
}

/** Ticks every second, to update the ages of readings. */
function useClock(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
