import {Box, render, Text} from 'ink';
import {useEffect, useState} from 'react';
import type {Display, Phase} from '../doctor/progress.js';

interface Row {
  readonly name: string;
  readonly phase: Phase;
  readonly detail: string;
  readonly since: number;
}

interface State {
  readonly stage: string;
  readonly rows: ReadonlyMap<string, Row>;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const shownAtOnce = 8;

/** Nodes at work as rows on standard error, redrawn in place; it leaves nothing behind when it ends. */
export function liveDisplay(stream: NodeJS.WriteStream): Display {
  let state: State = {stage: '', rows: new Map()};
  const listeners = new Set<(next: State) => void>();
  const update = (next: Partial<State>) => {
    state = {...state, ...next};
    for (const listener of listeners) listener(state);
  };
  const subscribe = (listener: (next: State) => void) => {
    listeners.add(listener);
    listener(state);
    return () => void listeners.delete(listener);
  };
  const app = render(<Live subscribe={subscribe} />, {stdout: stream, exitOnCtrlC: false, patchConsole: false});
  return {
    stage: text => update({stage: text}),
    begin: nodes =>
      update({rows: new Map(nodes.map(name => [name, {name, phase: 'waiting', detail: '', since: Date.now()}]))}),
    node: (name, phase, detail = '') => {
      const before = state.rows.get(name);
      const since = before?.phase === phase ? before.since : Date.now();
      update({rows: new Map(state.rows).set(name, {name, phase, detail, since})});
    },
    end: () => {
      app.clear();
      app.unmount();
    },
  };
}

function Live({subscribe}: {subscribe: (listener: (next: State) => void) => () => void}) {
  const [{stage, rows}, setState] = useState<State>({stage: '', rows: new Map()});
  const [tick, setTick] = useState(0);
  useEffect(() => subscribe(setState), [subscribe]);
  useEffect(() => {
    const timer = setInterval(() => setTick(value => value + 1), 100);
    return () => clearInterval(timer);
  }, []);
  const all = [...rows.values()];
  const active = all.filter(({phase}) => phase !== 'waiting' && phase !== 'done' && phase !== 'not inspected');
  const done = all.filter(({phase}) => phase === 'done' || phase === 'not inspected').length;
  return (
    <Box flexDirection="column">
      <Text>
        <Text color="cyan">{frames[tick % frames.length]}</Text> {stage}
        {all.length > 0 ? ` ${done} of ${all.length} nodes` : ''}
      </Text>
      {active.slice(0, shownAtOnce).map(row => (
        <Text key={row.name} wrap="truncate">
          {'  '}
          <Text bold>{row.name}</Text>
          <Text dimColor>
            {`  ${row.phase} ${row.detail} `}
            {`${((Date.now() - row.since) / 1000).toFixed(1)} s`}
          </Text>
        </Text>
      ))}
      {active.length > shownAtOnce ? <Text dimColor>{`  and ${active.length - shownAtOnce} more`}</Text> : null}
    </Box>
  );
}
