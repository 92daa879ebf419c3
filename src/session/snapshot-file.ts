import {prettifyError} from 'zod/mini';
import {WinError} from '../lib/errors.js';
import {inputName, readInput} from '../lib/read-input.js';
import {parseWholeNumbers} from '../lib/whole-numbers.js';
import {type SnapshotDocument, snapshotDocument} from '../snapshot/document.js';
import {readSnapshot, type Snapshot, windowsNodesOf} from '../snapshot/snapshot.js';

/** A snapshot file with those of its Windows nodes that are asked for; all where no name is given. */
export async function nodesFromFile(
  path: string,
  asked: readonly string[],
): Promise<{snapshot: Snapshot; names: readonly string[]; failures: ReadonlyMap<string, string>}> {
  const snapshot = readSnapshot(await readSnapshotFile(path));
  const known = windowsNodesOf(snapshot);
  const missing = asked.find(name => !known.includes(name));
  if (missing !== undefined) {
    throw new WinError(`${inputName(path)} has no Windows node "${missing}".`, {
      next: [`It has: ${known.join(', ') || 'none'}.`],
    });
  }
  if (known.length === 0) throw new WinError(`${inputName(path)} has no Windows node.`);
  const names = asked.length > 0 ? asked : known;
  const failures = new Map(names.filter(name => !snapshot.nodes.has(name)).map(name => [name, 'not in the snapshot.']));
  return {snapshot, names, failures};
}

/** Reads a snapshot file: JSON or YAML, gzipped or not, `-` for standard input. */
export async function readSnapshotFile(path: string): Promise<SnapshotDocument> {
  const name = inputName(path);
  const parsed = snapshotDocument.safeParse(await parse(await readText(path), name));
  if (parsed.success) return parsed.data;
  throw new WinError(`${name} is no snapshot: ${prettifyError(parsed.error).split('\n')[0]?.replace(/^✖ /, '')}.`, {
    next: ['A snapshot has apiVersion kubectl-win/v1 and kind Snapshot; the helper script prints one.'],
  });
}

async function readText(path: string): Promise<string> {
  try {
    const bytes = await readInput(path);
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return decode(isGzip ? (await import('node:zlib')).gunzipSync(bytes) : bytes);
  } catch (error) {
    throw new WinError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    });
  }
}

/** PowerShell 5.1 writes UTF-16 with a mark at the front when a person redirects with `>`. */
function decode(bytes: Buffer): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

async function parse(text: string, name: string): Promise<unknown> {
  if (text.trim() === '') throw new WinError(`${name} is empty.`);
  try {
    if (text.trimStart().startsWith('{')) return parseWholeNumbers(text);
    const {load} = await import('js-yaml');
    return load(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new WinError(`${name} is neither JSON nor YAML: ${reason}.`, {cause: error});
  }
}
