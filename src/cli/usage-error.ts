import {WinError} from '../lib/errors.js';
import {nearestNames} from '../lib/nearest-names.js';
import type {Facts} from './command-facts.js';

/** An error of the flag parser, with the closest flag and the command that shows help. */
export function usageError(error: Error, command: string, facts: Facts): WinError {
  const help = `See: kubectl win ${command} --help`;
  const [unknown] = 'flags' in error && Array.isArray(error.flags) ? error.flags.map(String) : [];
  if (unknown === undefined || !/^nonexistent flag/i.test(error.message))
    return new WinError(usageMessage(error), {next: [help], cause: error});
  const name = unknown.replace(/^-+/, '').replace(/=.*$/s, '');
  const [close] = nearestNames(name, Object.keys(facts[command]?.flags ?? {}));
  return new WinError(`unknown flag ${unknown} for kubectl win ${command}.`, {
    next: [...(close === undefined ? [] : [`Did you mean --${close}?`]), help],
    cause: error,
  });
}

/** oclif's messages have the flag on a line before the message, and advice on a line after it. */
export function usageMessage({message}: Error): string {
  const lines = message.split('\n').map(line => line.trim());
  const flag = /^Parsing (--[\w-]+)/.exec(message)?.[1];
  const text = lines.filter(line => line !== '' && !/^Parsing --|^See more help/.test(line)).join(' ');
  return flag === undefined || text.includes(flag) ? text : `${flag}: ${text}`;
}
