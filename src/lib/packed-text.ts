import {constants, zstdCompressSync, zstdDecompressSync} from 'node:zlib';

const quickly = {[constants.ZSTD_c_compressionLevel]: 1};

/** From this size on, Node.js gives a buffer memory of its own instead of a part of its pool. */
const ownMemory = Buffer.poolSize >>> 1;

/** A text, compressed until it is used: the JSON of a node shrinks to a twentieth. */
export class PackedText {
  readonly #packed: Buffer;
  /** Of the text in UTF-8. */
  readonly #length: number;

  constructor(text: string | Buffer) {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.#length = bytes.length;
    const packed = zstdCompressSync(bytes, {params: quickly, chunkSize: ownMemory});
    // A copy: what zlib returns is a small part of a chunk.
    this.#packed = Buffer.allocUnsafeSlow(packed.length);
    packed.copy(this.#packed);
    free(packed, ownMemory);
  }

  /** In bytes, as it is kept. */
  get size(): number {
    return this.#packed.length;
  }

  unpack(): string {
    // One byte more than the text: otherwise zlib allocates another chunk, to find out whether more follows.
    const chunkSize = Math.max(this.#length + 1, ownMemory);
    const bytes = zstdDecompressSync(this.#packed, {chunkSize});
    const text = bytes.toString();
    free(bytes, chunkSize);
    return text;
  }
}

/** Returns the memory of a chunk that nothing else uses. V8 would do it later, and a fleet needs many. */
function free({buffer}: Buffer, chunkSize: number): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunkSize) buffer.transfer(0);
}
