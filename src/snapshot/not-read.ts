/**
 * Thrown where something is asked for that was not read: an empty list in its place would be taken for absence.
 * Checks need not catch it, their outcome is undetermined then. Plans refuse.
 */
export class NotRead extends Error {
  constructor(
    readonly what: string,
    readonly why: string,
  ) {
    super(`${what} could not be read: ${why}`);
    this.name = 'NotRead';
  }
}
