const newline = 0x0a;
const carriageReturn = 0x0d;

const leastCapacity = 64 * 1024;
const mostCapacity = 1024 * 1024;
const mostSpare = 4;

/**
 * Buffers for unfinished lines, used again by other lines. The chunks of a long line would stay in memory long enough
 * for V8 to move them to the old generation, where they occupy several times what is needed.
 */
const spare: Buffer[] = [];

/** Splits a byte stream into lines, independent of its chunks. Lines do not include their line break. */
export class LineSplitter {
  readonly #onLine: (line: Buffer) => void;
  #buffer: Buffer | undefined;
  #pending = 0;

  /** A line is valid only until `onLine` returns. */
  constructor(onLine: (line: Buffer) => void) {
    this.#onLine = onLine;
  }

  write(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
      this.#emit(chunk.subarray(start, at));
      start = at + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The number of bytes after the last line break. */
  get pending(): number {
    return this.#pending;
  }

  /** The bytes after the last line break. */
  rest(): Buffer {
    return Buffer.from(this.#buffer?.subarray(0, this.#pending) ?? []);
  }

  #keep(piece: Buffer): Buffer {
    const buffer = this.#withRoomFor(piece.length);
    piece.copy(buffer, this.#pending);
    this.#pending += piece.length;
    return buffer;
  }

  #withRoomFor(length: number): Buffer {
    const needed = this.#pending + length;
    const old = this.#buffer ?? spare.pop() ?? Buffer.allocUnsafeSlow(leastCapacity);
    this.#buffer = old;
    if (old.length >= needed) return old;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * old.length));
    old.copy(larger, 0, 0, this.#pending);
    release(old);
    this.#buffer = larger;
    return larger;
  }

  #emit(piece: Buffer): void {
    if (this.#pending === 0) {
      this.#onLine(withoutReturn(piece));
      return;
    }
    const buffer = this.#keep(piece);
    const line = buffer.subarray(0, this.#pending);
    this.#buffer = undefined;
    this.#pending = 0;
    this.#onLine(withoutReturn(line));
    release(buffer);
  }
}

function release(buffer: Buffer): void {
  if (spare.length < mostSpare && buffer.length <= mostCapacity) spare.push(buffer);
}

const withoutReturn = (line: Buffer) => (line.at(-1) === carriageReturn ? line.subarray(0, -1) : line);
