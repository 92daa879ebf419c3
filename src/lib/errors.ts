/** Exit codes, in the style of `kubectl diff`: 0 healthy, 1 problems found, above 1 an error. */
export const ExitCode = {
  ok: 0,
  problems: 1,
  usage: 2,
  denied: 3,
  uninspected: 4,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export interface WinErrorOptions {
  exit?: ExitCode;
  /** What the user can do, one sentence or command each. */
  next?: readonly string[];
  cause?: unknown;
}

/** An error that the user can act on: one sentence about the problem, and what to do. Printed without a stack trace. */
export class WinError extends Error {
  readonly exit: ExitCode;
  readonly next: readonly string[];

  constructor(message: string, {exit = ExitCode.usage, next = [], cause}: WinErrorOptions = {}) {
    super(message, {cause});
    this.name = 'WinError';
    this.exit = exit;
    this.next = next;
  }
}
