import type {WebSocket} from 'ws';
import * as z from 'zod/mini';
import {printable} from '../lib/untrusted.js';

/** A consumer that needs time gives a promise; the connection waits for it. */
type Sink = (chunk: Buffer) => void | Promise<void>;

/** How wide and high a terminal is, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Sends to a process that runs. */
export interface Keyboard {
  type(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
}

export interface StreamOptions {
  /** Sent immediately. The remote end must not wait for the end of its input: only v5 could say it. */
  stdin?: string | undefined;
  /** Gives the process a terminal. It has one output then, and no stderr. */
  tty?: boolean | undefined;
  /** Called once the process can be typed to; what it gives back is called when the process has ended. */
  attach?: ((keyboard: Keyboard) => () => void) | undefined;
  onStdout?: Sink | undefined;
  onStderr?: Sink | undefined;
  /** The connection counts as lost when not even a pong arrives for so long. */
  idleTimeoutMs?: number | undefined;
  /** The whole of it ends after so long. */
  deadlineMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** How a command in a container ended, as far as the connection tells. */
export type ExecOutcome = {status: 'success'} | {status: 'exit'; code: number} | {status: 'lost'; why: string};

const channel = {stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4} as const;
/** The status is the last thing said; a server that then keeps the connection open is not waited for. */
const closeGraceMs = 2000;
/** So many chunks may wait for their consumer before the connection is held back. */
const maxWaiting = 8;

/** Carries standard streams over an open (and paused) WebSocket until the command ends, one way or another. */
export function streamUntilEnd(socket: WebSocket, options: StreamOptions): Promise<ExecOutcome> {
  const {signal, deadlineMs, idleTimeoutMs = 45_000} = options;
  const {promise, resolve, reject} = Promise.withResolvers<ExecOutcome>();
  const timers: NodeJS.Timeout[] = [];
  let outcome: ExecOutcome | undefined;
  let delivered = Promise.resolve();
  let waiting = 0;
  let heardAt = performance.now();

  const lose = (why: string) => resolve({status: 'lost', why: printable(why)});
  /** What arrived before the end is handed over before the end is reported. */
  const end = (why: string) => delivered.then(() => (outcome ? resolve(outcome) : lose(why)), reject);
  const abort = () => reject(signal?.reason);

  const deliver = async (sink: Sink, chunk: Buffer) => {
    await sink(chunk);
    waiting -= 1;
    heardAt = performance.now();
    if (waiting === 0 && socket.isPaused) socket.resume();
  };
  const hand = (sink: Sink | undefined, chunk: Buffer) => {
    if (!sink || chunk.length === 0) return;
    waiting += 1;
    delivered = delivered.then(() => deliver(sink, chunk));
    delivered.catch(reject);
    if (waiting > maxWaiting) socket.pause();
  };

  socket.on('message', (data: Buffer) => {
    heardAt = performance.now();
    const payload = data.subarray(1);
    if (data[0] === channel.stdout) hand(options.onStdout, payload);
    if (data[0] === channel.stderr) hand(options.onStderr, payload);
    if (data[0] === channel.status) {
      outcome = readStatus(payload);
      timers.push(setTimeout(end, closeGraceMs, ''));
    }
  });
  socket.on('pong', () => {
    heardAt = performance.now();
  });
  socket.on('error', error => end(error.message));
  socket.on('close', code => end(`the connection was closed (code ${code})`));
  signal?.addEventListener('abort', abort, {once: true});
  if (deadlineMs !== undefined) timers.push(setTimeout(lose, deadlineMs, `it took longer than ${deadlineMs / 1000} s`));
  const beat = () => {
    // While we hold the connection back ourselves, its silence says nothing.
    if (waiting > 0 || performance.now() - heardAt < idleTimeoutMs) socket.ping();
    else lose(`nothing was heard for ${idleTimeoutMs / 1000} s`);
  };
  timers.push(setInterval(beat, idleTimeoutMs / 3));

  socket.resume();
  const send = (to: number, bytes: Uint8Array) => {
    if (socket.readyState === socket.OPEN) socket.send(Buffer.concat([Buffer.from([to]), bytes]));
  };
  if (options.stdin !== undefined) send(channel.stdin, Buffer.from(options.stdin, 'utf8'));
  const detach = options.attach?.({
    type: bytes => send(channel.stdin, bytes),
    resize: ({columns, rows}) => send(channel.resize, Buffer.from(JSON.stringify({Width: columns, Height: rows}))),
  });
  if (signal?.aborted) abort();
  return promise.finally(() => {
    detach?.();
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    socket.terminate();
  });
}

const execStatus = z.object({
  status: z.enum(['Success', 'Failure']),
  message: z.catch(z.string(), ''),
  details: z.catch(
    z.object({
      causes: z.catch(z.array(z.object({reason: z.catch(z.string(), ''), message: z.catch(z.string(), '')})), []),
    }),
    {causes: []},
  ),
});

function readStatus(payload: Buffer): ExecOutcome {
  let document: unknown;
  try {
    document = JSON.parse(payload.toString('utf8'));
  } catch {
    // Diagnosed below, as every other document of the wrong shape.
  }
  const parsed = execStatus.safeParse(document);
  if (!parsed.success) return {status: 'lost', why: 'the server ended it with a status that cannot be read'};
  const {status, message, details} = parsed.data;
  if (status === 'Success') return {status: 'success'};
  const code = details.causes.find(({reason}) => reason === 'ExitCode')?.message;
  if (code !== undefined && /^-?\d+$/.test(code)) return {status: 'exit', code: Number(code)};
  return {status: 'lost', why: printable(message) || 'the command could not be run'};
}
