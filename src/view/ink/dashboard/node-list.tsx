import {Box, Text} from 'ink';
import {isFailure} from '../../../diagnose/failures.js';
import {plain} from '../../../lib/untrusted.js';
import {inColumns, stringWidth} from '../../../lib/width.js';
import {phaseWord} from '../live-state.js';
import {visible} from '../picker-state.js';
import {spokenPlace} from '../screen-reader-text.js';
import {Toned} from '../toned.js';
import type {Tone} from './content.js';
import {
  type Action,
  type DashboardState,
  type NodeEntry,
  type Sort,
  shownEntries,
  shownFindings,
} from './dashboard-state.js';

interface ListProps {
  readonly state: DashboardState;
  readonly width: number;
  readonly columns: ListColumns;
  readonly height: number;
  readonly now: number;
}

/** Widths of the columns; 0: the column is hidden. */
export interface ListColumns {
  readonly name: number;
  readonly plugin: number;
  readonly problems: number;
  readonly read: number;
}

/** Nodes with health, plugin and age. The columns do not move while nodes are read. */
export function NodeList({state, width, columns, height, now}: ListProps) {
  const shown = shownEntries(state);
  const {from, to} = shownNodes(state, height);
  const about = aboutWidth(columns);
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      <Text dimColor aria-hidden wrap="truncate">
        {headings(state, columns)}
      </Text>
      {shown.slice(from, to).map((entry, i) => (
        <NodeLine
          key={entry.name}
          entry={entry}
          spoken={spokenPlace('Node', from + i, shown.length, aboutInWords(entry))}
          selected={entry.name === state.at}
          focused={state.focus === 'nodes'}
          room={columns.name}
          about={about === 0 ? '' : inColumns(aboutNode(entry, columns, now), about)}
        />
      ))}
      {to - from < shown.length ? <Text dimColor aria-hidden>{`   ${from + 1}-${to} of ${shown.length}`}</Text> : null}
      {shown.length === 0 && state.entries.length > 0 ? <Text dimColor>No nodes match the filter.</Text> : null}
    </Box>
  );
}

/** The nodes that fit below the headings, including the selected one. */
export function shownNodes(state: DashboardState, height: number): {from: number; to: number} {
  const shown = shownEntries(state);
  const at = shown.findIndex(({name}) => name === state.at);
  const room = height - 1;
  return visible(Math.max(0, at), shown.length, shown.length > room ? room - 1 : room);
}

/** The column headings, with an arrow at the sort column. A hidden sort column is named in the first heading. */
function headings({sort}: DashboardState, columns: ListColumns): string {
  const {name, plugin, problems, read} = columns;
  const marked = (text: string, by: Sort) => (sort === by ? `${text}↓` : text);
  const unseen = {name: false, health: problems === 0, plugin: plugin === 0, age: read === 0}[sort];
  const cells = [
    inColumns(unseen ? orderedBy(sort, name) : marked('NODE', 'name'), name),
    ...(plugin > 0 ? [inColumns(marked('PLUGIN', 'plugin'), plugin)] : []),
    ...(problems > 0 ? [inColumns(marked('PROBLEMS', 'health'), problems)] : []),
    ...(read > 0 ? [marked('READ', 'age').padStart(read)] : []),
  ];
  return `${' '.repeat(signWidth)}${cells.join(' ')}`;
}

function orderedBy(sort: Sort, width: number): string {
  const whole = `NODE, ${orderWords[sort]}`;
  return stringWidth(whole) <= width ? whole : orderWords[sort];
}

const orderWords: Readonly<Record<Sort, string>> = {
  name: 'BY NAME',
  health: 'WORST FIRST',
  plugin: 'BY PLUGIN',
  age: 'OLDEST FIRST',
};

/** Sorts by the clicked heading. */
export function headingAt(column: number, {name, plugin, problems}: ListColumns): Action {
  const afterName = signWidth + name;
  const afterPlugin = afterName + (plugin > 0 ? 1 + plugin : 0);
  const afterProblems = afterPlugin + (problems > 0 ? 1 + problems : 0);
  if (column <= afterName) return {type: 'sort', by: 'name'};
  if (column <= afterPlugin) return {type: 'sort', by: 'plugin'};
  return {type: 'sort', by: column <= afterProblems ? 'health' : 'age'};
}

const signWidth = 3;
const shortAge = 4;
const longAge = '59m ago'.length;
const longestPhase = 'reading 30/30'.length;
const leastPlugin = 'kube-ovn'.length;
/** Wide enough for a phase together with the age, so that the list does not grow while it fills. */
const problemsWidth = 'PROBLEMS↓'.length;

/** On narrower screens, the list uses the whole screen until a node is opened. */
export const tinyScreen = 60;
/** From this width on there is room for all columns beside the details. */
const wideScreen = 140;
/** On narrower screens, an opened node uses the whole screen. */
const smallScreen = 100;
const leastName = 'NODE, OLDEST FIRST'.length;

