import {constants} from 'node:fs';
import {type FileHandle, lstat, open, rename, rm} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {Writable} from 'node:stream';
import {ExitCode, WinError} from './errors.js';
import {systemReason} from './system-reason.js';

/** A file that a command writes at its end. It is opened at the start, so that the work is not lost if it is not writable. */
export interface OutputFile {
  write(bytes: string | Buffer): Promise<void>;
  /** For writing in pieces; call `finish` at the end. */
  readonly stream: Writable;
  finish(): Promise<void>;
  /** Removes the temporary file if nothing was written. */
  close(): Promise<void>;
}

/**
 * The content may be private: only the owner can read the file, links are not followed, and it gets its final name when it
 * is complete.
 */
export async function openOutputFile(path: string): Promise<OutputFile> {
  await refuseSpecial(path);
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  const handle = await opened(temporary, path);
  let isWritten = false;
  const finish = async () => {
    await handle.sync();
    await handle.close();
    await rename(temporary, path);
    isWritten = true;
  };
  const told = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      throw unwritable(path, error, ExitCode.uninspected);
    }
  };
  return {
    write: bytes =>
      told(async () => {
        await handle.writeFile(bytes);
        await finish();
      }),
    stream: new Writable({
      write: (chunk: Buffer, _, done) => {
        told(() => handle.writeFile(chunk)).then(() => done(), done);
      },
    }),
    finish: () => told(finish),
    async close() {
      await handle.close().catch(() => {});
      if (!isWritten) await rm(temporary, {force: true});
    },
  };
}

async function opened(temporary: string, path: string): Promise<FileHandle> {
  const {O_CREAT, O_EXCL, O_WRONLY} = constants;
  try {
    return await open(temporary, O_CREAT | O_EXCL | O_WRONLY, 0o600);
  } catch (error) {
    throw unwritable(path, error, ExitCode.usage);
  }
}

async function refuseSpecial(path: string): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  if (!there || there.isFile()) return;
  const what = there.isDirectory() ? 'a directory' : there.isSymbolicLink() ? 'a symbolic link' : 'not a regular file';
  throw new WinError(`cannot write ${path}: it is ${what}.`, {next: ['Name a file, or use - for stdout.']});
}

function unwritable(path: string, error: unknown, exit: ExitCode): WinError {
  return new WinError(`cannot write ${path}: ${systemReason(error)}.`, {exit, cause: error});
}
