import {type DashboardState, type Sort, sorts, type Tab} from './dashboard-state.js';
import type {Command} from './keys.js';

interface Typed {
  readonly names: readonly string[];
  /** The argument after the name. */
  readonly takes?: string;
  /** Candidates for completing the argument with Tab. */
  readonly words?: (state: DashboardState) => readonly string[];
  readonly does: string;
  command(word: string, state: DashboardState): Command | string;
}

const toTab =
  (tab: Tab): Typed['command'] =>
  () => ({type: 'tab', tab});

/** All commands that can be typed after `:`. The help is generated from this list. */
export const typedCommands: readonly Typed[] = [
  {names: ['node', 'no'], takes: 'NAME', does: 'select a node', command: node, words: nodeNames},
  {names: ['findings'], does: 'show tab 1', command: toTab('Findings')},
  {names: ['topology'], does: 'show tab 2', command: toTab('Topology')},
  {names: ['adapters'], does: 'show tab 3', command: toTab('Adapters')},
  {names: ['balancers', 'lb'], does: 'show tab 4', command: toTab('Load balancers')},
  {names: ['services', 'logs', 'svc'], does: 'show tab 5', command: toTab('Services and logs')},
  {names: ['plan', 'journal'], does: 'show tab 6', command: toTab('Plan and journal')},
  {names: ['sort'], takes: sorts.join('|'), does: 'sort nodes', command: sort, words: () => sorts},
  {names: ['filter'], takes: 'TEXT', does: 'filter nodes', command: text => ({type: 'filter', text, typing: false})},
  {names: ['search'], takes: 'TEXT', does: 'search this tab', command: text => ({type: 'search', text, typing: false})},
  {names: ['refresh'], takes: 'all', does: 'refresh this node, or all', command: refresh, words: () => ['all']},
  {names: ['auto'], does: 'turn automatic refresh on or off', command: () => ({type: 'auto'})},
  {names: ['mouse'], does: 'turn the mouse on or off', command: () => ({type: 'mouse'})},
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

/** Parses the text after `:`. Returns the command, or an error message. */
export function typedCommand(text: string, state: DashboardState): Command | string {
  const [name = '', ...words] = text.trim().split(/\s+/);
  const matching = matches(name);
  const [found] = matching;
  if (found === undefined) return `Unknown command ":${name}". Press ? for a list.`;
  if (matching.length > 1) return `":${name}" can be ${matching.map(({names}) => `:${names[0]}`).join(' or ')}.`;
  return found.command(words.join(' '), state);
}

/** Commands that start with the typed text; an exact match excludes all others. */
function matches(name: string): readonly Typed[] {
  const exact = typedCommands.filter(({names}) => names.includes(name));
  return exact.length > 0 ? exact : typedCommands.filter(({names}) => names.some(one => one.startsWith(name)));
}

/** The first command or argument that starts with the text, for the suggestion that Tab accepts. */
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
  // The argument is typed next.
  return whole === undefined ? text : `${whole}${found?.takes ? ' ' : ''}`;
}
