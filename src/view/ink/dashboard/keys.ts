import {type Action, type DashboardState, firstState, tabs} from './state.js';

/** What a key asks for: a change of what is shown, or something that only the program can do. */
export type Command =
  | Action
  | {readonly type: 'refresh'; readonly all: boolean}
  | {readonly type: 'fix'}
  | {readonly type: 'explain'}
  | {readonly type: 'copy'}
  | {readonly type: 'quit'};

/** A key as Ink tells it. */
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
  /** As the help names it. */
  readonly keys: string;
  readonly does: string;
  /** Shown at the bottom where there is room. */
  readonly hint?: string;
  /** The same on a narrow screen. */
  readonly short?: string;
  matches(input: string, key: Key): boolean;
  command(state: DashboardState, input: string, key: Key): Command;
}

const far = 100_000;
const letter = (wanted: string) => (input: string, key: Key) => input === wanted && !key.ctrl;

/** Every key there is; the help and the bottom line are made from it. */
export const bindings: readonly Binding[] = [
  {
    keys: '↑ ↓ j k',
    does: 'move: nodes, findings, or lines',
    hint: '↑↓ move',
    short: '↑↓←→',
    matches: (input, key) => key.upArrow || key.downArrow || (!key.ctrl && (input === 'j' || input === 'k')),
    command: (_, input, key) => ({type: 'move', by: key.upArrow || input === 'k' ? -1 : 1}),
  },
  {
    keys: '← → h l',
    does: 'switch between the nodes and the details',
    hint: '←→ pane',
    matches: (input, key) => key.leftArrow || key.rightArrow || input === 'h' || input === 'l',
    command: (_, input, key) => ({type: 'focus', on: key.leftArrow || input === 'h' ? 'nodes' : 'content'}),
  },
  {
    keys: 'Tab 1-6',
    does: 'the next tab, or one by its number',
    hint: 'Tab next tab',
    short: 'Tab',
    matches: (input, key) => key.tab || /^[1-6]$/.test(input),
    command: (state, input, key) => ({type: 'tab', tab: tabOf(state, input, key)}),
  },
  {
    keys: 'Enter',
    does: 'open a node; unfold a finding with its evidence',
    hint: 'Enter open',
    short: '⏎',
    matches: (_, key) => key.return,
    command: () => ({type: 'enter'}),
  },
  {
    keys: 'Ctrl-D Ctrl-U',
    does: 'scroll by half a page',
    matches: (input, key) => key.ctrl && (input === 'd' || input === 'u'),
    command: (_, input) => ({type: 'page', by: input === 'u' ? -8 : 8}),
  },
  {
    keys: 'PgUp PgDn',
    does: 'scroll by a page',
    matches: (_, key) => key.pageUp || key.pageDown,
    command: (_state, _input, key) => ({type: 'page', by: key.pageUp ? -10 : 10}),
  },
  {
    keys: 'Home End g G',
    does: 'go to the first or the last',
    matches: (input, key) => key.home || key.end || input === 'g' || input === 'G',
    command: (_, input, key) => ({type: 'move', by: key.home || input === 'g' ? -far : far}),
  },
  {
    keys: '/',
    does: 'filter nodes by name or plugin',
    hint: '/ filter',
    short: '/ filter',
    matches: letter('/'),
    command: ({filter}) => ({type: 'filter', text: filter, typing: true}),
  },
  {
    keys: '!',
    does: 'show only nodes with problems, or all',
    matches: letter('!'),
    command: ({filter}) => (filter === '!' ? noFilter : {type: 'filter', text: '!', typing: false}),
  },
  {
    keys: 's',
    does: 'sort nodes by name or by health',
    matches: letter('s'),
    command: () => ({type: 'sort'}),
  },
  {
    keys: 'r',
    does: 'refresh this node',
    hint: 'r refresh',
    short: 'r read',
    matches: letter('r'),
    command: () => ({type: 'refresh', all: false}),
  },
  {keys: 'R', does: 'refresh all nodes', matches: letter('R'), command: () => ({type: 'refresh', all: true})},
  {
    keys: 'a',
    does: 'refresh all nodes automatically, on or off',
    hint: 'a auto',
    short: 'a auto',
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
    keys: 'Esc',
    does: 'back',
    matches: (_, key) => key.escape,
    command: state => (state.filter !== '' && !state.overlay && state.focus === 'nodes' ? noFilter : {type: 'back'}),
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

const noFilter: Command = {type: 'filter', text: firstState.filter, typing: false};

/** What a key means where the dashboard is now; undefined: nothing. */
export function commandOf(state: DashboardState, input: string, key: Key): Command | undefined {
  if (state.filtering && !(key.ctrl && input === 'c')) return typed(state, input, key);
  return bindings.find(binding => binding.matches(input, key))?.command(state, input, key);
}

/** No key at all, for those who set the one that they mean. */
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

/** Keys that come fast come together, as one text: each is a key of its own. */
export function singleKeys(input: string, key: Key): readonly (readonly [string, Key])[] {
  if (input.length < 2 || key.ctrl) return [[input, key]];
  return [...input].map(one => (one === '\r' || one === '\n' ? ['', {...noKey, return: true}] : [one, noKey]));
}

function typed({filter}: DashboardState, input: string, key: Key): Command | undefined {
  if (key.escape) return noFilter;
  if (key.return) return {type: 'filter', text: filter, typing: false};
  if (key.backspace || key.delete) return {type: 'filter', text: filter.slice(0, -1), typing: true};
  if (key.upArrow || key.downArrow) return {type: 'move', by: key.upArrow ? -1 : 1};
  const [text = '', ...more] = input.split(/[\r\n]/);
  return text === '' && more.length === 0
    ? undefined
    : {type: 'filter', text: filter + text, typing: more.length === 0};
}

function tabOf({tab}: DashboardState, input: string, key: Key): (typeof tabs)[number] {
  const to = key.tab ? tabs.indexOf(tab) + (key.shift ? -1 : 1) : Number(input) - 1;
  return tabs[(to + tabs.length) % tabs.length] ?? tab;
}

function helpText(): string {
  const widest = Math.max(...bindings.map(({keys}) => keys.length));
  return bindings.map(({keys, does}) => `${keys.padEnd(widest)}  ${does}`).join('\n');
}

/** Keys at the bottom, all of narrow characters: in words, or on a narrow screen in short; the way to the others and the way out always. */
export function hints({overlay}: Pick<DashboardState, 'overlay'>, width: number): string {
  if (overlay) return '↑↓ scroll  Esc back';
  const long = bindings.flatMap(({hint}) => hint ?? []).join('  ');
  if (long.length <= width) return long;
  const shorts = bindings.flatMap(({short}) => short ?? []);
  const [useful, ends] = [shorts.slice(0, -2), shorts.slice(-2)];
  const line = (count: number) => [...useful.slice(0, count), ...ends].join('  ');
  return line(useful.findLastIndex((_, i) => line(i + 1).length <= width) + 1);
}
