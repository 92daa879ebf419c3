import {Box, Text} from 'ink';
import stringWidth from 'string-width';
import {hints} from '../dashboard/keys.js';
import type {Content, Line, Tone} from '../dashboard/lines.js';
import {type NodeEntry, type Overlay, type State, shownEntries, tabs} from '../dashboard/state.js';
import {isFailure} from '../report/report.js';
import {wrap} from '../report/wrap.js';
import {plain} from '../untrusted.js';
import {visible} from './picker-state.js';
import {Toned} from './toned.js';

export function TopLine({state}: {state: State}) {
  const {context, entries, stage, auto} = state;
  const well = entries.filter(entry => entry.seenAt !== undefined && signOf(entry)[1] === '✓').length;
  const bad = entries.filter(entry => signOf(entry)[1] === '✗').length;
  const working = entries.filter(({phase}) => phase !== undefined).length;
  return (
    <Text wrap="truncate">
      <Text bold>kubectl win</Text>
      {`  ${plain(context)}  ${entries.length} node${entries.length === 1 ? '' : 's'}, ${well} well`}
      {bad > 0 ? <Toned tone="error">{`, ${bad} broken`}</Toned> : null}
      <Text dimColor>
        {stage === undefined ? '' : `  ${stage}${working > 0 ? ` ${working} at work` : ''}`}
        {auto ? '  auto' : ''}
      </Text>
    </Text>
  );
}

export function TabLine({state, columns}: {state: State; columns: number}) {
  const wide = columns >= 100;
  return (
    <Text wrap="truncate">
      {tabs.map((tab, i) => (
        <Text key={tab} inverse={tab === state.tab} dimColor={tab !== state.tab}>
          {tabText(wide ? `${i + 1} ${tab}` : tab, tab === state.tab)}
        </Text>
      ))}
    </Text>
  );
}

/** The tab that is shown is set off by more than its look. */
function tabText(text: string, shown: boolean): string {
  return shown ? `[${text}]` : ` ${text} `;
}

interface ListProps {
  readonly state: State;
  readonly width: number;
  readonly height: number;
  readonly now: number;
}

export function NodeList({state, width, height, now}: ListProps) {
  const shown = shownEntries(state);
  const at = Math.max(
    0,
    shown.findIndex(({name}) => name === state.at),
  );
  const {from, to} = visible(at, shown.length, height);
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      {shown.slice(from, to).map(entry => (
        <NodeLine
          key={entry.name}
          entry={entry}
          atHand={entry.name === state.at}
          focused={state.focus === 'nodes'}
          width={width}
          now={now}
        />
      ))}
      {shown.length === 0 && state.entries.length > 0 ? <Text dimColor>No node fits.</Text> : null}
    </Box>
  );
}

interface NodeLineProps {
  readonly entry: NodeEntry;
  readonly atHand: boolean;
  readonly focused: boolean;
  readonly width: number;
  readonly now: number;
}

function NodeLine({entry, atHand, focused, width, now}: NodeLineProps) {
  const [tone, sign] = signOf(entry);
  const about = aboutNode(entry, width, now);
  const room = width - 4 - stringWidth(about) - 1;
  return (
    <Text wrap="truncate">
      <Toned tone={atHand && focused ? 'chosen' : 'plain'}>{atHand ? '›' : ' '}</Toned>
      <Toned tone={tone}>{`${sign} `}</Toned>
      <Text bold={atHand} inverse={atHand && focused}>
        {fitted(plain(entry.name), room)}
      </Text>
      <Text dimColor>{` ${about}`}</Text>
    </Text>
  );
}

/** ✗ errors, ! warnings, ? could not be read, ✓ well, · not read yet. */
function signOf({results, error, seenAt}: NodeEntry): [Tone, string] {
  if (results.some(result => isFailure(result, 'error'))) return ['error', '✗'];
  if (error !== undefined) return ['warning', '?'];
  if (results.some(result => isFailure(result, 'warning'))) return ['warning', '!'];
  return seenAt === undefined ? ['dim', '·'] : ['good', '✓'];
}

