import {createHash} from 'node:crypto';
import type {JsonObject} from '../json.js';

/** Lines of JSON, counted and hashed for the end message. */
export class Lines {
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #hash = createHash('sha256');
  #count = 0;

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#write = write;
  }

  async message(message: JsonObject): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(message)}\n`);
    this.#hash.update(line);
    this.#count += 1;
    await this.#write(line);
  }

  async end(ms: number): Promise<void> {
    const message = {type: 'end', ms, lines: this.#count, sha256: this.#hash.digest('hex')};
    await this.#write(Buffer.from(`${JSON.stringify(message)}\n`));
  }
}

export async function firstLine(stdin: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const bytes of stdin) {
    text += Buffer.from(bytes).toString('latin1');
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end).trim();
  }
  return text.trim();
}
