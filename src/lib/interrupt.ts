import {ExitCode, WinError} from './errors.js';

let current: AbortSignal | undefined;

/** The signal of the running command; undefined if a signal ends the process immediately. */
export const currentInterrupt = (): AbortSignal | undefined => current;

/**
 * Turns Ctrl-C and SIGTERM into one AbortSignal, so that a command can remove what it created.
 * A second signal ends the process immediately.
 */
export function onInterrupt(say: (text: string) => void): {signal: AbortSignal; dispose: () => void} {
  const controller = new AbortController();
  const handler = (name: NodeJS.Signals) => {
    const exit = name === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated;
    if (controller.signal.aborted) {
      say('Exited without cleanup; helper pods will expire. To remove them now: kubectl win helper prune');
      process.exit(exit);
    }
    controller.abort(new WinError(`interrupted (${name}).`, {exit}));
    say('Interrupted: cleaning up…');
  };
  const names: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of names) process.on(name, handler);
  current = controller.signal;
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of names) process.off(name, handler);
      if (current === controller.signal) current = undefined;
    },
  };
}

/** The error to throw after an interruption: a more specific one if available, otherwise the signal's reason. */
export function interruptionOf(error: unknown, {reason}: AbortSignal): unknown {
  const codes: readonly number[] = [ExitCode.interrupted, ExitCode.terminated];
  return error instanceof WinError && codes.includes(error.exit) ? error : reason;
}
