import {once} from 'node:events';
import {Writable} from 'node:stream';
import headless from '@xterm/headless';

/** A terminal screen as a writable stream, whose content can be read. */
export class Screen extends Writable {
  readonly isTTY = true;
  readonly columns: number;
  readonly rows: number;
  readonly #terminal: headless.Terminal;

  constructor(columns = 80, rows = 24) {
    super();
    this.columns = columns;
    this.rows = rows;
    this.#terminal = new headless.Terminal({cols: columns, rows, convertEol: true, allowProposedApi: true});
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#terminal.write(chunk, () => {
      done();
      this.emit('drawn');
    });
  }

  /** The visible lines, including the scrollback. */
  text(): string {
    const {active} = this.#terminal.buffer;
    const lines = Array.from({length: active.length}, (_, i) => active.getLine(i)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  }

  async shows(pattern: RegExp): Promise<string> {
    const deadline = AbortSignal.timeout(100_000);
    while (!pattern.test(this.text()))
      await once(this, 'drawn', {signal: deadline}).catch(() => {
        throw new Error(`does not show ${pattern}:\n${this.text()}`);
      });
    return this.text();
  }
}
