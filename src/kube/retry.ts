import {pause} from '../lib/pause.js';
import {ApiError, isDropped, isRefused, isTemporary} from './api-errors.js';

/** Attempts per request, about six seconds in total. Longer if the server asks to wait. */
const attempts = 6;
const firstWaitMs = 200;
/** How long to wait for an overloaded server that sends no Retry-After. */
const busyMs = 1000;
/** Without --request-timeout, no attempt starts later than this. */
export const retryWithinMs = 30_000;

export interface RetryOptions {
  /** A read may always be retried. */
  reads: boolean;
  /** Whether this server has answered before: then a refused connection means that it is restarting. */
  answered: () => boolean;
  withinMs: number;
  signal: AbortSignal | undefined;
}

/**
 * Sends a request and retries it as long as that is safe and may help. If time runs out while the server is overloaded, it
 * fails with the server's error.
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
 * Repeats work that fails while the server is temporarily unavailable, until the deadline. Only for work that may be done
 * twice. After the deadline it fails with the last error.
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

/** How long to wait before the next attempt; undefined: do not retry. */
function waitBefore(error: unknown, attempt: number, {reads, answered}: RetryOptions): number | undefined {
  // A server that sends Retry-After has not processed the request.
  if (isBusy(error) && (reads || error.retryAfterMs !== undefined)) return busyWaitMs(error);
  const usual = backOffMs(attempt);
  if (error instanceof ApiError) {
    if (!reads || !error.temporary) return undefined;
    return error.retryAfterMs === undefined ? usual : longer(error.retryAfterMs);
  }
  return reads && (isDropped(error) || (isRefused(error) && answered())) ? usual : undefined;
}

/** Doubles with each attempt, with jitter so that clients do not retry at the same time. */
export function backOffMs(attempt: number, mostMs = 10_000): number {
  const whole = Math.min(mostMs, firstWaitMs * 2 ** (attempt - 1));
  return whole / 2 + Math.random() * (whole / 2);
}

/** The requested time plus jitter, so that clients do not retry at the same time. */
const longer = (ms: number) => ms + Math.random() * Math.min(1000, ms / 2);

/** How long to wait for an overloaded server. */
export const busyWaitMs = ({retryAfterMs}: ApiError) => longer(Math.max(retryAfterMs ?? busyMs, firstWaitMs));

/** The server rejected the request because it is overloaded. */
export const isBusy = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 429;

/** The header Retry-After, in seconds or as a date. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
