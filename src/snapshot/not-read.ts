import {ExitCode, WinError} from '../lib/errors.js';

export const howToRead =
  'Run the command as a user with the role kubectl-win-look, or try again when the API server responds.';

/**
 * Thrown if a caller needs data that was not read: an empty list would look like absence. Checks need not catch it:
 * their outcome is then undetermined. Plans refuse, and commands without another answer exit with it.
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
