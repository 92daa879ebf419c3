const newline = 0x0a;
const carriageReturn = 0x0d;

/** Splits a byte stream into lines, independent of its chunks. Lines do not include their line break. */
export class LineSplitter {
  readonly #onLine: (line: Buffer) => void;
  #pieces: Buffer[] = [];
  #pending = 0;

  constructor(onLine: (line: Buffer) => void) {
    this.#onLine = onLine;
  }

  write(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
      this.#emit(chunk.subarray(start, at));
      start = at + 1;
    }
    if (start === chunk.length) return;
    this.#pieces.push(chunk.subarray(start));
    this.#pending += chunk.length - start;
  }

  /** The number of bytes after the last line break. */
  get pending(): number {
    return this.#pending;
  }

  /** The bytes after the last line break. */
  rest(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  #emit(piece: Buffer): void {
    const line = this.#pieces.length > 0 ? Buffer.concat([...this.#pieces, piece]) : piece;
    this.#pieces = [];
    this.#pending = 0;
    this.#onLine(line.at(-1) === carriageReturn ? line.subarray(0, -1) : line);
  }
}
