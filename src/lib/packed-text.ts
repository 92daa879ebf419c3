import {constants, zstdCompressSync, zstdDecompressSync} from 'node:zlib';

const quickly = {params: {[constants.ZSTD_c_compressionLevel]: 1}};
const leastChunk = 64;

/** A text, compressed until it is used: the JSON of a node shrinks to a twentieth. */
export class PackedText {
  readonly #packed: Buffer;
  /** Of the text in UTF-8. */
  readonly #length: number;

  constructor(text: string | Buffer) {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.#length = bytes.length;
    this.#packed = zstdCompressSync(bytes, quickly);
  }

  /** In bytes, as it is kept. */
  get size(): number {
    return this.#packed.length;
  }

  unpack(): string {
    // One byte more than the text: otherwise zlib allocates another chunk, to find out whether more follows.
    return zstdDecompressSync(this.#packed, {chunkSize: Math.max(this.#length + 1, leastChunk)}).toString();
  }
}
