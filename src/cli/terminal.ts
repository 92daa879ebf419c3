import type {ShellTerminal} from '../services/shell/shell.js';

export interface OpenTerminal extends ShellTerminal {
  /** Restores the terminal; may be called repeatedly. */
  restore(): void;
}

/** The terminal of this process, if it has one. Its mode is restored when the process exits. */
export function openTerminal(): OpenTerminal | undefined {
  const {stdin, stdout} = process;
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  const restore = () => {
    if (stdin.isRaw) stdin.setRawMode(false);
    process.off('exit', restore);
  };
  return {
    attach(keyboard) {
      const type = (bytes: Buffer) => keyboard.type(bytes);
      const resize = () => keyboard.resize({columns: stdout.columns, rows: stdout.rows});
      // Also covers a normal exit and an uncaught error.
      process.on('exit', restore);
      stdin.setRawMode(true);
      stdin.on('data', type).resume();
      stdout.on('resize', resize);
      resize();
      return () => {
        stdin.off('data', type).pause();
        stdout.off('resize', resize);
        restore();
      };
    },
    write: bytes => new Promise(resolve => stdout.write(bytes, () => resolve())),
    restore,
  };
}
