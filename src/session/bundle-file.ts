import {createHash} from 'node:crypto';
import type {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {createGunzip} from 'node:zlib';
import {extract, type Header} from 'tar-stream';
import {prettifyError} from 'zod/mini';
import {WinError} from '../lib/errors.js';
import {plain} from '../lib/untrusted.js';
import {parseWholeNumbers} from '../lib/whole-numbers.js';
import {type BundleManifest, bundleManifest} from '../snapshot/bundle-manifest.js';
import {type SnapshotDocument, snapshotDocument} from '../snapshot/document.js';

/** A node's snapshot has about 100 kB, a cluster's objects a few MB. Far larger files are meant to exhaust memory. */
export const bundleLimits = {
  bytesOfOneFile: 256 * 1024 * 1024,
  bytesOfAll: 8 * 1024 * 1024 * 1024,
  /** For the parts that are kept in memory. */
  bytesKept: 400 * 1024 * 1024,
  files: 100_000,
};

/** The files of a bundle that contain the snapshot. The others are for people. */
const isKept = (path: string) =>
  path === 'manifest.json' || path === 'cluster.json' || /^nodes\/[^/]+\/node\.json$/.test(path);

/** Reads the snapshot of a bundle. Nothing is unpacked to disk. */
export async function readBundle(bytes: Readable, name: string, limits = bundleLimits): Promise<SnapshotDocument> {
  const files = await keptFiles(bytes, name, limits);
  const manifest = manifestOf(files.get('manifest.json'), name);
  for (const [path, text] of files) if (path !== 'manifest.json') refuseAltered(manifest, path, text, name);
  const nodes = [...files].filter(([path]) => path.startsWith('nodes/'));
  const missing = manifest.files.find(({path}) => isKept(path) && path !== 'manifest.json' && !files.has(path));
  if (missing) throw broken(name, `${missing.path} is missing`);
  const document = snapshotDocument.safeParse({
    apiVersion: 'kubectl-win/v1',
    kind: 'Snapshot',
    collectedAt: manifest.collectedAt,
    ...(files.has('cluster.json') && {cluster: json(files.get('cluster.json'), 'cluster.json', name)}),
    nodes: Object.fromEntries(
      nodes.map(([path, text]) => {
        const {name: node, ...dump} = json(text, path, name) as {name: string};
        return [node, dump];
      }),
    ),
  });
  if (document.success) return document.data;
  throw broken(name, prettifyError(document.error).split('\n')[0]?.replace(/^✖ /, '') ?? 'unreadable');
}

async function keptFiles(bytes: Readable, name: string, limits: typeof bundleLimits): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  let [count, all, kept] = [0, 0, 0];
  const unpack = extract();
  unpack.on('entry', (header, stream, next) => {
    // A failed entry fails the whole archive, which is reported once.
    stream.on('error', error => unpack.destroy(error));
    const refusal =
      refusalOf(header, limits.bytesOfOneFile) ?? (++count > limits.files ? 'it has too many files' : undefined);
    if (refusal) return unpack.destroy(broken(name, refusal));
    const keep = isKept(header.name);
    const chunks: Buffer[] = [];
    stream.on('data', data => {
      const chunk = data as Buffer;
      all += chunk.length;
      if (keep) kept += chunk.length;
      if (all > limits.bytesOfAll || kept > limits.bytesKept) return unpack.destroy(broken(name, 'it is too large'));
      if (keep) chunks.push(chunk);
    });
    stream.on('end', () => {
      if (keep) files.set(header.name, Buffer.concat(chunks).toString('utf8'));
      next();
    });
  });
  try {
    await pipeline(bytes, createGunzip(), unpack);
  } catch (error) {
    if (error instanceof WinError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw broken(name, /unexpected end/i.test(reason) ? 'it is truncated' : reason, error);
  }
  return files;
}

function refusalOf({name, type, size = 0}: Header, most: number): string | undefined {
  if (type !== 'file') return `${plain(name)} is not a regular file (type: ${type ?? 'unknown'})`;
  const parts = name.split('/');
  const isSafe = parts.every(part => part !== '' && part !== '.' && part !== '..') && !/[\\:]/.test(name);
  if (!isSafe) return `${plain(name)} is not a safe path`;
  return size > most ? `${plain(name)} is too large` : undefined;
}

function manifestOf(text: string | undefined, name: string): BundleManifest {
  if (text === undefined) throw broken(name, 'it has no manifest.json');
  const parsed = bundleManifest.safeParse(json(text, 'manifest.json', name));
  if (parsed.success) return parsed.data;
  const version = (json(text, 'manifest.json', name) as {apiVersion?: unknown}).apiVersion;
  if (typeof version === 'string' && /^kubectl-win\/v\d+$/.test(version) && version !== 'kubectl-win/v1') {
    throw new WinError(`${name} was written by a newer kubectl win (${version}).`, {
      next: ['Read it with that version, or a newer one.'],
    });
  }
  throw broken(name, `manifest.json: ${prettifyError(parsed.error).split('\n')[0]?.replace(/^✖ /, '')}`);
}

function refuseAltered({files}: BundleManifest, path: string, text: string, name: string): void {
  const listed = files.find(file => file.path === path);
  const sha256 = createHash('sha256').update(text).digest('hex');
  if (listed?.sha256 !== sha256) throw broken(name, `${plain(path)} does not match the hash in manifest.json`);
}

function json(text: string | undefined, path: string, name: string): unknown {
  try {
    return parseWholeNumbers(text ?? '');
  } catch (error) {
    throw broken(name, `${plain(path)} is not JSON`, error);
  }
}

const broken = (name: string, why: string, cause?: unknown) =>
  new WinError(`${name} is not a valid bundle: ${why}.`, {
    next: ['Write one with: kubectl win collect -f bundle.tar.gz'],
    cause,
  });
