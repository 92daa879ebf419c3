import {byRootCause, type Finding} from '../../../diagnose/root-causes.js';
import {alphabetically} from '../../../lib/natural-order.js';
import type {Result} from '../../../model/result.js';
import type {Phase} from '../../../session/progress.js';
import type {Content, Viewport} from './content.js';

export const tabs = [
  'Findings',
  'Topology',
  'Adapters',
  'Load balancers',
  'Services and logs',
  'Plan and journal',
] as const;
export type Tab = (typeof tabs)[number];

/** Sort orders of the node list. */
export const sorts = ['name', 'health', 'plugin', 'age'] as const;
export type Sort = (typeof sorts)[number];

/** An input line at the bottom of the screen. */
export type Prompt = 'filter' | 'search' | 'command';

/** A node in the dashboard. */
export interface NodeEntry {
  readonly name: string;
  /** The phase of a reading in progress; undefined: none is in progress. */
  readonly phase?: Phase | undefined;
  readonly detail?: string | undefined;
  readonly plugin?: string | undefined;
  /** Failed checks. */
  readonly results: readonly Result[];
  /** Results for the whole cluster, which may explain results of the node. */
  readonly ofCluster?: readonly Result[];
  /** Why it cannot be called healthy although it was read; undefined: it was fully inspected. */
  readonly incomplete?: string | undefined;
  /** Renders the latest data; undefined: nothing was read yet. */
  readonly tell?: ((sight: Viewport) => Content) | undefined;
  readonly seenAt?: number | undefined;
  /** Why the last reading failed. */
  readonly error?: string | undefined;
}

/** A text that covers the pane: the explanation of a check, or the keys. */
export interface Overlay {
  readonly title: string;
  readonly text: string;
}

export interface DashboardState {
  readonly context: string;
  /** The stage of the current refresh; undefined: none is in progress. */
  readonly stage?: string | undefined;
  readonly auto: boolean;
  readonly entries: readonly NodeEntry[];
  /** Whether the user has selected anything yet; until then the worst node is selected. */
  readonly touched: boolean;
  readonly sort: Sort;
  /** Name of the selected node. */
  readonly at?: string | undefined;
  readonly filter: string;
  /** Text to search for in the details of the node. */
  readonly search: string;
  /** Index of the selected match, modulo the number of matches. */
  readonly match: number;
  /** The `:` command typed so far. */
  readonly command: string;
  /** The input line that receives keys; undefined: each key is a command. */
  readonly typing?: Prompt | undefined;
  /** True: the dashboard handles the mouse. False: the terminal does, for selecting text. */
  readonly mouse: boolean;
  readonly focus: 'nodes' | 'content';
  readonly tab: Tab;
  /** The selected finding, and those that are unfolded. */
  readonly finding: number;
  readonly unfolded: ReadonlySet<number>;
  /** How many lines the content is scrolled. */
  readonly scroll: number;
  readonly overlay?: Overlay | undefined;
  readonly notice: string;
  /** Why the last reading failed. */
  readonly failure?: string | undefined;
}

export type Action =
  | {readonly type: 'stage'; readonly text: string | undefined}
  | {readonly type: 'failure'; readonly text: string | undefined}
  | {readonly type: 'context'; readonly context: string}
  | {readonly type: 'nodes'; readonly names: readonly string[]}
  | {readonly type: 'phase'; readonly name: string; readonly phase: Phase; readonly detail: string}
  | {readonly type: 'read'; readonly entry: NodeEntry}
  | {readonly type: 'auto'}
  /** Undefined: sort by the next column. */
  | {readonly type: 'sort'; readonly by?: Sort}
  | {readonly type: 'mouse'}
  | {readonly type: 'notice'; readonly text: string}
  /** In the focused pane, or among the nodes. */
  | {readonly type: 'move'; readonly by: number; readonly of?: 'nodes'}
  /** By lines, or by pages of the screen. */
  | {readonly type: 'page'; readonly by: number; readonly pages?: boolean}
  /** The actual scroll position, limited by the length of the content. */
  | {readonly type: 'scrolled'; readonly to: number}
  | {readonly type: 'focus'; readonly on: DashboardState['focus']}
  | {readonly type: 'tab'; readonly tab: Tab}
  | {readonly type: 'enter'}
  | {readonly type: 'back'}
  | {readonly type: 'filter' | 'search' | 'command'; readonly text: string; readonly typing: boolean}
  /** The next or previous match of the search. */
  | {readonly type: 'match'; readonly by: number}
  | {readonly type: 'node'; readonly name: string}
  /** Selects a finding; if it is already selected, folds or unfolds it. */
  | {readonly type: 'finding'; readonly index: number}
  | {readonly type: 'overlay'; readonly overlay: Overlay};

