import {Box, Text, useInput, useWindowSize} from 'ink';
import {useRef, useState} from 'react';
import {ExitCode, WinError} from '../../lib/errors.js';
import {plain} from '../../lib/untrusted.js';
import {inColumns, stringWidth} from '../../lib/width.js';
import type {NodeChoice} from '../../services/node-choices.js';
import {type PickerState, press, visible} from './picker-state.js';
import {type Asking, question} from './question.js';
import {spokenPlace} from './screen-reader-text.js';
import {useSuspension} from './suspend.js';
import {Toned} from './toned.js';

interface Choices {
  readonly title: string;
  readonly choices: readonly NodeChoice[];
}

/** Lets the user select a node with the keyboard. Clears the screen afterwards. */
export async function pickNode({title, choices}: Choices, asking: Asking): Promise<string> {
  const {at, end} = await question<PickerState>(asking, onEnd => (
    <NodePicker title={title} choices={choices} onEnd={onEnd} />
  ));
  const picked = end === 'picked' ? choices[at] : undefined;
  if (picked) return picked.name;
  throw new WinError('no node selected.', {
    exit: end === 'interrupted' ? ExitCode.interrupted : ExitCode.usage,
  });
}

interface Props extends Choices {
  readonly onEnd: (state: PickerState) => void;
}

/** Title, blank lines, range of the list, keys, and one free line. */
const otherLines = 6;

export function NodePicker({title, choices, onEnd}: Props) {
  const {rows} = useWindowSize();
  const [shown, setShown] = useState<PickerState>({at: 0, asking: false});
  // Keys can arrive faster than frames: each applies to the latest state, not to the last frame.
  const state = useRef(shown);
  const suspends = useSuspension();
  useInput((input, key) => {
    if (suspends(input, key)) return;
    const pickable = choices.map(() => ({pickable: true, asks: false}));
    state.current = press(state.current, input, key, pickable);
    setShown(state.current);
    if (state.current.end) onEnd(state.current);
  });
  const {from, to} = visible(shown.at, choices.length, rows - otherLines);
  const widest = Math.max(...choices.map(({name}) => stringWidth(name)));
  const widths = (choices[0]?.about ?? []).map((_, i) =>
    Math.max(...choices.map(({about}) => stringWidth(about[i] ?? ''))),
  );
  return (
    <Box flexDirection="column">
      <Text bold>{title}</Text>
      <Text> </Text>
      {choices.slice(from, to).map(({name, about}, i) => (
        <Text
          key={name}
          wrap="truncate"
          aria-hidden={from + i !== shown.at}
          aria-label={spokenPlace('Node', from + i, choices.length, [plain(name), ...about.map(plain)])}
        >
          <Toned tone={from + i === shown.at ? 'chosen' : 'plain'}>
            {`${from + i === shown.at ? '›' : ' '} ${inColumns(plain(name), widest)}`}
          </Toned>
          <Text
            dimColor
          >{`  ${about.map((cell, column) => inColumns(plain(cell), widths[column] ?? 0)).join('  ')}`}</Text>
        </Text>
      ))}
      <Text dimColor aria-hidden>
        {to - from < choices.length ? `  ${from + 1}-${to} of ${choices.length}` : ' '}
      </Text>
      <Text dimColor>{'↑ ↓ move   Enter select   Esc cancel'}</Text>
    </Box>
  );
}
