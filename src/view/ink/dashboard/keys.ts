import {completed, typedCommand, typedCommands} from './commands.js';
import {type Action, type DashboardState, initialState, type Prompt, type Sort, tabs} from './dashboard-state.js';

/** The effect of a key: a change of the state, or a request to the program. */
export type Command =
  | Action
  | {readonly type: 'refresh'; readonly all: boolean}
  | {readonly type: 'fix'}
  | {readonly type: 'explain'}
  | {readonly type: 'copy'}
  | {readonly type: 'quit'}
  /** A command typed after `:`, or an error message. */
  | {readonly type: 'typed'; readonly command: Command | string};

/** A key as Ink reports it. */
export interface Key {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageUp: boolean;
  readonly pageDown: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly tab: boolean;
  readonly shift: boolean;
  readonly ctrl: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
}

interface Binding {
  /** The keys as shown in the help. */
  readonly keys: string;
  readonly does: string;
  /** Shown at the bottom if there is room. */
  readonly hint?: string;
  /** The same on a narrow screen. */
  readonly short?: string;
  matches(input: string, key: Key, state: DashboardState): boolean;
  command(state: DashboardState, input: string, key: Key): Command;
}

const far = 100_000;
const sortKeys: Readonly<Record<string, Sort>> = {N: 'name', H: 'health', P: 'plugin', A: 'age'};
const letter = (wanted: string) => (input: string, key: Key) => input === wanted && !key.ctrl;

/** All keys. The help and the bottom line are generated from this list. */
export const bindings: readonly Binding[] = [
  {
    keys: '↑ ↓ j k',
    does: 'move through nodes, findings or lines',
    hint: '↑↓ move',
    short: '↑↓←→',
    matches: (input, key) => key.upArrow || key.downArrow || (!key.ctrl && (input === 'j' || input === 'k')),
    command: (_, input, key) => ({type: 'move', by: key.upArrow || input === 'k' ? -1 : 1}),
  },
  {
    keys: '← → h l',
    does: 'switch between the node list and the details',
    hint: '←→ pane',
    matches: (input, key) => key.leftArrow || key.rightArrow || input === 'h' || input === 'l',
    command: (_, input, key) => ({type: 'focus', on: key.leftArrow || input === 'h' ? 'nodes' : 'content'}),
  },
  {
    keys: 'Tab 1-6',
    does: 'show the next tab, or a tab by number',
    hint: 'Tab next',
    short: 'Tab',
    matches: (input, key) => key.tab || /^[1-6]$/.test(input),
    command: (state, input, key) => ({type: 'tab', tab: tabOf(state, input, key)}),
  },
  {
    keys: 'Enter',
    does: 'open a node, or expand a finding to show its evidence',
    hint: 'Enter open',
    short: '⏎',
    matches: (_, key) => key.return,
    command: () => ({type: 'enter'}),
  },
  {
    keys: 'Ctrl-D Ctrl-U',
    does: 'scroll by half a page',
    matches: (input, key) => key.ctrl && (input === 'd' || input === 'u'),
    command: (_, input) => ({type: 'page', by: input === 'u' ? -0.5 : 0.5, pages: true}),
  },
  {
    keys: 'PgUp PgDn Ctrl-B Ctrl-F',
    does: 'scroll by a page',
    matches: (input, key) => key.pageUp || key.pageDown || (key.ctrl && (input === 'b' || input === 'f')),
    command: (_state, input, key) => ({type: 'page', by: key.pageUp || input === 'b' ? -1 : 1, pages: true}),
  },
  {
    keys: 'Home End g G',
    does: 'go to the start or the end',
    matches: (input, key) => key.home || key.end || input === 'g' || input === 'G',
    command: (_, input, key) => ({type: 'move', by: key.home || input === 'g' ? -far : far}),
  },
  {
    keys: '/',
    does: 'filter nodes by name or plugin, or search the details',
    hint: '/ filter',
    short: '/ filter',
    matches: letter('/'),
    command: ({filter, search, focus}) =>
      focus === 'nodes' ? {type: 'filter', text: filter, typing: true} : {type: 'search', text: search, typing: true},
  },
  {
    keys: 'n N',
    does: 'go to the next or previous match of a search',
    matches: (input, key, {search}) => search !== '' && !key.ctrl && (input === 'n' || input === 'N'),
    command: (_, input) => ({type: 'match', by: input === 'N' ? -1 : 1}),
  },
  {
    keys: ':',
    does: 'type a command, such as :node NAME, :logs or :quit',
    hint: ': command',
    matches: letter(':'),
    command: () => ({type: 'command', text: '', typing: true}),
  },
  {
    keys: '!',
    does: 'show only nodes with problems, or all nodes',
    matches: letter('!'),
    command: ({filter}) => (filter === '!' ? noFilter : {type: 'filter', text: '!', typing: false}),
  },
  {
    keys: 's N H P A',
    does: 'sort nodes by the next column, or by name, health, plugin or age',
    matches: (input, key) => !key.ctrl && (input === 's' || sortKeys[input] !== undefined),
    command: (_, input) => {
      const by = sortKeys[input];
      return by ? {type: 'sort', by} : {type: 'sort'};
    },
  },
  {
    keys: 'r',
    does: 'refresh this node',
    hint: 'r refresh',
    short: 'r refresh',
    matches: letter('r'),
    command: () => ({type: 'refresh', all: false}),
  },
  {keys: 'R', does: 'refresh all nodes', matches: letter('R'), command: () => ({type: 'refresh', all: true})},
  {
    keys: 'a',
    does: 'turn automatic refresh of all nodes on or off',
    matches: letter('a'),
    command: () => ({type: 'auto'}),
  },
  {
    keys: 'f',
    does: 'fix: review a plan for this node and run it',
    hint: 'f fix',
    short: 'f fix',
    matches: letter('f'),
    command: () => ({type: 'fix'}),
  },
  {
    keys: 'e',
    does: 'explain the check of this finding',
    hint: 'e explain',
    short: 'e explain',
    matches: letter('e'),
    command: () => ({type: 'explain'}),
  },
  {
    keys: 'y',
    does: 'copy the evidence of this finding to the clipboard',
    hint: 'y copy',
    short: 'y copy',
    matches: letter('y'),
    command: () => ({type: 'copy'}),
  },
  {
    keys: 'm',
    does: 'turn the mouse on or off (turn it off to select text)',
    matches: letter('m'),
    command: () => ({type: 'mouse'}),
  },
  {
    keys: 'Esc',
    does: 'go back, or clear the search or filter',
    matches: (_, key) => key.escape,
    command: escaped,
  },
  {
    keys: 'Ctrl-Z',
    does: 'suspend (continue with fg in the shell)',
    // Listed for the help only: the screen handles it before this table.
    matches: () => false,
    command: () => ({type: 'back'}),
  },
  {
    keys: '?',
    does: 'show these keys',
    hint: '? keys',
    short: '? keys',
    matches: letter('?'),
    command: () => ({type: 'overlay', overlay: {title: 'Keys', text: helpText()}}),
  },
  {
    keys: 'q Ctrl-C',
    does: 'quit',
    hint: 'q quit',
    short: 'q quit',
    matches: (input, key) => (key.ctrl ? input === 'c' : input === 'q'),
    command: ({overlay}, _, key) => (overlay && !key.ctrl ? {type: 'back'} : {type: 'quit'}),
  },
];