export const initialState: DashboardState = {
  context: '',
  auto: false,
  touched: false,
  sort: 'health',
  entries: [],
  filter: '',
  search: '',
  match: 0,
  command: '',
  mouse: true,
  focus: 'nodes',
  tab: 'Findings',
  finding: 0,
  unfolded: new Set(),
  scroll: 0,
  notice: '',
};

const top = {finding: 0, unfolded: new Set<number>(), scroll: 0};

/** Applies an action to a state. A notice is shown until the next key. */
export function reduce(state: DashboardState, action: Action): DashboardState {
  if (!byKey.has(action.type)) return changed(state, action);
  return changed({...state, touched: true, ...(state.notice !== '' && {notice: ''})}, action);
}

const byKey: ReadonlySet<Action['type']> = new Set([
  'sort',
  'move',
  'page',
  'focus',
  'tab',
  'enter',
  'back',
  'filter',
  'search',
  'command',
  'match',
  'node',
  'finding',
  'overlay',
]);

function changed(state: DashboardState, action: Action): DashboardState {
  switch (action.type) {
    case 'stage':
      return action.text === undefined ? rested(state) : {...state, stage: action.text};
    case 'failure':
      return {...state, failure: action.text};
    case 'context':
      return {...state, context: action.context};
    case 'notice':
      return {...state, notice: action.text};
    case 'sort':
      return {...state, sort: action.by ?? sorts[(sorts.indexOf(state.sort) + 1) % sorts.length] ?? 'name'};
    case 'mouse':
      return {...state, mouse: !state.mouse};
    case 'auto':
      return {...state, auto: !state.auto};
    case 'nodes':
      return withNodes(state, action.names);
    case 'phase':
      return withEntry(state, action.name, entry => phased(entry, action.phase, action.detail));
    case 'read':
      return onWorst(withEntry(state, action.entry.name, () => action.entry));
    case 'filter':
      return settled({...state, filter: action.text, typing: action.typing ? 'filter' : undefined});
    case 'search':
      return {...state, search: action.text, match: 0, scroll: 0, typing: action.typing ? 'search' : undefined};
    case 'command':
      return {...state, command: action.text, typing: action.typing ? 'command' : undefined};
    case 'match':
      return {...state, match: state.match + action.by, scroll: 0};
    case 'node':
      return {...state, at: action.name, focus: 'nodes', ...top};
    case 'finding':
      return chosen(state, action.index);
    case 'focus':
      return {...state, focus: action.on};
    case 'tab':
      return {...state, tab: action.tab, ...top, match: 0, overlay: undefined};
    case 'overlay':
      return {...state, overlay: action.overlay, scroll: 0};
    case 'page':
      return {...state, scroll: Math.max(0, state.scroll + action.by)};
    case 'scrolled':
      return {...state, scroll: action.to};
    case 'move':
      return moved(state, action.by, action.of ?? state.focus);
    case 'enter':
      return entered(state);
    case 'back':
      return state.overlay ? {...state, overlay: undefined, scroll: 0} : {...state, focus: 'nodes'};
  }
}

/** The nodes that match the filter: by name or plugin, or `!` for those with problems. */
export function shownEntries(state: Pick<DashboardState, 'entries' | 'filter' | 'sort'>): readonly NodeEntry[] {
  const kept = state.entries.filter(filterOf(state.filter.toLowerCase()));
  const order = orders[state.sort];
  return order === undefined ? kept : [...kept].sort(order);
}

/** Nodes arrive sorted by name; each order keeps that among equal nodes. */
const orders: Readonly<Record<Sort, ((one: NodeEntry, other: NodeEntry) => number) | undefined>> = {
  name: undefined,
  health: worstFirst,
  plugin: (one, other) =>
    Number(one.plugin === undefined) - Number(other.plugin === undefined) ||
    alphabetically(one.plugin ?? '', other.plugin ?? ''),
  age: (one, other) => (one.seenAt ?? Number.POSITIVE_INFINITY) - (other.seenAt ?? Number.POSITIVE_INFINITY),
};

function filterOf(wanted: string): (entry: NodeEntry) => boolean {
  if (wanted === '') return () => true;
  if (wanted === '!') return entry => severityRank(entry) < 3;
  return ({name, plugin = ''}) => `${name} ${plugin}`.toLowerCase().includes(wanted);
}

