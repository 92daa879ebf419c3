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

/** Widths of the columns; one that has no room is 0. */
export interface ListColumns {
  readonly name: number;
  readonly plugin: number;
  readonly problems: number;
  readonly read: number;
}

/** Nodes with health, plugin and when they were read; columns stay where they are while nodes go through their phases. */
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
          atHand={entry.name === state.at}
          focused={state.focus === 'nodes'}
          room={columns.name}
          about={about === 0 ? '' : inColumns(aboutNode(entry, columns, now), about)}
        />
      ))}
      {to - from < shown.length ? <Text dimColor aria-hidden>{`   ${from + 1}-${to} of ${shown.length}`}</Text> : null}
      {shown.length === 0 && state.entries.length > 0 ? <Text dimColor>No node matches the filter.</Text> : null}
    </Box>
  );
}

/** The nodes that fit, below the headings, with the selected one among them. */
export function shownNodes(state: DashboardState, height: number): {from: number; to: number} {
  const shown = shownEntries(state);
  const at = shown.findIndex(({name}) => name === state.at);
  const room = height - 1;
  return visible(Math.max(0, at), shown.length, shown.length > room ? room - 1 : room);
}

/** What the columns are, with an arrow at the one that nodes are sorted by. */
function headings({sort}: DashboardState, {name, plugin, problems, read}: ListColumns): string {
  const marked = (text: string, by: Sort) => (sort === by ? `${text}↓` : text);
  const cells = [
    inColumns(`${sort === 'health' && problems === 0 ? 'NODE, WORST FIRST' : marked('NODE', 'name')}`, name),
    ...(plugin > 0 ? [inColumns(marked('PLUGIN', 'plugin'), plugin)] : []),
    ...(problems > 0 ? [inColumns(marked('PROBLEMS', 'health'), problems)] : []),
    ...(read > 0 ? [marked('READ', 'age').padStart(read)] : []),
  ];
  return `${' '.repeat(signWidth)}${cells.join(' ')}`;
}

/** A click on a heading sorts by it. */
export function headingAt(column: number, {name, plugin, problems}: ListColumns): Action {
  const ends: readonly [number, Sort][] = [
    [signWidth + name, 'name'],
    [signWidth + name + 1 + plugin, 'plugin'],
    [signWidth + name + 1 + plugin + (problems > 0 ? 1 + problems : 0), 'health'],
  ];
  return {type: 'sort', by: ends.find(([end]) => column <= end)?.[1] ?? 'age'};
}

const signWidth = 3;
const shortAge = 4;
const longAge = '59m ago'.length;
/** Room for a phase too: the list does not grow while it fills. */
const leastPlugin = 'kube-ovn'.length;
const problemsWidth = 'PROBLEMS↓'.length;

/** Below this the list makes way for the node that is read. */
const wideScreen = 140;
const smallScreen = 100;
const leastList = 20;

/** Room for whole names, and half of a small screen at most; where a node is read, its list makes way. */
export function listColumns({entries, focus}: Pick<DashboardState, 'entries' | 'focus'>, columns: number): ListColumns {
  const longest = Math.max('NODE↓'.length, ...entries.map(({name}) => stringWidth(name)));
  if (columns < wideScreen && focus === 'content') {
    const most = columns < smallScreen ? leastList : Math.floor(columns / 3);
    return {name: Math.min(Math.max(longest, leastList - 4), most - 4), plugin: 0, problems: 0, read: 0};
  }
  const plugin = Math.max(leastPlugin, ...entries.map(entry => stringWidth(pluginName(entry.plugin))));
  const problems = columns < wideScreen ? 0 : problemsWidth;
  const read = columns < smallScreen ? shortAge : longAge;
  const rest = signWidth + aboutWidth({name: 0, plugin, problems, read}) + 2;
  const name = Math.min(longest, Math.min(Math.floor(columns / 2) + 1, 70) - rest);
  return {name: Math.max(8, name), plugin, problems, read};
}

export function widthOf(columns: ListColumns): number {
  const about = aboutWidth(columns);
  return signWidth + columns.name + (about === 0 ? 0 : 1 + about) + 1;
}

/** What comes after the name. */
function aboutWidth({plugin, problems, read}: ListColumns): number {
  return plugin === 0 ? 0 : plugin + 1 + (problems === 0 ? 0 : problems + 1) + read;
}

interface NodeLineProps {
  readonly entry: NodeEntry;
  readonly spoken: string;
  readonly atHand: boolean;
  readonly focused: boolean;
  readonly room: number;
  readonly about: string;
}

/** The selected node is a bar from its name to its last column. */
function NodeLine({entry, spoken, atHand, focused, room, about}: NodeLineProps) {
  const {tone, sign} = healthOf(entry);
  const bar = atHand && focused;
  return (
    <Text wrap="truncate" aria-hidden={!atHand} aria-label={spoken}>
      <Toned tone={bar ? 'chosen' : 'plain'}>{atHand ? '›' : ' '}</Toned>
      <Toned tone={tone}>{`${sign} `}</Toned>
      <Text bold={atHand} inverse={bar}>
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

/** What does not change while it is read aloud: neither ages nor how far a reading is. */
function aboutInWords(entry: NodeEntry): string[] {
  const {name, phase, plugin = ''} = entry;
  return [plain(name), healthOf(entry).words, plain(plugin), phase === undefined ? '' : 'being read'];
}

function aboutNode(entry: NodeEntry, {plugin: width, problems, read}: ListColumns, now: number): string {
  const {phase, detail = '', plugin, seenAt} = entry;
  if (phase !== undefined) return phase === 'reading' ? `reading ${detail}` : phaseWord(phase, detail);
  const count = shownFindings(entry).length;
  const cells = [
    inColumns(pluginName(plugin), width),
    ...(problems === 0 ? [] : [inColumns(count === 0 ? '-' : String(count), problems)]),
    age(seenAt, now, read),
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
