import {constants, readFileSync, statSync} from 'node:fs';
import {open} from 'node:fs/promises';
import {currentInterrupt} from './interrupt.js';
import {pause} from './pause.js';

/** The input is longer than allowed. */
export class InputTooLong extends Error {}

/** Reads the file that a flag names, or stdin for `-`, even if the data arrives slowly. */
export async function readInput(path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const there = path === '-' ? undefined : statSync(path);
  if (there && there.size > maxBytes) throw new InputTooLong();
  if (there?.isFile()) return readFileSync(path);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of there?.isFIFO() ? pipeAt(path) : standardInput(path)) {
    length += chunk.length;
    if (length > maxBytes) throw new InputTooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The name of the input for messages. */
export const inputName = (path: string): string => (path === '-' ? 'standard input' : path);

async function* standardInput(path: string): AsyncGenerator<Buffer> {
  if (path !== '-') return yield readFileSync(path);
  for await (const chunk of process.stdin) yield Buffer.from(chunk);
}

const lookEveryMs = 20;

/**
 * Reads a named pipe. Opening one blocks until there is a writer, and a process with a blocked thread cannot exit. So it is
 * opened without blocking, and polled.
 */
async function* pipeAt(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  let hadWriter = false;
  try {
    for (;;) {
      const {bytesRead, buffer} = await handle
        .read(Buffer.alloc(65_536))
        .catch((error: NodeJS.ErrnoException) => nothingYet(error));
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      else if (bytesRead === 0 && hadWriter) return;
      hadWriter ||= bytesRead !== 0;
      if (bytesRead <= 0) await pause(lookEveryMs, currentInterrupt());
    }
  } finally {
    await handle.close();
  }
}

function nothingYet(error: NodeJS.ErrnoException) {
  if (error.code !== 'EAGAIN') throw error;
  return {bytesRead: -1, buffer: Buffer.alloc(0)};
}
