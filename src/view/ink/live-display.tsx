import {Box, render, Text, useWindowSize} from 'ink';
import {useEffect, useState} from 'react';
import {redirectMessages} from '../../lib/streams.js';
import {plain} from '../../lib/untrusted.js';
import {inColumns, stringWidth} from '../../lib/width.js';
import type {Progress} from '../../session/progress.js';
import {clearDisplay} from './clear-display.js';
import {type LiveFinding, type LiveRow, LiveState, phaseWord} from './live-state.js';
import {useStopSignal} from './suspend.js';
import {Toned} from './toned.js';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const tickMs = 100;
const mostRows = 8;
/** From this number of nodes on, a progress bar is shown. */
const barFrom = 10;
const barColumns = 20;

/** A live progress display. */
export type Display = Omit<Progress, 'warn'>;

/** Shows nodes in progress and findings, redrawn in place on stderr, and clears them when it ends. */
export function liveDisplay(stream: NodeJS.WriteStream): Display {
  const state = new LiveState();
  const app = render(<Live state={state} />, {
    stdout: stream,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
    incrementalRendering: true,
  });
  const stage = (text: string) => {
    state.stage = text;
  };
  const release = redirectMessages(stage);
  let isShown = true;
  return {
    isWatched: true,
    stage,
    begin: nodes => state.begin(nodes),
    node: (name, phase, detail = '') => state.node(name, phase, detail, performance.now()),
    found: (name, finding) => state.found(name, finding),
    end: () => {
      if (!isShown) return;
      isShown = false;
      release();
      clearDisplay(app, stream);
    },
  };
}

/** Reads the state periodically, not on every event: 500 nodes send hundreds of events per second. */
function Live({state}: {state: LiveState}) {
  const {rows, columns} = useWindowSize();
  const [tick, setTick] = useState(0);
  useStopSignal();
  useEffect(() => {
    const timer = setInterval(() => setTick(value => value + 1), tickMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <LiveView
      {...viewOf(state, rows)}
      width={columns}
      sign={frames[tick % frames.length] ?? ''}
      now={performance.now()}
    />
  );
}

interface View {
  readonly headline: string;
  readonly active: readonly LiveRow[];
  readonly moreActive: number;
  readonly findings: readonly LiveFinding[];
  readonly moreFindings: number;
}

/** The part of the state that fits into the rows of the window. One line stays free, or the terminal would scroll. */
export function viewOf(state: LiveState, rows: number, now = performance.now()): View {
  const {stage, pace, troubled, findings, active} = state;
  const room = Math.max(2, rows - 4);
  const shownRows = Math.min(active.length, mostRows, Math.max(1, Math.floor(room / 2)));
  const shownFindings = Math.min(findings.length, room - shownRows - (findings.length > 0 ? 1 : 0));
  const bar = pace.total >= barFrom ? ` ${pace.bar(barColumns)}` : '';
  const counts = pace.total > 0 ? `${bar} ${pace.text(now)}` : '';
  return {
    headline: `${stage}${counts}${troubled > 0 ? `, ${troubled} with problems` : ''}`,
    active: active.slice(0, shownRows),
    moreActive: active.length - shownRows,
    findings: findings.slice(findings.length - shownFindings),
    moreFindings: findings.length - shownFindings,
  };
}

interface LiveViewProps extends View {
  readonly width: number;
  readonly sign: string;
  readonly now: number;
}

export function LiveView({headline, active, moreActive, findings, moreFindings, width, sign, now}: LiveViewProps) {
  const longest = Math.min(Math.max(0, ...active.map(({name}) => stringWidth(name))), Math.floor(width / 2));
  return (
    <Box flexDirection="column">
      <Text wrap="truncate">
        <Text color="cyan">{sign}</Text> {headline}
      </Text>
      {active.map(row => (
        <NodeRow key={row.name} row={row} name={inColumns(plain(row.name), longest)} now={now} />
      ))}
      {moreActive > 0 ? <Text dimColor>{`  and ${moreActive} more`}</Text> : null}
      {findings.length > 0 ? <Text> </Text> : null}
      {moreFindings > 0 ? <Text dimColor>{`  ${moreFindings} earlier findings`}</Text> : null}
      {findings.map(finding => (
        <FindingLine key={`${finding.node} ${finding.id} ${finding.message}`} {...finding} />
      ))}
    </Box>
  );
}

/** The time comes before the details, so that a narrow screen does not cut it off. */
function NodeRow({row: {phase, detail, since}, name, now}: {row: LiveRow; name: string; now: number}) {
  const elapsed = `${((now - since) / 1000).toFixed(0)} s`;
  return (
    <Text wrap="truncate">
      {'  '}
      <Text bold>{name}</Text>
      {`  ${phaseWord(phase, detail).padEnd(phaseWidth)}  ${elapsed.padStart(5)}`}
      <Text dimColor>{phase === 'starting helper' ? `  ${plain(detail)}` : ''}</Text>
    </Text>
  );
}

const phaseWidth = 'reading 30/30'.length;

function FindingLine({node, id, severity, message}: LiveFinding) {
  const error = severity === 'error';
  return (
    <Text wrap="truncate">
      {'  '}
      <Toned tone={error ? 'error' : 'warning'}>{error ? '✗ ' : '! '}</Toned>
      <Text bold>{plain(node)}</Text>
      {`  ${id}  `}
      <Text dimColor>{plain(message)}</Text>
    </Text>
  );
}
