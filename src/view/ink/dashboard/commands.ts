import {type DashboardState, type Sort, sorts, type Tab} from './dashboard-state.js';
import type {Command} from './keys.js';

interface Typed {
  readonly names: readonly string[];
  /** What may follow the name. */
  readonly takes?: string;
  /** What of it Tab completes. */
  readonly words?: (state: DashboardState) => readonly string[];
  readonly does: string;
  command(word: string, state: DashboardState): Command | string;
}

const toTab =
  (tab: Tab): Typed['command'] =>
  () => ({type: 'tab', tab});

/** Every command that can be typed after `:`; the help is made from it. */
export const typedCommands: readonly Typed[] = [
  {names: ['node', 'no'], takes: 'NAME', does: 'select a node', command: node, words: nodeNames},
  {names: ['findings'], does: 'tab 1', command: toTab('Findings')},
  {names: ['topology'], does: 'tab 2', command: toTab('Topology')},
  {names: ['adapters'], does: 'tab 3', command: toTab('Adapters')},
  {names: ['balancers', 'lb'], does: 'tab 4', command: toTab('Load balancers')},
  {names: ['services', 'logs', 'svc'], does: 'tab 5', command: toTab('Services and logs')},
  {names: ['plan', 'journal'], does: 'tab 6', command: toTab('Plan and journal')},
  {names: ['sort'], takes: sorts.join('|'), does: 'sort nodes', command: sort, words: () => sorts},
  {names: ['filter'], takes: 'TEXT', does: 'filter nodes', command: text => ({type: 'filter', text, typing: false})},
  {names: ['search'], takes: 'TEXT', does: 'search this tab', command: text => ({type: 'search', text, typing: false})},
  {names: ['refresh'], takes: 'all', does: 'refresh this node, or all', command: refresh, words: () => ['all']},
  {names: ['auto'], does: 'refresh automatically, on or off', command: () => ({type: 'auto'})},
  {names: ['mouse'], does: 'mouse on or off', command: () => ({type: 'mouse'})},
  {names: ['cleanup', 'fix'], does: 'review a plan for this node and run it', command: () => ({type: 'fix'})},
  {names: ['explain'], does: 'explain the selected finding', command: () => ({type: 'explain'})},
  {names: ['quit', 'q', 'q!'], does: 'quit', command: () => ({type: 'quit'})},
];

function nodeNames({entries}: DashboardState): string[] {
  return entries.map(({name}) => name);
}

function node(word: string, {entries}: DashboardState): Command | string {
  const wanted = word.toLowerCase();
  const found =
    entries.find(({name}) => name.toLowerCase() === wanted) ??
    entries.find(({name}) => wanted !== '' && name.toLowerCase().includes(wanted));
  return found ? {type: 'node', name: found.name} : `No node is named "${word}".`;
}

function sort(word: string): Command | string {
  if (word === '') return {type: 'sort'};
  const by: Sort | undefined = sorts.find(one => one.startsWith(word.toLowerCase()));
  return by ? {type: 'sort', by} : `Nodes cannot be sorted by "${word}". Use: ${sorts.join(', ')}.`;
}

function refresh(word: string): Command | string {
  if (word !== '' && word !== 'all') return 'Use :refresh or :refresh all.';
  return {type: 'refresh', all: word === 'all'};
}

/** What was typed after `:`, as a command, or why it is none. */
export function typedCommand(text: string, state: DashboardState): Command | string {
  const [name = '', ...words] = text.trim().split(/\s+/);
  const matching = matches(name);
  const [found] = matching;
  if (found === undefined) return `Unknown command ":${name}". Press ? for a list.`;
  if (matching.length > 1) return `":${name}" can be ${matching.map(({names}) => `:${names[0]}`).join(' or ')}.`;
  return found.command(words.join(' '), state);
}

/** Commands that begin with what was typed; one whose whole name it is comes alone. */
function matches(name: string): readonly Typed[] {
  const exact = typedCommands.filter(({names}) => names.includes(name));
  return exact.length > 0 ? exact : typedCommands.filter(({names}) => names.some(one => one.startsWith(name)));
}

/** The first command, or word after one, that begins so: to be shown, and taken with Tab. */
export function completed(text: string, state: DashboardState): string {
  if (text === '') return text;
  const [name = '', ...words] = text.split(' ');
  const [found] = matches(name);
  if (words.length > 0) {
    const begun = words.join(' ');
    const whole = found?.words?.(state).find(word => word.startsWith(begun));
    return whole === undefined ? text : `${name} ${whole}`;
  }
  const whole = found?.names.find(one => one.startsWith(name));
  // What is typed next is its word.
  return whole === undefined ? text : `${whole}${found?.takes ? ' ' : ''}`;
}