const noFilter: Command = {type: 'filter', text: initialState.filter, typing: false};
const noSearch: Command = {type: 'search', text: initialState.search, typing: false};

function escaped({overlay, focus, search, filter}: DashboardState): Command {
  if (overlay) return {type: 'back'};
  if (search !== '') return noSearch;
  return filter !== '' && focus === 'nodes' ? noFilter : {type: 'back'};
}

/** The command of a key in the current state; undefined: none. */
export function commandOf(state: DashboardState, input: string, key: Key): Command | undefined {
  if (state.typing && !(key.ctrl && input === 'c')) return typed(state, state.typing, input, key);
  return bindings.find(binding => binding.matches(input, key, state))?.command(state, input, key);
}

/** No key pressed, as a base for single keys. */
export const noKey: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageUp: false,
  pageDown: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  tab: false,
  shift: false,
  ctrl: false,
  backspace: false,
  delete: false,
};

/** Keys in quick succession arrive as one text; splits it into single keys. */
export function singleKeys(input: string, key: Key): readonly (readonly [string, Key])[] {
  if (input.length < 2 || key.ctrl) return [[input, key]];
  return [...input].map(one => (one === '\r' || one === '\n' ? ['', {...noKey, return: true}] : [one, noKey]));
}

function typed(state: DashboardState, type: Prompt, input: string, key: Key): Command | undefined {
  const sofar = state[type];
  if (key.escape) return {type, text: '', typing: false};
  if (key.return) return entered(state, type, sofar);
  if (key.tab && type === 'command') return {type, text: completed(sofar, state), typing: true};
  if (key.backspace || key.delete) return {type, text: sofar.slice(0, -1), typing: true};
  if (key.upArrow || key.downArrow)
    return type === 'search' ? {type: 'match', by: key.upArrow ? -1 : 1} : {type: 'move', by: key.upArrow ? -1 : 1};
  const [text = '', ...more] = input.split(/[\r\n]/);
  if (text === '' && more.length === 0) return undefined;
  return more.length === 0 ? {type, text: sofar + text, typing: true} : entered(state, type, sofar + text);
}

function entered(state: DashboardState, type: Prompt, text: string): Command {
  if (type !== 'command' || text === '') return {type, text, typing: false};
  return {type: 'typed', command: typedCommand(text, state)};
}

function tabOf({tab}: DashboardState, input: string, key: Key): (typeof tabs)[number] {
  const to = key.tab ? tabs.indexOf(tab) + (key.shift ? -1 : 1) : Number(input) - 1;
  return tabs[(to + tabs.length) % tabs.length] ?? tab;
}

function helpText(): string {
  const rows = (all: readonly (readonly [string, string])[]) => {
    const widest = Math.max(...all.map(([name]) => name.length));
    return all.map(([name, does]) => `${name.padEnd(widest)}  ${does}`).join('\n');
  };
  const commands = typedCommands.map(
    ({names, takes, does}) => [`:${names[0]}${takes ? ` ${takes}` : ''}`, does] as const,
  );
  return `${rows(bindings.map(({keys, does}) => [keys, does]))}\n\nMouse: select nodes, tabs, findings and columns; scroll with the wheel.\n\n${rows(commands)}`;
}

/** The key hints at the bottom, shortened on a narrow screen. The last two (help and quit) are always shown. */
export function hints({overlay, focus}: Partial<Pick<DashboardState, 'overlay' | 'focus'>>, width: number): string {
  if (overlay) return '↑↓ scroll  Esc back';
  const here = (text: string) =>
    focus === 'content' ? text.replace('/ filter', '/ search').replace('↑↓←→', '↑↓  ← nodes') : text;
  const long = here(bindings.flatMap(({hint}) => hint ?? []).join('  '));
  if (long.length <= width) return long;
  const shorts = bindings.flatMap(({short}) => (short === undefined ? [] : here(short)));
  const [useful, ends] = [shorts.slice(0, -2), shorts.slice(-2)];
  const line = (count: number) => [...useful.slice(0, count), ...ends].join('  ');
  return line(useful.findLastIndex((_, i) => line(i + 1).length <= width) + 1);
}