function aboutNode(entry: NodeEntry, width: number, now: number): string {
  if (entry.phase !== undefined) return working(entry);
  return width < 24 ? '' : `${short(entry.plugin)} ${age(entry.seenAt, now)}`;
}

function working({phase, detail = ''}: NodeEntry): string {
  if (phase === 'reading') return detail;
  return phase === 'starting helper' ? 'starting' : (phase ?? '');
}

function short(plugin: string | undefined): string {
  return plain(plugin ?? '').split(' ')[0] ?? '';
}

function age(seenAt: number | undefined, now: number): string {
  if (seenAt === undefined) return '';
  const seconds = Math.max(0, Math.round((now - seenAt) / 1000));
  return (
    seconds < 60 ? `${seconds}s` : seconds < 3600 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 3600)}h`
  ).padStart(3);
}

function fitted(text: string, room: number): string {
  if (stringWidth(text) <= room) return text + ' '.repeat(room - stringWidth(text));
  let cut = text;
  while (cut !== '' && stringWidth(cut) > room - 1) cut = cut.slice(0, -1);
  return `${cut}…`;
}

interface PaneProps {
  readonly entry: NodeEntry | undefined;
  readonly lines: readonly Line[];
  readonly at: number;
  readonly width: number;
  readonly height: number;
  readonly stage: string | undefined;
}

export function ContentPane({entry, lines, at, width, height, stage}: PaneProps) {
  return (
    <Box
      flexDirection="column"
      width={width + 2}
      height={height}
      borderStyle="single"
      borderTop={false}
      borderBottom={false}
      borderRight={false}
      borderDimColor
      paddingLeft={1}
    >
      <Text wrap="truncate">
        <Text bold>{plain(entry?.name ?? '')}</Text>
        <Text dimColor>{entry ? `  ${plain(entry.plugin ?? '')}` : (stage ?? '')}</Text>
      </Text>
      {lines.slice(at, at + height - 1).map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of the screen is known by its place
        <Text key={i} wrap="truncate">
          {line.every(([, text]) => text === '')
            ? ' '
            : line.map(([tone, text], piece) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have nothing else
                <Toned key={piece} tone={tone}>
                  {text}
                </Toned>
              ))}
        </Text>
      ))}
    </Box>
  );
}

export function BottomLine({state, columns}: {state: State; columns: number}) {
  const {filtering, filter, notice} = state;
  if (filtering)
    return (
      <Text wrap="truncate">
        <Text bold>/</Text>
        {filter}
        <Text inverse> </Text>
        <Text dimColor> Enter keep Esc all</Text>
      </Text>
    );
  if (notice !== '') return <Text wrap="truncate">{plain(notice)}</Text>;
  return (
    <Text wrap="truncate" dimColor>
      {filter === '' ? '' : `/${plain(filter)}  `}
      {hints(state, columns - (filter === '' ? 0 : filter.length + 3))}
    </Text>
  );
}

export function overlayContent({title, text}: Overlay, width: number): Content {
  const lines = text.split('\n').flatMap((line): Line[] => {
    const indent = line.length - line.trimStart().length;
    return wrap(line.trimStart(), {indent, hang: indent + 2, width}).map((part): Line => [['plain', part]]);
  });
  return {lines: [[['bold', title]], [], ...lines, [], [['dim', 'Esc back']]], from: 0, to: 0};
}

/** Where the content begins so that what is at hand is in sight, moved by as much as it can be. */
export function offsetOf({lines, from, to}: Content, scroll: number, height: number): {at: number; scroll: number} {
  const base = to > height ? from : 0;
  const at = Math.max(0, Math.min(base + scroll, Math.max(base, lines.length - height)));
  return {at, scroll: at - base};
}
