import {spawn} from '@lydell/node-pty';
import headless from '@xterm/headless';

export const keys = {
  up: '\u001b[A',
  down: '\u001b[B',
  end: '\u001b[F',
  home: '\u001b[H',
  enter: '\r',
  escape: '\u001b',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  ctrlU: '\u0015',
  ctrlZ: '\u001a',
  tab: '\t',
} as const;

export interface TerminalEnd {
  readonly code: number;
  /** The final screen, including the scrollback. */
  readonly screen: string;
}

export interface TerminalOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly rows?: number;
}

/** A program in a real terminal: it gets keys, and its screen can be read. */
export class TerminalProgram {
  readonly ended: Promise<TerminalEnd>;
  readonly #terminal: headless.Terminal;
  readonly #pty: ReturnType<typeof spawn>;
  #watchers: (() => void)[] = [];
  #isOver = false;
  #output = '';

  constructor(program: string, args: readonly string[], {env, columns = 120, rows = 30}: TerminalOptions) {
    this.#terminal = new headless.Terminal({cols: columns, rows, allowProposedApi: true});
    const {CI: _, ...rest} = env;
    this.#pty = spawn(program, [...args], {
      cols: columns,
      rows,
      env: {...rest, TERM: 'xterm-256color'},
      name: 'xterm-256color',
    });
    this.#pty.onData(data => {
      this.#output += data;
      this.#terminal.write(data, () => this.#changed());
    });
    this.ended = new Promise(done => {
      this.#pty.onExit(({exitCode}) =>
        this.#terminal.write('', () => {
          this.#isOver = true;
          this.#changed();
          done({code: exitCode, screen: this.screen()});
        }),
      );
    });
  }

  press(...pressed: string[]): void {
    for (const key of pressed) this.#pty.write(key);
  }

  screen(): string {
    const {active} = this.#terminal.buffer;
    const lines = Array.from({length: active.length}, (_, i) => active.getLine(i)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  }

  /** Neighbouring cells of the same colour, with its palette number, or -1 if it is not in the palette. */
  coloured(): {readonly colour: number; readonly text: string}[] {
    const {active} = this.#terminal.buffer;
    const runs: {y: number; end: number; colour: number; text: string}[] = [];
    for (let y = 0; y < active.length; y += 1)
      for (let x = 0; x < this.#terminal.cols; x += 1) {
        const cell = active.getLine(y)?.getCell(x);
        if (!cell || cell.isFgDefault()) continue;
        const colour = cell.isFgPalette() ? cell.getFgColor() : -1;
        const last = runs.at(-1);
        if (last && last.y === y && last.end === x && last.colour === colour) {
          last.text += cell.getChars();
          last.end += 1;
        } else runs.push({y, end: x + 1, colour, text: cell.getChars()});
      }
    return runs;
  }

  /** The raw output. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#pty.pid;
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  kill(signal: NodeJS.Signals): void {
    this.#pty.kill(signal);
  }

  /** Waits until a whole frame shows a text; fails if the program exits without it, or takes too long. */
  async shows(pattern: RegExp): Promise<string> {
    const deadline = AbortSignal.timeout(100_000);
    deadline.addEventListener('abort', () => this.#changed());
    while (!this.#isWhole() || !pattern.test(this.screen())) {
      if (this.#isOver) throw new Error(`ended without showing ${pattern}:\n${this.screen()}`);
      if (deadline.aborted) throw new Error(`does not show ${pattern}:\n${this.screen()}`);
      await new Promise<void>(changed => this.#watchers.push(changed));
    }
    return this.screen();
  }

  /** A frame arrives in pieces, between the marks of a synchronized update. */
  #isWhole(): boolean {
    return this.#output.lastIndexOf('\u001b[?2026l') >= this.#output.lastIndexOf('\u001b[?2026h');
  }

  /** Ends a program that a failed test left running. */
  close(): void {
    if (!this.#isOver) this.#pty.kill('SIGKILL');
  }

  #changed(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }
}
