import {ApiError, isTemporary} from '../kube/api-errors.js';
import type {ExecOutcome, StreamOptions} from '../kube/exec-stream.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {printable} from '../lib/untrusted.js';
import {AnswerReader, HelperRefusal, type OnReply} from './answer-reader.js';
import {encodeRequest, type HelperRequest} from './wire.js';

/** Runs the helper on a node: one call is one request. */
export interface HelperChannel {
  readonly node: string;
  exec(options: StreamOptions): Promise<ExecOutcome>;
}

export interface AskOptions {
  onReply: OnReply;
  /** How long to wait for the helper's greeting: starting PowerShell on a busy node is slow. */
  helloTimeoutMs?: number | undefined;
  /** How much longer than the helper's deadline the client waits. */
  marginMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface HelperAnswer {
  host: string | undefined;
  noise: readonly string[];
  ms: number;
  /** Why the answer is incomplete, as a clause; undefined if it is complete. */
  fault: string | undefined;
}

/** Sends one request and reads its answer. Rejects if the helper refuses or is not ours; a broken answer is a result. */
export async function ask(channel: HelperChannel, request: HelperRequest, options: AskOptions): Promise<HelperAnswer> {
  const {onReply, helloTimeoutMs = 60_000, marginMs = 15_000, signal} = options;
  const reader = new AnswerReader(channel.node, onReply);
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), helloTimeoutMs);
  const stderr: Buffer[] = [];
  let why: string;
  try {
    const outcome = await channel.exec({
      stdin: encodeRequest(request),
      onStdout(chunk) {
        reader.write(chunk);
        if (reader.hello) clearTimeout(timer);
      },
      onStderr(chunk) {
        if (stderr.length < 16) stderr.push(chunk);
      },
      deadlineMs: request.deadlineMs + marginMs,
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    });
    why = describe(outcome);
  } catch (error) {
    signal?.throwIfAborted();
    if (!silence.signal.aborted && !isPassing(error)) throw error;
    why = silence.signal.aborted ? `no greeting within ${helloTimeoutMs / 1000}s` : (error as Error).message;
  } finally {
    clearTimeout(timer);
  }
  const complaint = printable(Buffer.concat(stderr).toString('utf8'), 200);
  const fault = reader.fault([why, complaint].filter(Boolean).join('; '));
  return {host: reader.hello?.host, noise: reader.noise, ms: reader.ms, fault};
}

function describe(outcome: ExecOutcome): string {
  if (outcome.status === 'lost') return outcome.why;
  return outcome.status === 'exit' ? `exit code ${outcome.code}` : '';
}

/** A failed connection may work the next time; a refusal by the server or the helper is final. */
function isPassing(error: unknown): boolean {
  if (error instanceof HelperRefusal || !(error instanceof WinError)) return false;
  if (error instanceof ApiError) return error.status >= 500 || isTemporary(error);
  return error.cause !== undefined && error.exit === ExitCode.uninspected;
}
