import {expect, test} from 'vitest';
import type {Result} from '../../../../src/model/result.js';
import {
  type Action,
  type DashboardState,
  initialState,
  type NodeEntry,
  reduce,
  shownEntries,
} from '../../../../src/view/ink/dashboard/dashboard-state.js';
import {bindings, commandOf, hints, type Key, noKey, singleKeys} from '../../../../src/view/ink/dashboard/keys.js';

const failure = (id: string): Result => ({
  id,
  outcome: 'fail',
  severity: 'error',
  title: id,
  message: id,
  evidence: [],
  docs: '',
});

const read = (name: string, rest: Partial<NodeEntry> = {}): Action => ({
  type: 'read',
  entry: {name, results: [], seenAt: 1, ...rest},
});

const after = (...actions: Action[]): DashboardState => actions.reduce(reduce, initialState);
const three = () =>
  after(
    {type: 'nodes', names: ['a-1', 'a-2', 'b-1']},
    read('b-1', {plugin: 'flannel', results: [failure('x/1'), failure('x/2')]}),
  );

/** Types a text, key by key. */
function typed(state: DashboardState, text: string, key: Partial<Key> = {}): DashboardState {
  return singleKeys(text, {...noKey, ...key}).reduce((at, [input, its]) => {
    const command = commandOf(at, input, its);
    return command ? reduce(at, command as Action) : at;
  }, state);
}

test('the worst node is selected until the user selects one, which stays selected when others appear', () => {
  expect(after({type: 'nodes', names: ['a-1', 'a-2']}).at).toBe('a-1');
  expect(three().at).toBe('b-1');
  expect(reduce(typed(three(), 'jj'), {type: 'nodes', names: ['0', 'a-1', 'a-2', 'b-1']}).at).toBe('a-2');
  expect(reduce(typed(three(), 'j'), read('a-2', {results: [failure('x/3')]})).at).toBe('a-1');
  expect(reduce(three(), {type: 'nodes', names: ['b-1']}).at).toBe('b-1');
  expect(reduce(three(), read('a-1', {results: [failure('x/3')]})).at).toBe('b-1');
  expect(reduce(three(), read('a-2', {results: ['x/3', 'x/4', 'x/5'].map(id => failure(id))})).at).toBe('a-2');
});

test('keys that arrive together all count: jj moves two nodes, and Enter ends a filter', () => {
  expect(typed(three(), 'jj').at).toBe('a-2');
  expect(typed(three(), '/flan\r')).toMatchObject({filter: 'flan', typing: undefined, at: 'b-1'});
});

test('the filter matches names and plugins, and ! finds the nodes with problems', () => {
  const names = (filter: string) => shownEntries({...three(), filter}).map(({name}) => name);
  expect(names('A-')).toEqual(['a-1', 'a-2']);
  expect(names('flannel')).toEqual(['b-1']);
  expect(names('!')).toEqual(['b-1']);
  expect(names('nothing like it')).toEqual([]);
});

test('the worst node comes first: errors before what could not be read, before warnings; of equals the one with most findings', () => {
  const warning = {...failure('x/9'), severity: 'warning' as const};
  const state = after(
    {type: 'nodes', names: ['n-1', 'n-2', 'n-3', 'n-4', 'n-5', 'n-10']},
    read('n-1'),
    read('n-2', {results: [warning]}),
    read('n-3', {error: 'no answer'}),
    read('n-4', {results: [failure('x/1')]}),
    read('n-5', {results: [failure('x/1')]}),
    read('n-10', {results: [failure('x/1'), failure('x/2')]}),
  );
  expect(shownEntries(state).map(({name}) => name)).toEqual(['n-10', 'n-4', 'n-5', 'n-3', 'n-2', 'n-1']);
});

test('s sorts by the next column, and N, H, P and A by one of them', () => {
  const names = (keys: string) => shownEntries(typed(three(), keys)).map(({name}) => name);
  expect(names('')).toEqual(['b-1', 'a-1', 'a-2']);
  expect(names('Ns')).toEqual(['b-1', 'a-1', 'a-2']);
  expect(names('sss')).toEqual(['a-1', 'a-2', 'b-1']);
  expect(names('NH')).toEqual(['b-1', 'a-1', 'a-2']);
  expect(names('P')).toEqual(['b-1', 'a-1', 'a-2']);
  expect(names('A')).toEqual(['b-1', 'a-1', 'a-2']);
  expect(names('HN')).toEqual(['a-1', 'a-2', 'b-1']);
});

