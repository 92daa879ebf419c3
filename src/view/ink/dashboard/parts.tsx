import {Box, Text} from 'ink';
import {plain} from '../../../lib/untrusted.js';
import {stringWidth} from '../../../lib/width.js';
import {spokenLine, spokenPlace} from '../screen-reader-text.js';
import {Toned} from '../toned.js';
import {completed} from './commands.js';
import type {Content, ScreenLine} from './content.js';
import {wrapped} from './content.js';
import {type DashboardState, type NodeEntry, type Overlay, type Prompt, shownEntries, tabs} from './dashboard-state.js';
import {hints} from './keys.js';
import {healthOf, tinyScreen} from './node-list.js';
import type {SearchResult} from './search.js';

export function TopLine({state, columns}: {state: DashboardState; columns: number}) {
  const {context, entries, stage, auto} = state;
  const count = (sign: string) => entries.filter(entry => healthOf(entry).sign === sign).length;
  const [healthy, unhealthy, warned, unread] = ['✓', '✗', '!', '?'].map(count) as [number, number, number, number];
  const working = entries.filter(({phase}) => phase !== undefined).length;
  const counts = [
    [unhealthy, 'unhealthy'],
    [warned, 'with warnings'],
    [unread, 'not fully read'],
  ] as const;
  const told = [
    `${entries.length} nodes`,
    `${healthy} healthy`,
    ...counts.filter(([n]) => n > 0).map(([n, words]) => `${n} ${words}`),
  ];
  const filter = filterText(state);
  const isTiny = columns < tinyScreen;
  return (
    <Box width={columns} justifyContent="space-between">
      <Text
        wrap="truncate"
        aria-label={['kubectl win', plain(context), stage ?? told.join(', ')].filter(Boolean).join(', ')}
      >
        <Text bold>{isTiny ? '' : ' kubectl win'}</Text>
        {context === '' || isTiny ? '' : `  ${plain(context)}`}
        {entries.length === 0
          ? ''
          : `${isTiny ? ' ' : '  '}${entries.length} node${entries.length === 1 ? '' : 's'}, ${healthy} healthy`}
        {counts.map(([n, words]) =>
          n > 0 ? (
            <Text key={words}>
              {', '}
              <Toned tone={words === 'unhealthy' ? 'error' : 'plain'}>{`${n} ${words}`}</Toned>
            </Text>
          ) : null,
        )}
        <Text dimColor>
          {stage === undefined || isTiny ? '' : `  ${stage}${working > 0 ? `, ${working} in progress` : ''}`}
          {auto ? '  auto' : ''}
        </Text>
      </Text>
      {filter === '' ? null : (
        <Box flexShrink={0}>
          <Text bold>{` ${filter} `}</Text>
        </Box>
      )}
    </Box>
  );
}

/** The active filter as text, as a reminder that nodes are hidden. */
function filterText(state: DashboardState): string {
  const {filter, entries} = state;
  if (filter === '') return '';
  return `Filter: ${filter === '!' ? 'problems' : plain(filter)}, ${shownEntries(state).length} of ${entries.length}`;
}

const shortNames: Readonly<Record<string, string>> = {
  'Load balancers': 'Balancers',
  'Services and logs': 'Services, logs',
  'Plan and journal': 'Plan',
};

/** The tab names, without the space or bracket before each. */
export function tabTexts({tab: at}: Pick<DashboardState, 'tab'>, columns: number): string[] {
  return tabs.map((tab, i) => {
    if (columns < tinyScreen && tab !== at) return `${i + 1} `;
    return `${i + 1} ${columns < 100 ? (shortNames[tab] ?? tab) : tab} `;
  });
}

/** The selected tab is in brackets, so that it is recognisable without colours. */
export function TabLine({state, columns}: {state: DashboardState; columns: number}) {
  const at = tabs.indexOf(state.tab);
  return (
    <Text wrap="truncate" aria-label={spokenPlace('Tab', at, tabs.length, [state.tab])}>
      {tabTexts(state, columns).map((name, i) =>
        i === at ? (
          <Text key={name}>
            <Text bold inverse>{`[${name.trimEnd()}]`}</Text>
            {name.slice(name.trimEnd().length + 1)}
          </Text>
        ) : (
          <Text key={name} dimColor>
            {` ${name}`}
          </Text>
        ),
      )}
    </Text>
  );
}

/** A horizontal line, joined to the vertical line between the list and the details. */
export function Rule({columns, at, focused, end}: {columns: number; at: number; focused: boolean; end?: boolean}) {
  const joint = end ? (focused ? '┸' : '┴') : focused ? '┰' : '┬';
  const line = at > 0 ? `${'─'.repeat(at)}${joint}${'─'.repeat(Math.max(0, columns - at - 1))}` : '─'.repeat(columns);
  return (
    <Text dimColor aria-hidden wrap="truncate">
      {line}
    </Text>
  );
}

interface PaneProps {
  readonly entry: NodeEntry | undefined;
  readonly overlay: Overlay | undefined;
  readonly lines: readonly ScreenLine[];
  readonly at: number;
  readonly width: number;
  readonly height: number;
  /** Whether the pane receives keys. */
  readonly focused: boolean;
}

