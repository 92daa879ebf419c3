import {Box, Text} from 'ink';
import {isFailure} from '../../../diagnose/failures.js';
import {plain} from '../../../lib/untrusted.js';
import {inColumns, stringWidth} from '../../../lib/width.js';
import {phaseWord} from '../live-state.js';
import {visible} from '../picker-state.js';
import {spokenPlace} from '../spoken.js';
import {Toned} from '../toned.js';
import type {Tone} from './content.js';
import {type DashboardState, type NodeEntry, shownEntries} from './state.js';

interface ListProps {
  readonly state: DashboardState;
  readonly width: number;
  readonly height: number;
  readonly now: number;
}

/** Nodes with health, plugin and when they were seen; columns stay where they are while nodes go through their phases. */
export function NodeList({state, width, height, now}: ListProps) {
  const shown = shownEntries(state);
  const at = Math.max(
    0,
    shown.findIndex(({name}) => name === state.at),
  );
  const room = height - 1;
  const isLong = shown.length > room;
  const {from, to} = visible(at, shown.length, isLong ? room - 1 : room);
  const about = width < narrow ? 0 : aboutWidth(state.entries);
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      <Text dimColor aria-hidden wrap="truncate">
        {headings(width, about)}
      </Text>
      {shown.slice(from, to).map((entry, i) => (
        <NodeLine
          key={entry.name}
          entry={entry}
          spoken={spokenPlace('Node', from + i, shown.length, aboutInWords(entry))}
          atHand={entry.name === state.at}
          focused={state.focus === 'nodes'}
          room={width - signWidth - (about === 0 ? 0 : about + 1) - 1}
          about={about === 0 ? '' : inColumns(aboutNode(entry, about, now), about)}
        />
      ))}
      {isLong ? <Text dimColor aria-hidden>{`   ${from + 1}-${to} of ${shown.length}`}</Text> : null}
      {shown.length === 0 && state.entries.length > 0 ? <Text dimColor>No node matches the filter.</Text> : null}
    </Box>
  );
}

/** What the columns are. The age is that of the last reading. */
function headings(width: number, about: number): string {
  const name = inColumns('NODE', Math.max(0, width - signWidth - (about === 0 ? 0 : about + 1) - 1));
  const rest = about === 0 ? '' : ` ${inColumns('PLUGIN', about - ageWidth - 1)} AGE`;
  return `${' '.repeat(signWidth)}${name}${rest}`;
}

const narrow = 24;
const signWidth = 3;
const ageWidth = 3;
/** Room for a phase, and for the longest name of a plugin with an age: the list does not grow while it fills. */
const leastAbout = 'kube-ovn'.length + 1 + ageWidth;

/** Room for whole names, and half of a small screen at most; where a node is read on a small screen, its list makes way. */
export function listWidth({entries, focus}: Pick<DashboardState, 'entries' | 'focus'>, columns: number): number {
  if (columns < 100 && focus === 'content') return 20;
  const longest = Math.max(0, ...entries.map(({name}) => stringWidth(name)));
  const wanted = signWidth + longest + 1 + aboutWidth(entries) + 1;
  return Math.max(narrow, Math.min(wanted, Math.floor(columns / 2), 60));
}

function aboutWidth(entries: readonly NodeEntry[]): number {
  return Math.max(leastAbout, ...entries.map(({plugin}) => stringWidth(pluginName(plugin)) + 1 + ageWidth));
}

interface NodeLineProps {
  readonly entry: NodeEntry;
  readonly spoken: string;
  readonly atHand: boolean;
  readonly focused: boolean;
  readonly room: number;
  readonly about: string;
}

function NodeLine({entry, spoken, atHand, focused, room, about}: NodeLineProps) {
  const {tone, sign} = healthOf(entry);
  return (
    <Text wrap="truncate" aria-hidden={!atHand} aria-label={spoken}>
      <Toned tone={atHand && focused ? 'chosen' : 'plain'}>{atHand ? '›' : ' '}</Toned>
      <Toned tone={tone}>{`${sign} `}</Toned>
      <Text bold={atHand} inverse={atHand && focused}>
        {inColumns(plain(entry.name), room)}
      </Text>
      <Text dimColor>{` ${about}`}</Text>
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

function aboutNode({phase, detail = '', plugin, seenAt}: NodeEntry, width: number, now: number): string {
  if (phase !== undefined) return phase === 'reading' ? detail : phaseWord(phase, detail);
  const name = pluginName(plugin);
  return `${inColumns(name, width - ageWidth - 1)} ${age(seenAt, now)}`;
}

function pluginName(plugin = ''): string {
  return plain(plugin).split(' ')[0] ?? '';
}

function age(seenAt: number | undefined, now: number): string {
  if (seenAt === undefined) return '';
  const seconds = Math.max(0, Math.round((now - seenAt) / 1000));
  if (seconds < 60) return `${seconds}s`.padStart(ageWidth);
  return (seconds < 3600 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 3600)}h`).padStart(ageWidth);
}
