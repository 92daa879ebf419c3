import {Box, Text} from 'ink';
import {plain} from '../../../lib/untrusted.js';
import {stringWidth} from '../../../lib/width.js';
import {spokenLine, spokenPlace} from '../spoken.js';
import {Toned} from '../toned.js';
import type {Content, ScreenLine} from './content.js';
import {wrapped} from './content.js';
import {hints} from './keys.js';
import {healthOf} from './node-list.js';
import {type DashboardState, type NodeEntry, type Overlay, tabs} from './state.js';

export function TopLine({state}: {state: DashboardState}) {
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
  return (
    <Text
      wrap="truncate"
      aria-label={['kubectl win', plain(context), stage ?? told.join(', ')].filter(Boolean).join(', ')}
    >
      <Text bold>kubectl win</Text>
      {context === '' ? '' : `  ${plain(context)}`}
      {entries.length === 0 ? '' : `  ${entries.length} node${entries.length === 1 ? '' : 's'}, ${healthy} healthy`}
      {counts.map(([n, words]) =>
        n > 0 ? (
          <Text key={words}>
            {', '}
            <Toned tone={words === 'unhealthy' ? 'error' : 'plain'}>{`${n} ${words}`}</Toned>
          </Text>
        ) : null,
      )}
      <Text dimColor>
        {stage === undefined ? '' : `  ${stage}${working > 0 ? ` ${working} at work` : ''}`}
        {auto ? '  auto' : ''}
      </Text>
    </Text>
  );
}

const shortNames: Readonly<Record<string, string>> = {
  'Load balancers': 'Balancers',
  'Services and logs': 'Services, logs',
  'Plan and journal': 'Plan, journal',
};

/** The tab that is shown stands in brackets: it is set off by more than its look. */
export function TabLine({state, columns}: {state: DashboardState; columns: number}) {
  const names = tabs.map((tab, i) => `${i + 1} ${columns < 100 ? (shortNames[tab] ?? tab) : tab}`);
  const at = tabs.indexOf(state.tab);
  return (
    <Text wrap="truncate" aria-label={spokenPlace('Tab', at, tabs.length, [state.tab])}>
      {names.map((name, i) => (
        <Text key={name} inverse={i === at} dimColor={i !== at}>
          {i === at ? `[${name}]` : ` ${name}`}
        </Text>
      ))}
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
  /** Whether keys go here. */
  readonly focused: boolean;
}

export function ContentPane({entry, overlay, lines, at, width, height, focused}: PaneProps) {
  const shown = lines.slice(at, at + height - 1);
  return (
    <Box
      flexDirection="column"
      width={width + 2}
      height={height}
      borderStyle={focused ? 'bold' : 'single'}
      borderTop={false}
      borderBottom={false}
      borderRight={false}
      borderDimColor={!focused}
      paddingLeft={1}
    >
      <Box>
        <Box flexGrow={1}>
          <Text wrap="truncate" aria-hidden={!overlay}>
            <Text bold>{overlay?.title ?? plain(entry?.name ?? '')}</Text>
            <Text dimColor>{overlay ? '' : `  ${plain(entry?.plugin ?? '')}`}</Text>
          </Text>
        </Box>
        <Box flexShrink={0}>
          <HiddenLines above={at} below={lines.length - at - shown.length} />
        </Box>
      </Box>
      {shown.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of the screen is known by its place
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
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have nothing else
            <Toned key={i} tone={tone}>
              {text}
            </Toned>
          ))}
    </Text>
  );
}

/** How much there is above and below what fits. */
function HiddenLines({above, below}: {above: number; below: number}) {
  if (above === 0 && below === 0) return null;
  const shown = [above > 0 ? `↑ ${above}` : '', below > 0 ? `↓ ${below} more, PgDn` : ''].filter(Boolean).join('  ');
  return (
    <Text dimColor aria-label={`${above} lines above, ${below} below: PgUp and PgDn`}>
      {` ${shown}`}
    </Text>
  );
}

export function BottomLine({state, columns}: {state: DashboardState; columns: number}) {
  const {filtering, filter, notice} = state;
  if (filtering)
    return (
      <Text wrap="truncate">
        <Text bold>/</Text>
        {plain(filter)}
        <Text inverse> </Text>
        <Text dimColor> Enter apply Esc clear</Text>
      </Text>
    );
  if (notice !== '') return <Text wrap="truncate">{plain(notice)}</Text>;
  const kept = filter === '' ? '' : `${filterText(filter)}  `;
  return (
    <Text wrap="truncate" dimColor aria-label={state.overlay ? 'Esc goes back' : 'Keys: ? tells all of them, q leaves'}>
      {`${kept}${hints(state, columns - stringWidth(kept))}`}
    </Text>
  );
}

/** The filter that is active, in words: nodes that it hides must not be forgotten. */
function filterText(filter: string): string {
  return `Filter: ${filter === '!' ? 'problems' : plain(filter)} (Esc clears)`;
}

/** A text over the whole screen; what follows two blanks in a line, such as what a key does, stays a column. */
export function overlayContent({text}: Overlay, width: number): Content {
  const lines = text.split('\n').flatMap((line): ScreenLine[] => {
    const indent = line.length - line.trimStart().length;
    const column = /\S {2,}(?=\S)/.exec(line);
    const hang = column && column.index < 20 ? column.index + column[0].length : indent;
    return line.trim() === '' ? [[]] : wrapped('plain', line.trimStart(), width, indent, hang);
  });
  return {lines, from: 0, to: 0};
}

/** Where the content begins so that what is at hand is in sight, moved by as much as it can be. */
export function offsetOf({lines, from, to}: Content, scroll: number, height: number): {at: number; scroll: number} {
  const base = to > height ? from : 0;
  const at = Math.max(0, Math.min(base + scroll, Math.max(base, lines.length - height)));
  return {at, scroll: at - base};
}