/** Fits whole names, up to half of a small screen; undefined if the opened node uses the whole screen. */
export function listColumns(
  {entries, focus}: Pick<DashboardState, 'entries' | 'focus'>,
  columns: number,
): ListColumns | undefined {
  const longest = Math.max('NODE↓'.length, ...entries.map(({name}) => stringWidth(name)));
  if (columns < wideScreen && focus === 'content') {
    if (columns < smallScreen) return undefined;
    return {name: Math.min(Math.max(longest, leastName), Math.floor(columns / 3) - 4), plugin: 0, problems: 0, read: 0};
  }
  const plugin =
    columns < wideScreen ? 0 : Math.max(leastPlugin, ...entries.map(entry => stringWidth(pluginName(entry.plugin))));
  const isTiny = columns < tinyScreen;
  const about = {plugin, problems: problemsWidth, read: isTiny ? 0 : columns < smallScreen ? shortAge : longAge};
  const rest = signWidth + aboutWidth(about) + 2;
  const name = Math.min(longest, (isTiny ? columns : Math.min(Math.floor(columns / 2) + 2, 70)) - rest);
  return {name: Math.max(8, name), ...about};
}

export function widthOf(columns: ListColumns): number {
  const about = aboutWidth(columns);
  return signWidth + columns.name + (about === 0 ? 0 : 1 + about) + 1;
}

/** Width of the columns after the name. */
function aboutWidth({plugin, problems, read}: Omit<ListColumns, 'name'>): number {
  return Math.max(
    0,
    [plugin, problems, read].reduce((sum, width) => sum + (width === 0 ? 0 : width + 1), -1),
  );
}

interface NodeLineProps {
  readonly entry: NodeEntry;
  readonly spoken: string;
  readonly selected: boolean;
  readonly focused: boolean;
  readonly room: number;
  readonly about: string;
}

/** The selected node is highlighted from its name to the last column. */
function NodeLine({entry, spoken, selected, focused, room, about}: NodeLineProps) {
  const {tone, sign} = healthOf(entry);
  const bar = selected && focused;
  return (
    <Text wrap="truncate" aria-hidden={!selected} aria-label={spoken}>
      <Toned tone={bar ? 'chosen' : 'plain'}>{selected ? '›' : ' '}</Toned>
      <Toned tone={tone}>{`${sign} `}</Toned>
      <Text bold={selected} inverse={bar}>
        {inColumns(plain(entry.name), room)}
      </Text>
      {about === '' ? null : (
        <Text dimColor={!bar} inverse={bar}>
          {` ${about}`}
        </Text>
      )}
    </Text>
  );
}

interface Health {
  readonly tone: Tone;
  readonly sign: '✗' | '!' | '?' | '✓' | '·';
  readonly words: string;
}

type Seen = Pick<NodeEntry, 'results' | 'error' | 'incomplete' | 'seenAt'>;

export function healthOf({results, error, incomplete, seenAt}: Seen): Health {
  if (results.some(result => isFailure(result, 'error'))) return {tone: 'error', sign: '✗', words: 'unhealthy'};
  if (error !== undefined) return {tone: 'warning', sign: '?', words: 'could not be read'};
  if (incomplete !== undefined) return {tone: 'warning', sign: '?', words: 'not fully inspected'};
  if (results.some(result => isFailure(result, 'warning'))) return {tone: 'warning', sign: '!', words: 'has warnings'};
  return seenAt === undefined
    ? {tone: 'dim', sign: '·', words: 'not read yet'}
    : {tone: 'good', sign: '✓', words: 'healthy'};
}

/** For screen readers: without ages and progress, which would change while they are read aloud. */
function aboutInWords(entry: NodeEntry): string[] {
  const {name, phase, plugin = ''} = entry;
  return [plain(name), healthOf(entry).words, plain(plugin), phase === undefined ? '' : 'being read'];
}

function aboutNode(entry: NodeEntry, columns: ListColumns, now: number): string {
  const {plugin: width, problems, read} = columns;
  const {phase, detail = '', plugin, seenAt} = entry;
  if (phase === 'reading') return aboutWidth(columns) < longestPhase ? phase : `${phase} ${detail}`;
  if (phase !== undefined) return phaseWord(phase, detail);
  const count = shownFindings(entry).length;
  const cells = [
    ...(width === 0 ? [] : [inColumns(pluginName(plugin), width)]),
    ...(problems === 0 ? [] : [inColumns(count === 0 ? '-' : String(count), problems)]),
    ...(read === 0 ? [] : [age(seenAt, now, read)]),
  ];
  return cells.join(' ');
}

function pluginName(plugin = ''): string {
  return plain(plugin).split(' ')[0] ?? '';
}

/** How long ago a node was read. */
function age(seenAt: number | undefined, now: number, width: number): string {
  if (seenAt === undefined) return '';
  const seconds = Math.max(0, Math.round((now - seenAt) / 1000));
  const text =
    seconds < 60 ? `${seconds}s` : seconds < 3600 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 3600)}h`;
  return (width < longAge ? text : `${text} ago`).padStart(width);
}
