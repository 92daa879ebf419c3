import {createHash} from 'node:crypto';
import {mkdir, readFile, rename, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {AnnotatedNode} from '../../services/annotated-nodes.js';
import {cacheFolder} from './cache-folder.js';

/** A Windows node for completion. */
export type KnownNode = AnnotatedNode;

interface Kept {
  readonly at: number;
  readonly nodes: KnownNode[];
}

const freshFor = 60_000;

/** The Windows nodes, read at most once a minute per kubeconfig; if that fails, the cached ones or none. */
export async function knownNodes(read: () => Promise<KnownNode[]>, key: string): Promise<KnownNode[]> {
  const path = join(cacheFolder(), `nodes-${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json`);
  const kept = await keptIn(path);
  if (kept && Date.now() - kept.at < freshFor) return kept.nodes;
  try {
    const nodes = await read();
    await keep(path, JSON.stringify({at: Date.now(), nodes}));
    return nodes;
  } catch {
    return kept?.nodes ?? [];
  }
}

async function keptIn(path: string): Promise<Kept | undefined> {
  try {
    const kept: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isKept(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Without a schema library, which would take longer to load than the whole completion. */
function isKept(value: unknown): value is Kept {
  const {at, nodes} = (value ?? {}) as Partial<Kept>;
  return typeof at === 'number' && Array.isArray(nodes) && nodes.every(isNode);
}

function isNode({name, tunnel}: KnownNode): boolean {
  return typeof name === 'string' && (tunnel === undefined || typeof tunnel === 'string');
}

/** Errors are ignored: without a cache, completion is only slower. */
async function keep(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), {recursive: true, mode: 0o700});
    await writeFile(`${path}.${process.pid}`, text, {mode: 0o600});
    await rename(`${path}.${process.pid}`, path);
  } catch {
    return;
  }
}
