import {Readable} from 'node:stream';
import {prettifyError} from 'zod/mini';
import {excessOfValue} from '../lib/data-bounds.js';
import {WinError} from '../lib/errors.js';
import {InputTooLong, inputName, readInput} from '../lib/read-input.js';
import {LimitExceeded, parseWholeNumbers} from '../lib/whole-numbers.js';
import {type SnapshotDocument, snapshotDocument} from '../snapshot/document.js';
import {readSnapshot, type Snapshot, windowsNodesOf} from '../snapshot/snapshot.js';

/** Reads a snapshot file, with the named Windows nodes or all. */
export async function nodesFromFile(
  path: string,
  asked: readonly string[],
): Promise<{snapshot: Snapshot; names: readonly string[]; failures: ReadonlyMap<string, string>}> {
  return nodesIn(await readSnapshotFile(path), path, asked);
}

/** The same for a snapshot that was already read. */
export function nodesIn(
  document: SnapshotDocument,
  path: string,
  asked: readonly string[],
): {snapshot: Snapshot; names: readonly string[]; failures: ReadonlyMap<string, string>} {
  const snapshot = readSnapshot(document);
  const known = windowsNodesOf(snapshot);
  const missing = asked.find(name => !known.includes(name));
  if (missing !== undefined) {
    throw new WinError(`${inputName(path)} has no Windows node "${missing}".`, {
      next: [`Windows nodes: ${known.join(', ') || 'none'}.`],
    });
  }
  if (known.length === 0) throw new WinError(`${inputName(path)} has no Windows nodes.`);
  const names = asked.length > 0 ? asked : known;
  const failures = new Map(names.filter(name => !snapshot.nodes.has(name)).map(name => [name, 'not in the snapshot.']));
  return {snapshot, names, failures};
}

/** Reads a snapshot: JSON or YAML, optionally gzipped, or a bundle written by `collect`; `-` is stdin. */
export async function readSnapshotFile(path: string): Promise<SnapshotDocument> {
  const name = inputName(path);
  const bytes = await readBytes(path);
  if (isGzip(bytes) && (await holdsTar(bytes))) {
    const {readBundle} = await import('./bundle-file.js');
    return readBundle(Readable.from([bytes]), name);
  }
  const parsed = snapshotDocument.safeParse(await parse(await readText(bytes, name), name));
  if (parsed.success) return parsed.data;
  throw new WinError(
    `${name} is not a valid snapshot: ${prettifyError(parsed.error).split('\n')[0]?.replace(/^✖ /, '')}.`,
    {
      next: ['A snapshot has apiVersion kubectl-win/v1 and kind Snapshot; the helper script prints one.'],
    },
  );
}

/** A snapshot of a thousand nodes has about 100 MB. Far larger files are meant to exhaust memory. */
const mostBytes = 192 * 1024 * 1024;

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readInput(path, mostBytes);
  } catch (error) {
    throw unreadable(inputName(path), error);
  }
}

async function readText(bytes: Buffer, name: string): Promise<string> {
  if (!isGzip(bytes)) return decode(bytes);
  const {gunzipSync} = await import('node:zlib');
  try {
    return decode(gunzipSync(bytes, {maxOutputLength: mostBytes}));
  } catch (error) {
    throw unreadable(name, error);
  }
}

const tooMuch = (name: string, why: string) =>
  new WinError(`${name} is too large: ${why}.`, {
    next: ['Collect fewer nodes into one file: kubectl win collect NODE …'],
  });

const isTooLong = (error: unknown) =>
  error instanceof InputTooLong || (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** A tar file has a magic value in its first header. */
async function holdsTar(bytes: Buffer): Promise<boolean> {
  const {constants, gunzipSync} = await import('node:zlib');
  try {
    const start = gunzipSync(bytes.subarray(0, 4096), {finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 64 << 20});
    return start.subarray(257, 262).toString('latin1') === 'ustar';
  } catch {
    // Errors are reported when the whole file is read.
    return false;
  }
}

const unreadable = (name: string, error: unknown) =>
  isTooLong(error)
    ? tooMuch(name, `it contains more than ${mostBytes / 1024 / 1024} MiB`)
    : new WinError(`cannot read ${name}: ${error instanceof Error ? error.message : String(error)}.`, {cause: error});

/** PowerShell 5.1 writes UTF-16 with a byte-order mark if its output is redirected with `>`. */
function decode(bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

async function parse(text: string, name: string): Promise<unknown> {
  if (text.trim() === '') throw new WinError(`${name} is empty.`);
  try {
    if (/^\s*\{/.test(text)) return parseWholeNumbers(text);
    const {load} = await import('js-yaml');
    const value = load(text);
    const excess = excessOfValue(value);
    if (excess !== undefined) throw new LimitExceeded(excess);
    return value;
  } catch (error) {
    if (error instanceof LimitExceeded) throw tooMuch(name, error.message);
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new WinError(`${name} is neither JSON nor YAML: ${reason}.`, {cause: error});
  }
}
