import {runInNewContext} from 'node:vm';
import {WinError} from '../../lib/errors.js';

const longest = 256;
const patienceMs = 250;

/** The regular expression of `--match`: unanchored, like grep. */
export function userPattern(text: string): RegExp {
  if (text.length > longest) throw new WinError(`--match is longer than ${longest} characters.`);
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new WinError(`--match is not a valid regular expression: ${reason}.`, {cause: error});
  }
}

/** The names that match. Evaluated with a time limit: the names and the pattern are untrusted and could backtrack forever. */
export function matching(pattern: RegExp, names: readonly string[]): string[] {
  const short = names.filter(({length}) => length <= longest);
  try {
    return runInNewContext('names.filter(name => pattern.test(name))', {names: short, pattern}, {timeout: patienceMs});
  } catch (error) {
    throw new WinError(`--match ${pattern.source} takes too long to match the names of adapters.`, {
      next: ['Avoid nested repetitions in the pattern.'],
      cause: error,
    });
  }
}