/** Worst first: errors, not fully read, warnings, healthy. */
function severityRank(entry: NodeEntry): number {
  const found = shownFindings(entry).flatMap(({root, explains}) => [root, ...explains]);
  if (found.some(({severity}) => severity === 'error')) return 0;
  if (entry.error !== undefined || entry.incomplete !== undefined) return 1;
  return found.length > 0 ? 2 : 3;
}

/** Among equally unhealthy nodes, the one with most findings comes first. */
function worstFirst(one: NodeEntry, other: NodeEntry): number {
  const [a, b] = [rankOf(one), rankOf(other)];
  return a.bad - b.bad || b.found - a.found;
}

interface Rank {
  readonly bad: number;
  /** Findings with their consequences. */
  readonly found: number;
}

/** An entry never changes, so it is ranked once, not on every frame. */
const ranks = new WeakMap<NodeEntry, Rank>();

function rankOf(entry: NodeEntry): Rank {
  const known = ranks.get(entry);
  if (known) return known;
  const found = shownFindings(entry).reduce((sum, {explains}) => sum + 1 + explains.length, 0);
  const rank = {bad: severityRank(entry), found};
  ranks.set(entry, rank);
  return rank;
}

/** Selects the worst node until the user selects another. */
function onWorst(state: DashboardState): DashboardState {
  if (state.touched) return state;
  const [worst] = shownEntries({...state, sort: 'health'});
  return worst === undefined || worst.name === state.at ? state : {...state, at: worst.name, ...top};
}

/** A node's findings, grouped by root cause. */
export function shownFindings(entry: NodeEntry | undefined): Finding[] {
  return byRootCause(entry?.results ?? [], entry?.ofCluster);
}

export function selectedEntry(state: DashboardState): NodeEntry | undefined {
  return state.entries.find(({name}) => name === state.at);
}

function withNodes(state: DashboardState, names: readonly string[]): DashboardState {
  const known = new Map(state.entries.map(entry => [entry.name, entry]));
  return settled({...state, entries: names.map(name => known.get(name) ?? {name, results: []})});
}

function withEntry(state: DashboardState, name: string, change: (entry: NodeEntry) => NodeEntry): DashboardState {
  return {...state, entries: state.entries.map(entry => (entry.name === name ? change(entry) : entry))};
}

function phased(entry: NodeEntry, phase: Phase, detail: string): NodeEntry {
  const over = phase === 'done' || phase === 'not inspected';
  return {
    ...entry,
    phase: over ? undefined : phase,
    detail: over ? undefined : detail,
    ...(phase === 'not inspected' && {error: detail}),
  };
}

/** Ends all phases, also those of an aborted reading. */
function rested(state: DashboardState): DashboardState {
  const entries = state.entries.map(entry => (entry.phase === undefined ? entry : phased(entry, 'done', '')));
  return {...state, stage: undefined, entries};
}

/** Makes sure that the selected node is one of those shown. */
function settled(state: DashboardState): DashboardState {
  const shown = shownEntries(state);
  if (shown.some(({name}) => name === state.at)) return state;
  return {...state, at: shown[0]?.name, ...top};
}

function moved(state: DashboardState, by: number, of: DashboardState['focus']): DashboardState {
  if (state.overlay) return {...state, scroll: Math.max(0, state.scroll + by)};
  if (of === 'nodes') {
    const shown = shownEntries(state);
    const to = within(shown.findIndex(({name}) => name === state.at) + by, shown.length);
    return {...state, at: shown[to]?.name, ...top};
  }
  if (state.tab !== 'Findings') return {...state, scroll: Math.max(0, state.scroll + by)};
  const count = shownFindings(selectedEntry(state)).length;
  return {...state, finding: within(state.finding + by, count), scroll: 0};
}

function entered(state: DashboardState): DashboardState {
  if (state.overlay) return state;
  if (state.focus === 'nodes') return {...state, focus: 'content'};
  if (state.tab !== 'Findings') return state;
  const unfolded = new Set(state.unfolded);
  if (!unfolded.delete(state.finding)) unfolded.add(state.finding);
  return {...state, unfolded, scroll: 0};
}

function chosen(state: DashboardState, index: number): DashboardState {
  if (state.focus === 'content' && state.finding === index) return entered(state);
  return {...state, focus: 'content', finding: index};
}

function within(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index));
}
