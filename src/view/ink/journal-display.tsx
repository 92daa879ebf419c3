import {Box, render, Static, Text, useWindowSize} from 'ink';
import {useEffect, useState} from 'react';
import {redirectMessages} from '../../lib/streams.js';
import {wrap} from '../text/wrap.js';
import {useStopSignal} from './suspend.js';
import {Toned} from './toned.js';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const tickMs = 200;

/** The completed lines, and below them the current step. */
export interface JournalView {
  /** Lines that stay in the scrollback; they may be coloured. */
  readonly lines: readonly string[];
  readonly running?: {readonly text: string; readonly since: number} | undefined;
  /** When the connection to the node was lost. */
  readonly lostSince?: number | undefined;
  /** How long the node may be unreachable before it undoes the plan, if it does. */
  readonly atMostSeconds?: number | undefined;
  /** Whether the plan interrupts the network. */
  readonly expected: boolean;
}

export interface JournalDisplay {
  show(change: Partial<JournalView>): void;
  line(text: string): void;
  end(): void;
}

/** The live journal of a repair: completed lines go to the scrollback, the rest is redrawn in place. */
export function journalDisplay(stream: NodeJS.WriteStream, first: Omit<JournalView, 'lines'>): JournalDisplay {
  let view: JournalView = {...first, lines: []};
  const app = render(<Journal view={view} />, {
    stdout: stream,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  });
  const show = (change: Partial<JournalView>) => {
    view = {...view, ...change};
    app.rerender(<Journal view={view} />);
  };
  const line = (text: string) => show({lines: [...view.lines, hanging(text, stream.columns)]});
  const release = redirectMessages(line);
  return {
    show,
    line,
    end: () => {
      release();
      show({running: undefined, lostSince: undefined});
      app.unmount();
    },
  };
}

function Journal({view}: {view: JournalView}) {
  const [tick, setTick] = useState(0);
  useStopSignal();
  useEffect(() => {
    const timer = setInterval(() => setTick(value => value + 1), tickMs);
    return () => clearInterval(timer);
  }, []);
  return <JournalLines view={view} sign={frames[tick % frames.length] ?? ''} now={performance.now()} />;
}

export function JournalLines({view, sign, now}: {view: JournalView; sign: string; now: number}) {
  const {lines, running, lostSince} = view;
  const {columns} = useWindowSize();
  return (
    <>
      <Static items={lines.map((text, key) => ({key, text}))}>{({key, text}) => <Text key={key}>{text}</Text>}</Static>
      <Box flexDirection="column">
        {running ? (
          <Box>
            <Text wrap="truncate">
              <Text color="cyan">{sign}</Text> {running.text}
            </Text>
            <Box flexShrink={0}>
              <Text dimColor>{`  ${seconds(now - running.since)} s`}</Text>
            </Box>
          </Box>
        ) : null}
        {lostSince === undefined ? null : (
          <Box>
            <Box flexShrink={0}>
              <Toned tone="warning">{'… '}</Toned>
            </Box>
            <Text>
              {wrap(lostText(view, seconds(now - lostSince)), {indent: 0, hang: 0, width: columns - 2}).join('\n')}
            </Text>
          </Box>
        )}
      </Box>
    </>
  );
}

/** Wraps a line with a hanging indent. */
function hanging(text: string, columns: number): string {
  return wrap(text, {indent: 0, hang: 4, width: columns}).join('\n');
}

function lostText({expected, atMostSeconds}: JournalView, away: number): string {
  const limit = atMostSeconds === undefined ? '' : ` of at most ${atMostSeconds}`;
  const how = expected ? 'Connection lost as expected' : 'Connection lost, the node continues to run the plan';
  return `${how}, waiting for the node to come back (${away} s${limit})`;
}

function seconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds / 1000));
}
