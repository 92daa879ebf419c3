import type {ShellTerminal} from '../services/shell/shell.js';

export interface OpenTerminal extends ShellTerminal {
  /** Gives the terminal back as it was; may be called more than once. */
  restore(): void;
}

/** The terminal of this process; undefined where it has none. Its mode is given back however the process ends. */
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
      // Also where the process ends by itself, or by an error nobody caught.
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
