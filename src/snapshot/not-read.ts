import {ExitCode, WinError} from '../lib/errors.js';

export const howToRead = 'Run it as a user with the role kubectl-win-look, or try again when the API server answers.';

/**
 * Thrown where something is asked for that was not read: an empty list in its place would be taken for absence.
 * Checks need not catch it, their outcome is undetermined then. Plans refuse, and commands that have no other answer
 * end with it.
 */
export class NotRead extends WinError {
  constructor(
    readonly what: string,
    readonly why: string,
  ) {
    super(`${what} could not be read: ${why.replace(/\.$/, '')}`, {exit: ExitCode.uninspected, next: [howToRead]});
    this.name = 'NotRead';
  }
}
