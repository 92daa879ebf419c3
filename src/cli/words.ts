import {WinError} from '../lib/errors.js';
import {nearestNames} from '../lib/nearest.js';
import {topics} from './topics.js';

/** What the words after `kubectl win` ask for. */
export interface Asked {
  /** The words of a command or topic; empty for the program itself. */
  readonly name: string;
  readonly help: boolean;
  /** What follows the command's own words. */
  readonly argv: readonly string[];
}

const helpFlags = ['--help', '-h'];

export function readWords(argv: readonly string[], commands: readonly string[]): Asked {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  const asksHelp = own.some(word => helpFlags.includes(word));
  const all = asksHelp ? own.filter(word => !helpFlags.includes(word)) : argv;
  const words = all[0] === 'help' ? all.slice(1) : all;
  const name = nameIn(words, commands);
  const help = asksHelp || all[0] === 'help' || name === '' || name in topics;
  return {name, help, argv: words.slice(name.split(' ').length)};
}

function nameIn(words: readonly string[], commands: readonly string[]): string {
  const [first, second] = words;
  if (first === undefined) return '';
  const two = `${first} ${second}`;
  if (commands.includes(two)) return two;
  if (commands.includes(first)) return first;
  if (first in topics && (second === undefined || second.startsWith('-'))) return first;
  throw unknown(first in topics ? two : first, commands);
}

function unknown(name: string, commands: readonly string[]): WinError {
  const [close] = nearestNames(name, commands);
  return new WinError(`unknown ${name.startsWith('-') ? 'flag' : 'command'} "${name}".`, {
    next: [close ? `Did you mean "kubectl win ${close}"?` : 'See: kubectl win --help'],
  });
}