export function ContentPane({entry, overlay, lines, at, width, height, focused}: PaneProps) {
  const shown = lines.slice(at, at + height - 1);
  const {title, about, hidden} = headOfPane(overlay?.title ?? plain(entry?.name ?? ''), {
    about: overlay ? '' : plain(entry?.plugin ?? ''),
    above: at,
    below: lines.length - at - shown.length,
    width,
  });
  return (
    <Box
      flexDirection="column"
      width={width + 2}
      height={height}
      borderStyle={focused ? 'bold' : 'single'}
      borderTop={false}
      borderBottom={false}
      borderRight={false}
      borderDimColor
      paddingLeft={1}
    >
      <Box>
        <Box flexGrow={1}>
          <Text wrap="truncate" aria-hidden={!overlay}>
            <Text bold>{title}</Text>
            <Text dimColor>{about}</Text>
          </Text>
        </Box>
        <Box flexShrink={0}>
          <Text dimColor aria-label={hidden.spoken}>
            {hidden.text}
          </Text>
        </Box>
      </Box>
      {shown.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position on the screen
        <ContentLine key={i} line={line} />
      ))}
    </Box>
  );
}

function ContentLine({line}: {line: ScreenLine}) {
  return (
    <Text wrap="truncate" aria-label={spokenLine(line) || ' '}>
      {line.every(([, text]) => text === '')
        ? ' '
        : line.map(([tone, text], i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no other key
            <Toned key={i} tone={tone}>
              {text}
            </Toned>
          ))}
    </Text>
  );
}

interface PaneHead {
  readonly about: string;
  /** Hidden lines. */
  readonly above: number;
  readonly below: number;
  readonly width: number;
}

/** The node of the details, and how many lines are hidden. Parts that do not fit are left out. */
function headOfPane(title: string, {about, above, below, width}: PaneHead) {
  const up = above > 0 ? `↑ ${above}` : '';
  const hiddenText = (key: string) => [up, below > 0 ? `↓ ${below} more${key}` : ''].filter(Boolean).join('  ');
  const [long, short] = [hiddenText(', PgDn'), hiddenText('')];
  const spoken = short === '' ? '' : `${above} lines above, ${below} below: PgUp and PgDn`;
  const fits = (...parts: string[]) => stringWidth([title, ...parts].filter(Boolean).join('  ')) <= width;
  const text = fits(about, long) ? long : short;
  return {
    title,
    about: about !== '' && fits(about, text) ? `  ${about}` : '',
    hidden: {text: text === '' ? '' : ` ${text}`, spoken},
  };
}

interface BottomProps {
  readonly state: DashboardState;
  readonly columns: number;
  /** The selected match and the number of matches. */
  readonly found: Pick<SearchResult, 'at' | 'count'>;
}

export function BottomLine({state, columns, found}: BottomProps) {
  const {typing, search, notice, focus} = state;
  if (typing) return <PromptLine state={state} typing={typing} found={found} />;
  if (notice !== '') return <Text wrap="truncate">{` ${plain(notice)}`}</Text>;
  const kept =
    search === '' || focus === 'nodes' ? '' : ` Search: ${plain(search)}, ${foundText(found)}  n next  Esc clear `;
  return (
    <Text wrap="truncate" aria-label={state.overlay ? 'Press Esc to go back' : 'Press ? for keys, q to quit'}>
      <Text bold>{kept}</Text>
      {hints(state, columns - stringWidth(kept) - 2)
        .split('  ')
        .map(hint => (
          <Hint key={hint} text={hint} />
        ))}
    </Text>
  );
}

/** A key in the accent colour, and its effect. */
function Hint({text}: {text: string}) {
  const [key = '', ...words] = text.split(' ');
  return (
    <Text>
      {' '}
      <Toned tone="accent">{key}</Toned>
      <Text dimColor>{words.length === 0 ? ' ' : ` ${words.join(' ')} `}</Text>
    </Text>
  );
}

const promptSigns = {filter: '/', search: '/', command: ':'} as const;

function PromptLine({state, typing, found}: Pick<BottomProps, 'state' | 'found'> & {typing: Prompt}) {
  const text = state[typing];
  const rest = typing === 'command' ? completed(text, state).slice(text.length) : '';
  const told = {
    filter: 'Filter nodes: Enter apply  Esc clear',
    search: `Search: ${foundText(found)}  Enter apply  Esc clear`,
    command: `${rest === '' ? '' : 'Tab complete  '}Enter run  Esc cancel`,
  }[typing];
  return (
    <Text wrap="truncate">
      <Toned tone="accent">{` ${promptSigns[typing]}`}</Toned>
      {plain(text)}
      <Text inverse>{rest === '' ? ' ' : rest.slice(0, 1)}</Text>
      <Text dimColor>{`${rest.slice(1)}  ${told}`}</Text>
    </Text>
  );
}

function foundText({at, count}: Pick<SearchResult, 'at' | 'count'>): string {
  return count === 0 ? 'no match' : `${at} of ${count}`;
}

/** A full-screen text. Text after two spaces in a line, such as the effect of a key, is kept in a column. */
export function overlayContent({text}: Overlay, width: number): Content {
  const lines = text.split('\n').flatMap((line): ScreenLine[] => {
    const indent = line.length - line.trimStart().length;
    const column = /\S {2,}(?=\S)/.exec(line);
    const hang = column && column.index < 20 ? column.index + column[0].length : indent;
    return line.trim() === '' ? [[]] : wrapped('plain', line.trimStart(), width, indent, hang);
  });
  return {lines, from: 0, to: 0};
}

/** The first visible line, so that the selection is visible, and the scroll position that is possible. */
export function offsetOf({lines, from, to}: Content, scroll: number, height: number): {at: number; scroll: number} {
  const base = to > height ? from : 0;
  const at = Math.max(0, Math.min(base + scroll, Math.max(base, lines.length - height)));
  return {at, scroll: at - base};
}