test('a command after : is run by its name or a prefix, and an unknown one is reported', () => {
  const run = (text: string) => {
    const {command} = commandOf(typed(three(), `:${text}`), '', {...noKey, return: true}) as {command: unknown};
    return command;
  };
  expect(run('quit')).toEqual({type: 'quit'});
  expect(run('q')).toEqual({type: 'quit'});
  expect(run('logs')).toEqual({type: 'tab', tab: 'Services and logs'});
  expect(run('topo')).toEqual({type: 'tab', tab: 'Topology'});
  expect(run('node a-2')).toEqual({type: 'node', name: 'a-2'});
  expect(run('node B')).toEqual({type: 'node', name: 'b-1'});
  expect(run('sort health')).toEqual({type: 'sort', by: 'health'});
  expect(run('refresh all')).toEqual({type: 'refresh', all: true});
  expect(run('filter flan')).toEqual({type: 'filter', text: 'flan', typing: false});
  expect(run('sort colour')).toMatch(/cannot be sorted by "colour"/);
  expect(run('node x')).toMatch(/No node is named "x"/);
  expect(run('bogus')).toMatch(/Unknown command ":bogus"/);
  expect(run('se')).toMatch(/":se" can be :services or :search/);
});

test('Tab completes a command, and then the word that it requires', () => {
  const tabbed = (text: string) => {
    const state = typed(three(), text);
    return reduce(state, commandOf(state, '', {...noKey, tab: true}) as Action).command;
  };
  expect(tabbed(':topo')).toBe('topology');
  expect(tabbed(':no')).toBe('node ');
  expect(tabbed(':node b')).toBe('node b-1');
  expect(tabbed(':sort he')).toBe('sort health');
  expect(tabbed(':refresh a')).toBe('refresh all');
  expect(tabbed(':filter fl')).toBe('filter fl');
  expect(tabbed(':bogus x')).toBe('bogus x');
});

test('! shows the nodes with problems, and all again', () => {
  expect(typed(three(), '!')).toMatchObject({filter: '!', typing: undefined, at: 'b-1'});
  expect(typed(three(), '!!')).toMatchObject({filter: '', at: 'b-1'});
});

test('letters that are keys elsewhere go into the filter, and Esc shows all nodes again', () => {
  const filtering = typed(three(), '/qr');
  expect(filtering.filter).toBe('qr');
  expect(typed(filtering, '', {escape: true})).toMatchObject({filter: '', typing: undefined, at: 'b-1'});
});

test('a node is opened, its findings are navigated, unfolded, and left again', () => {
  const inside = typed(typed(three(), 'Gg'), '', {return: true});
  expect(inside).toMatchObject({at: 'b-1', focus: 'content', finding: 0});
  const second = typed(typed(inside, 'jjj'), '', {return: true});
  expect([...second.unfolded]).toEqual([1]);
  expect([...typed(second, '', {return: true}).unfolded]).toEqual([]);
  expect(typed(second, '', {escape: true}).focus).toBe('nodes');
});

test('another node or tab starts at its top', () => {
  const scrolled = reduce(typed(three(), '2l'), {type: 'page', by: 30});
  expect(scrolled.scroll).toBe(30);
  expect(typed(scrolled, '3').scroll).toBe(0);
  expect(typed(scrolled, 'hj').scroll).toBe(0);
});

test('a node that can no longer be read keeps its last state, with the reason', () => {
  const state = reduce(three(), {type: 'phase', name: 'b-1', phase: 'not inspected', detail: 'no answer'});
  expect(state.entries[2]).toMatchObject({error: 'no answer', plugin: 'flannel', results: [{id: 'x/1'}, {id: 'x/2'}]});
  expect(reduce(state, read('b-1')).entries[2]?.error).toBeUndefined();
});

test('? lists every key, q closes it before it exits, and Ctrl-C exits from anywhere', () => {
  const help = typed(three(), '?');
  for (const {keys} of bindings) expect(help.overlay?.text).toContain(keys);
  expect(commandOf(help, 'q', noKey)).toEqual({type: 'back'});
  expect(commandOf(three(), 'q', noKey)).toEqual({type: 'quit'});
  for (const state of [help, typed(three(), '/ab')])
    expect(commandOf(state, 'c', {...noKey, ctrl: true})).toEqual({type: 'quit'});
});

test('no key has two meanings', () => {
  for (const letter of 'jkhl123456gG/:!sNHPArRafeym?q') {
    const matching = bindings.filter(binding => binding.matches(letter, noKey, initialState));
    expect(
      matching.map(({keys}) => keys),
      letter,
    ).toHaveLength(1);
  }
});

test('an aborted read leaves no node in progress', () => {
  const reading = reduce(three(), {type: 'phase', name: 'a-1', phase: 'reading', detail: '3/30'});
  expect(reading.entries[0]?.phase).toBe('reading');
  expect(reduce(reading, {type: 'stage', text: undefined}).entries[0]?.phase).toBeUndefined();
});

test('the bottom line always shows how to exit, and never more than fits', () => {
  for (const width of [20, 40, 80, 200]) {
    const line = hints(three(), width);
    expect(line.length).toBeLessThanOrEqual(Math.max(width, 20));
    expect(line).toMatch(/\? keys {2}q quit$/);
  }
  expect(hints(three(), 200)).toContain('r refresh');
  for (const key of ['/', 'r', 'f', 'e', 'y', '?', 'q']) expect(hints(three(), 80)).toContain(`${key} `);
  expect(hints(typed(three(), '?'), 80)).toBe('↑↓ scroll  Esc back');
});
