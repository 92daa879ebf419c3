import {setTimeout as delay} from 'node:timers/promises';

/** Waits, or rejects with the signal's reason. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(ms, undefined, {signal});
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
