import {WinError} from '../lib/errors.js';
import {nearestNames} from '../lib/nearest-names.js';
import {own} from '../lib/own.js';
import {topics} from './topics.js';

/** The command line after `kubectl win`, split into the command and its arguments. */
export interface CommandWords {
  /** The name of a command or topic; empty for the program itself. */
  readonly name: string;
  readonly help: boolean;
  /** The arguments after the command's name. */
  readonly argv: readonly string[];
}

const helpFlags = ['--help', '-h'];

/** Aliases, with their commands. */
export type Aliases = Readonly<Record<string, string>>;

export function readWords(argv: readonly string[], commands: readonly string[], aliases: Aliases = {}): CommandWords {
  const end = argv.indexOf('--');
  const ours = end < 0 ? argv : argv.slice(0, end);
  const asksHelp = ours.some(word => helpFlags.includes(word));
  const all = asksHelp ? ours.filter(word => !helpFlags.includes(word)) : argv;
  const words = all[0] === 'help' ? all.slice(1) : all;
  const {name, length} = nameIn(words, commands, aliases);
  const help = asksHelp || all[0] === 'help' || name === '' || Object.hasOwn(topics, name);
  return {name, help, argv: words.slice(length)};
}

function nameIn(
  words: readonly string[],
  commands: readonly string[],
  aliases: Aliases,
): {name: string; length: number} {
  const [first, second] = words;
  if (first === undefined) return {name: '', length: 1};
  const two = `${first} ${second}`;
  for (const [length, said] of [[2, two] as const, [1, first] as const]) {
    const name = commands.includes(said) ? said : own(aliases, said);
    if (name !== undefined) return {name, length};
  }
  const isTopic = Object.hasOwn(topics, first);
  if (isTopic && (second === undefined || second.startsWith('-'))) return {name: first, length: 1};
  throw unknown(isTopic ? two : first, commands);
}

function unknown(name: string, commands: readonly string[]): WinError {
  const [close] = nearestNames(name, commands);
  return new WinError(`unknown ${name.startsWith('-') ? 'flag' : 'command'} "${name}".`, {
    next: [close ? `Did you mean "kubectl win ${close}"?` : 'See: kubectl win --help'],
  });
}
