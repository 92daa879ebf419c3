import {randomUUID} from 'node:crypto';
import type {V1Node} from '@kubernetes/client-node';
import {isConflict, isTemporary} from '../../kube/api-errors.js';
import type {KubeClient} from '../../kube/client.js';
import {apiPath} from '../../lib/api-path.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {parseJson, textProperty} from '../../lib/json-properties.js';
import {pause} from '../../lib/pause.js';
import {printable} from '../../lib/untrusted.js';

/** Annotation on a Node during a repair, with its author and plan; `kubectl describe node` shows it. */
const lockMark = 'kubectl-win/repair-in-progress';

const renewEveryMs = 5000;
/** A lock that is not renewed for this long has expired. It is watched instead of comparing times, because clocks differ. */
const expiresAfterMs = 3 * renewEveryMs;
const lookEveryMs = 1000;
const requestMs = 20_000;

/** Another run is repairing the node. */
export class NodeLocked extends WinError {}

export interface NodeLock {
  /** Aborted when another run has taken the lock: from then on nothing may be changed. */
  readonly lost: AbortSignal;
  /** Another run held the lock shortly before, so what was read of the node may be outdated. */
  readonly waited: boolean;
  release(): Promise<void>;
}

export interface LockHolder {
  readonly plan: string;
  readonly by: string;
}

interface Options {
  readonly signal: AbortSignal;
  readonly onWait: (why: string) => void;
}

/**
 * Allows one repair of a node at a time, from any client: two would undo each other's cordon. Throws if another repair
 * is in progress; takes over from a run that was killed.
 */
export async function lockNode(
  client: KubeClient,
  node: string,
  holder: LockHolder,
  {signal, onWait}: Options,
): Promise<NodeLock> {
  const own = {...holder, run: randomUUID(), since: new Date().toISOString()};
  let renewals = 0;
  const text = () => JSON.stringify({...own, renewals});
  let seen: {held: string; at: number} | undefined;
  for (;;) {
    const {held, version} = await read(client, node, signal);
    // The lock may have been written even though the response was lost.
    if (held !== undefined && isOf(held, own.run)) break;
    if (held !== undefined && seen?.held !== held) {
      if (seen) throw busy(node, held);
      seen = {held, at: performance.now()};
      onWait(
        `Waiting up to ${expiresAfterMs / 1000}s: ${node} is locked by ${ownerOf(held)}, which may have been killed.`,
      );
    }
    if (held === undefined || (seen && performance.now() - seen.at >= expiresAfterMs)) {
      if (await write(client, node, text(), version, signal)) break;
    } else await pause(lookEveryMs, signal);
  }
  const lost = new AbortController();
  const over = new AbortController();
  const renewing = (async () => {
    for (;;) {
      await pause(renewEveryMs, over.signal);
      renewals += 1;
      if (await replace(client, node, own.run, text(), over.signal)) continue;
      return lost.abort(takenOver(node));
    }
  })().catch(() => {});
  return {
    lost: lost.signal,
    waited: seen !== undefined,
    async release() {
      over.abort();
      await renewing;
      // If it cannot be removed, it expires.
      if (!lost.signal.aborted)
        await replace(client, node, own.run, null, AbortSignal.timeout(requestMs)).catch(() => {});
    },
  };
}

/** Renews or removes the lock if it is ours. Returns whether it was. */
async function replace(
  client: KubeClient,
  node: string,
  run: string,
  text: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    try {
      const {held, version} = await read(client, node, signal);
      if (held === undefined || !isOf(held, run)) return false;
      if (await write(client, node, text, version, signal)) return true;
    } catch (error) {
      signal.throwIfAborted();
      if (!isTemporary(error)) throw error;
      await pause(lookEveryMs, signal);
    }
  }
}

async function read(client: KubeClient, node: string, signal: AbortSignal) {
  const {metadata} = await client.get<V1Node>(apiPath`/api/v1/nodes/${node}`, {signal});
  return {held: metadata?.annotations?.[lockMark], version: metadata?.resourceVersion};
}

/** Returns false if the Node has changed since it was read. */
async function write(
  client: KubeClient,
  node: string,
  text: string | null,
  resourceVersion: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const metadata = {resourceVersion, annotations: {[lockMark]: text}};
  try {
    await client.patch(apiPath`/api/v1/nodes/${node}`, 'merge', {metadata}, {signal});
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    if (!isTemporary(error)) throw error;
    await pause(lookEveryMs, signal);
    return false;
  }
}

const isOf = (held: string, run: string) => textProperty(parseJson(held), 'run') === run;

/** The text is untrusted: anyone who may change Nodes can have written it. */
function ownerOf(held: string): string {
  const lock = parseJson(held);
  const part = (name: string) => printable(textProperty(lock, name) ?? 'unknown', 80);
  return `a repair by ${part('by')} (plan ${part('plan')}, since ${part('since')})`;
}

const busy = (node: string, held: string) =>
  new NodeLocked(`${ownerOf(held)} is in progress on ${node}.`.replace(/^a/, 'A'), {
    exit: ExitCode.usage,
    next: ['Try again when it is finished.', `Show its progress: kubectl win cleanup ${node} --status`],
  });

const takenOver = (node: string) =>
  new WinError(`Another run has taken over the repair of ${node}; this run stops.`, {
    exit: ExitCode.problems,
    next: [`Show its progress: kubectl win cleanup ${node} --status`],
  });
