import {pause} from '../lib/pause.js';
import {ApiError, isDropped, isRefused, isTemporary} from './api-errors.js';

/** So often a request is sent; with the waits between, some six seconds. A server that asks to wait is asked for longer. */
const attempts = 6;
const firstWaitMs = 200;
/** How long a server that is too busy is left alone where it does not say. */
const busyMs = 1000;
/** Where --request-timeout says nothing: no new attempt begins later than this. */
export const retryWithinMs = 30_000;

export interface RetryOptions {
  /** A read may be sent again in any case. */
  reads: boolean;
  /** Whether this server has answered before: one that refuses connections then is restarting, not absent. */
  answered: () => boolean;
  withinMs: number;
  signal: AbortSignal | undefined;
}

/**
 * Sends a request until it is answered, or sending it again may do harm or is of no use. Where the time is over while
 * the server is too busy, it fails with that.
 */
export async function retrying<Result>(send: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const endsAt = performance.now() + options.withinMs;
  let said: ApiError | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (options.signal?.aborted) throw isBusy(said) ? said : error;
      if (error instanceof ApiError) said = error;
      const wait = isBusy(error) || attempt < attempts ? waitBefore(error, attempt, options) : undefined;
      if (wait === undefined || performance.now() + wait > endsAt) throw error;
      await pause(wait, options.signal).catch(reason => {
        throw said ?? reason;
      });
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
      if (!isTemporary(error) || performance.now() + everyMs > until) throw error;
      await pause(everyMs, signal);
    }
  }
}

/** How long to wait before the next attempt; undefined where there should be none. */
function waitBefore(error: unknown, attempt: number, {reads, answered}: RetryOptions): number | undefined {
  // A server that says when to come back has done nothing yet.
  if (isBusy(error) && (reads || error.retryAfterMs !== undefined)) return busyWaitMs(error);
  const usual = backOffMs(attempt);
  if (error instanceof ApiError) {
    if (!reads || !error.temporary) return undefined;
    return error.retryAfterMs === undefined ? usual : longer(error.retryAfterMs);
  }
  return reads && (isDropped(error) || (isRefused(error) && answered())) ? usual : undefined;
}

/** Twice as long after each attempt, and never the same for all who failed at the same moment. */
export function backOffMs(attempt: number, mostMs = 10_000): number {
  const whole = Math.min(mostMs, firstWaitMs * 2 ** (attempt - 1));
  return whole / 2 + Math.random() * (whole / 2);
}

/** The whole of what the server asked for, and a little more: not all come back at once. */
const longer = (ms: number) => ms + Math.random() * Math.min(1000, ms / 2);

/** How long a server that is too busy is left alone. */
export const busyWaitMs = ({retryAfterMs}: ApiError) => longer(Math.max(retryAfterMs ?? busyMs, firstWaitMs));

/** The server has turned the request away because of all the others. */
export const isBusy = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 429;

/** The header Retry-After, in seconds or as a date. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
