import {createHash} from 'node:crypto';
import type {HelperChannel} from '../../src/helper/request.js';
import {scriptHash} from '../../src/helper/script.js';
import type {ExecOutcome, StreamOptions} from '../../src/kube/exec-stream.js';

export const hello = JSON.stringify({type: 'hello', protocol: 1, scriptHash, host: 'WIN-1'});
export const section = (name: string, data: unknown) => JSON.stringify({type: 'section', name, ms: 3, data});
export const sectionError = (name: string, kind: string, message: string) =>
  JSON.stringify({type: 'section', name, ms: 3, error: {kind, message}});

/** The end message of an answer with these lines. */
export function endOf(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(`${line}\n`);
  return JSON.stringify({type: 'end', ms: 7, lines: lines.length, sha256: hash.digest('hex')});
}

/** A complete answer in wire format. */
export const whole = (...lines: string[]) => [...lines, endOf(lines)].map(line => `${line}\n`).join('');

export interface Attempt {
  /** The chunks of stdout. */
  output: string | readonly Buffer[];
  stderr?: string;
  outcome?: ExecOutcome;
  /** Never ends. */
  hangs?: boolean;
}

export interface ScriptedChannel extends HelperChannel {
  /** The sent requests, decoded. */
  requests: unknown[];
}

/** A node that gives these answers in turn; the last one repeats. */
export function scriptedChannel(...attempts: Attempt[]): ScriptedChannel {
  const requests: unknown[] = [];
  return {
    node: 'win-1',
    requests,
    async exec(options: StreamOptions): Promise<ExecOutcome> {
      const line = options.stdin ?? '';
      requests.push(JSON.parse(Buffer.from(line.trim(), 'base64').toString('utf8')));
      const attempt = attempts[Math.min(requests.length, attempts.length) - 1] ?? {output: ''};
      const pieces = typeof attempt.output === 'string' ? [Buffer.from(attempt.output)] : attempt.output;
      for (const piece of pieces) await options.onStdout?.(piece);
      if (attempt.stderr) await options.onStderr?.(Buffer.from(attempt.stderr));
      if (!attempt.hangs) return attempt.outcome ?? {status: 'success'};
      options.signal?.throwIfAborted();
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve({status: 'lost', why: 'it took too long'}), options.deadlineMs);
        options.signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(options.signal?.reason);
        });
      });
    },
  };
}
