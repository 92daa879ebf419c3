import {readFileSync} from 'node:fs';

/** What a file flag names: the bytes of a file, or of standard input where it says `-`, however slowly they come. */
export async function readInput(path: string): Promise<Buffer> {
  if (path !== '-') return readFileSync(path);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** How a person calls that input. */
export const inputName = (path: string): string => (path === '-' ? 'standard input' : path);
