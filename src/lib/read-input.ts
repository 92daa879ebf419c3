import {readFileSync, statSync} from 'node:fs';

/** The input is longer than the caller takes. */
export class InputTooLong extends Error {}

/** What a file flag names: the bytes of a file, or of standard input where it says `-`, however slowly they come. */
export async function readInput(path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  if (path !== '-') {
    if (statSync(path).size > maxBytes) throw new InputTooLong();
    return readFileSync(path);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    length += chunk.length;
    if (length > maxBytes) throw new InputTooLong();
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}

/** How a person calls that input. */
export const inputName = (path: string): string => (path === '-' ? 'standard input' : path);
