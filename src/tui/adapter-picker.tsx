import {Box, render, Text, useInput, useWindowSize} from 'ink';
import {useRef, useState} from 'react';
import stringWidth from 'string-width';
import {ExitCode, WinError} from '../errors.js';
import {plain} from '../untrusted.js';
import {leaveNothing} from './leave-nothing.js';
import {type PickerState, press, visible} from './picker-state.js';

/** An adapter as a person sees it before picking it. */
export interface AdapterRow {
  readonly name: string;
  readonly address: string;
  readonly speed: string;
  readonly state: string;
  readonly usedFor: string;
  /** Why it cannot be picked. */
  readonly unsuitable: string | undefined;
  /** What to know before picking it. */
  readonly warnings: readonly string[];
  /** What has to be answered with yes when it is picked. */
  readonly question: string | undefined;
}

export interface PickerOptions {
  readonly title: string;
  readonly rows: readonly AdapterRow[];
  readonly colour: boolean;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Lets a person pick an adapter by keyboard. It leaves nothing on the screen. */
export async function pickAdapterRow({input, output, signal, ...shown}: PickerOptions): Promise<AdapterRow> {
  const {promise, resolve, reject} = Promise.withResolvers<PickerState>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, {once: true});
  // Keys that are pressed as soon as the list is seen must not be lost: Ink listens a moment later.
  input.setRawMode(true);
  const app = render(<AdapterPicker {...shown} onEnd={resolve} />, {
    stdin: input,
    stdout: output,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  });
  try {
    const {end, at} = await promise;
    const row = end === 'picked' ? shown.rows[at] : undefined;
    if (row) return row;
    throw new WinError('no adapter was picked, and nothing was written.', {
      exit: end === 'interrupted' ? ExitCode.interrupted : ExitCode.usage,
    });
  } finally {
    signal.removeEventListener('abort', stop);
    leaveNothing(app, output);
    input.setRawMode(false);
  }
}

interface Props extends Pick<PickerOptions, 'title' | 'rows' | 'colour'> {
  readonly onEnd: (state: PickerState) => void;
}

/** Lines that are not rows: title, blank lines, what is known of the row at hand, keys. */
const otherLines = 12;

function AdapterPicker({title, rows, colour, onEnd}: Props) {
  const {rows: height} = useWindowSize();
  const [shown, setShown] = useState<PickerState>({at: 0, asking: false});
  // Keys can come faster than frames: each goes on from the last one, not from the last frame.
  const state = useRef(shown);
  useInput((input, key) => {
    const choices = rows.map(({unsuitable, question}) => ({pickable: !unsuitable, asks: question !== undefined}));
    state.current = press(state.current, input, key, choices);
    setShown(state.current);
    if (state.current.end) onEnd(state.current);
  });
  const {from, to} = visible(shown.at, rows.length, height - otherLines);
  const widths = columnWidths(rows);
  const atHand = rows[shown.at];
  return (
    <Box flexDirection="column">
      <Text bold>{plain(title)}</Text>
      <Text> </Text>
      {rows.slice(from, to).map((row, index) => (
        <Row key={row.name} row={row} widths={widths} atHand={from + index === shown.at} colour={colour} />
      ))}
      {to - from < rows.length ? <Text dimColor>{`    ${from + 1}-${to} of ${rows.length}`}</Text> : null}
      <Text> </Text>
      {atHand ? <Details row={atHand} colour={colour} /> : null}
      <Keys question={shown.asking ? atHand?.question : undefined} pickable={!atHand?.unsuitable} />
    </Box>
  );
}

function Row({row, widths, atHand, colour}: {row: AdapterRow; widths: number[]; atHand: boolean; colour: boolean}) {
  const cells = cellsOf(row)
    .map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - stringWidth(cell)))
    .join('  ')
    .trimEnd();
  const tint = colour && atHand ? {color: 'cyan'} : {};
  return (
    <Text wrap="truncate" bold={atHand} dimColor={!atHand && row.unsuitable !== undefined} {...tint}>
      {`${atHand ? '›' : ' '} ${row.unsuitable === undefined ? ' ' : '✗'} ${cells}`}
    </Text>
  );
}

function Details({row: {unsuitable, warnings}, colour}: {row: AdapterRow; colour: boolean}) {
  const tint = colour ? {color: 'yellow'} : {};
  if (unsuitable !== undefined) return <Text {...tint}>{`Cannot be picked: ${plain(unsuitable)}.`}</Text>;
  return (
    <Box flexDirection="column">
      {warnings.map(text => (
        <Text key={text} {...tint}>
          {`! ${plain(text)}`}
        </Text>
      ))}
    </Box>
  );
}

function Keys({question, pickable}: {question: string | undefined; pickable: boolean}) {
  if (question !== undefined) return <Text bold>{`${plain(question)} y/n`}</Text>;
  return <Text dimColor>{`↑ ↓ move${pickable ? '   Enter pick' : ''}   Esc leave`}</Text>;
}

/** What cannot be picked says why where others say what they are used for. */
function cellsOf({name, address, speed, state, usedFor, unsuitable}: AdapterRow): string[] {
  return [name, address, speed, state, unsuitable ?? usedFor].map(plain);
}

function columnWidths(rows: readonly AdapterRow[]): number[] {
  const cells = rows.map(cellsOf);
  return (cells[0] ?? []).map((_, i) => Math.max(...cells.map(row => stringWidth(row[i] ?? ''))));
}
