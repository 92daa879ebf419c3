import {Box, Text, useInput, useWindowSize} from 'ink';
import {useRef, useState} from 'react';
import {ExitCode, WinError} from '../../lib/errors.js';
import {plain} from '../../lib/untrusted.js';
import {inColumns, stringWidth} from '../../lib/width.js';
import type {AdapterOffer} from '../../services/tunnel/adapter-offers.js';
import {wrap} from '../text/wrap.js';
import {type PickerState, press, visible} from './picker-state.js';
import {question} from './question.js';
import {spokenPlace, spoken as spokenText} from './screen-reader-text.js';
import {useSuspension} from './suspend.js';
import {Toned} from './toned.js';

export interface PickerOptions {
  readonly title: string;
  readonly rows: readonly AdapterOffer[];
  readonly colour: boolean;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Lets the user select an adapter with the keyboard. Clears the screen afterwards. */
export async function pickAdapterRow({title, rows, ...asking}: PickerOptions): Promise<AdapterOffer> {
  const {end, at} = await question<PickerState>(asking, onEnd => (
    <AdapterPicker title={title} rows={rows} onEnd={onEnd} />
  ));
  const row = end === 'picked' ? rows[at] : undefined;
  if (row) return row;
  throw new WinError('no adapter selected; nothing was written.', {
    exit: end === 'interrupted' ? ExitCode.interrupted : ExitCode.usage,
  });
}

interface Props extends Pick<PickerOptions, 'title' | 'rows'> {
  readonly onEnd: (state: PickerState) => void;
}

/** Lines that are not rows: title, blank lines, details of the selected row, keys. */
const otherLines = 12;

export function AdapterPicker({title, rows, onEnd}: Props) {
  const {rows: height, columns} = useWindowSize();
  const [shown, setShown] = useState<PickerState>({at: 0, asking: false});
  // Keys can arrive faster than frames: each applies to the latest state, not to the last frame.
  const state = useRef(shown);
  const suspends = useSuspension();
  useInput((input, key) => {
    if (suspends(input, key)) return;
    const choices = rows.map(({unsuitable, question}) => ({pickable: !unsuitable, asks: question !== undefined}));
    state.current = press(state.current, input, key, choices);
    setShown(state.current);
    if (state.current.end) onEnd(state.current);
  });
  const {from, to} = visible(shown.at, rows.length, height - otherLines);
  const widths = columnWidths(rows);
  const selected = rows[shown.at];
  return (
    <Box flexDirection="column">
      <Text bold>{plain(title)}</Text>
      <Text> </Text>
      {rows.slice(from, to).map((row, index) => (
        <Row
          key={row.name}
          row={row}
          spoken={spokenPlace('Adapter', from + index, rows.length, cellsOf(row))}
          widths={widths}
          selected={from + index === shown.at}
        />
      ))}
      {to - from < rows.length ? <Text dimColor>{`    ${from + 1}-${to} of ${rows.length}`}</Text> : null}
      <Text> </Text>
      {selected ? <Details row={selected} width={columns} /> : null}
      <Keys question={shown.asking ? selected?.question : undefined} pickable={!selected?.unsuitable} />
    </Box>
  );
}

interface RowProps {
  readonly row: AdapterOffer;
  readonly spoken: string;
  readonly widths: readonly number[];
  readonly selected: boolean;
}

function Row({row, spoken, widths, selected}: RowProps) {
  const cells = cellsOf(row)
    .map((cell, i) => inColumns(cell, widths[i] ?? 0))
    .join('  ')
    .trimEnd();
  const unsuitable = row.unsuitable !== undefined;
  return (
    <Text wrap="truncate" aria-hidden={!selected} aria-label={`${spoken}${unsuitable ? ', cannot be selected' : ''}`}>
      <Toned tone={selected ? 'chosen' : 'plain'}>{selected ? '›' : ' '}</Toned>
      <Text bold={selected} dimColor={!selected && unsuitable}>{` ${unsuitable ? '✗' : ' '} ${cells}`}</Text>
    </Text>
  );
}

/** Warnings about the selected adapter. */
function Details({row: {unsuitable, warnings}, width}: {row: AdapterOffer; width: number}) {
  const texts =
    unsuitable === undefined
      ? warnings.map(text => `! ${plain(text)}`)
      : [`! Cannot be selected: ${plain(unsuitable)}.`];
  const lines = texts.flatMap(text => wrap(text, {indent: 0, hang: 2, width}));
  return (
    <Box flexDirection="column">
      {lines.map(line => (
        <Text key={line} aria-label={spokenText(line)}>
          <Toned tone="warning">{line}</Toned>
        </Text>
      ))}
    </Box>
  );
}

function Keys({question, pickable}: {question: string | undefined; pickable: boolean}) {
  if (question !== undefined) return <Text bold>{`${plain(question)} y/n`}</Text>;
  return <Text dimColor>{`↑ ↓ move${pickable ? '   Enter select' : ''}   Esc cancel`}</Text>;
}

/** For an unsuitable adapter, the last cell is the reason. */
function cellsOf({name, address, speed, state, usedFor, unsuitable}: AdapterOffer): string[] {
  return [name, address, speed, state, unsuitable ?? usedFor].map(plain);
}

function columnWidths(rows: readonly AdapterOffer[]): number[] {
  const cells = rows.map(cellsOf);
  return (cells[0] ?? []).map((_, i) => Math.max(...cells.map(row => stringWidth(row[i] ?? ''))));
}
