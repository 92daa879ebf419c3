import {pause} from '../lib/pause.js';
import {ApiError, isDropped, isRefused, isTemporary} from './api-errors.js';

/** So often a request is sent; with the waits between, some six seconds. */
const attempts = 6;
const firstWaitMs = 200;
/** Where --request-timeout says nothing: no new attempt begins later than this. */
export const retryWithinMs = 30_000;

export interface RetryOptions {
  /** What only reads may be sent again whatever became of it. */
  reads: boolean;
  /** Whether this server has answered before: one that refuses connections then is restarting, not absent. */
  answered: () => boolean;
  withinMs: number;
  signal: AbortSignal | undefined;
}

/** Sends a request until it is answered, or sending it again may do harm or is of no use. */
export async function retrying<Result>(send: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const endsAt = Date.now() + options.withinMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const wait = attempt < attempts ? waitBefore(error, attempt, options) : undefined;
      if (wait === undefined || Date.now() + wait > endsAt) throw error;
      await pause(wait, options.signal);
    }
  }
}

/**
 * Does again what fails while the server is away for a moment, until the time is over. For work that may be done twice.
 * When there is no time left, it fails with what failed last.
 */
export async function persisting<Result>(
  work: () => Promise<Result>,
  {until, everyMs = 1000, signal}: {until: number; everyMs?: number; signal?: AbortSignal | undefined},
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTemporary(error) || Date.now() + everyMs > until) throw error;
      await pause(everyMs, signal);
    }
  }
}

/** How long to wait before the next attempt; undefined where there should be none. */
function waitBefore(error: unknown, attempt: number, {reads, answered}: RetryOptions): number | undefined {
  const usual = firstWaitMs * 2 ** (attempt - 1);
  if (error instanceof ApiError) {
    // A server that says when to come back has done nothing yet.
    if (error.status === 429 && error.retryAfterMs !== undefined) return error.retryAfterMs;
    return reads && error.temporary ? (error.retryAfterMs ?? usual) : undefined;
  }
  return reads && (isDropped(error) || (isRefused(error) && answered())) ? usual : undefined;
}

/** The header Retry-After, in seconds or as a date. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
