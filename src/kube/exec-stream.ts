import type {WebSocket} from 'ws';
import * as z from 'zod/mini';
import {printable} from '../lib/untrusted.js';

/** A slow consumer returns a promise; the connection waits for it. */
type Sink = (chunk: Buffer) => void | Promise<void>;

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Sends input to a running process. */
export interface Keyboard {
  type(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
}

export interface StreamOptions {
  /** Sent immediately. The remote process must not wait for the end of its input, which only v5 can signal. */
  stdin?: string | undefined;
  /** Allocates a terminal for the process. It then has a single output and no stderr. */
  tty?: boolean | undefined;
  /** Called once the process accepts input; the returned function is called when the process has ended. */
  attach?: ((keyboard: Keyboard) => () => void) | undefined;
  onStdout?: Sink | undefined;
  onStderr?: Sink | undefined;
  /** The connection counts as lost if nothing, not even a pong, arrives for this time. */
  idleTimeoutMs?: number | undefined;
  /** Limit for the whole command. */
  deadlineMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** How a command in a container ended, as reported by the connection. */
export type ExecOutcome = {status: 'success'} | {status: 'exit'; code: number} | {status: 'lost'; why: string};

const channel = {stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4} as const;
/** The status is the last message. How long to wait for the server to close the connection after it. */
const closeGraceMs = 2000;
/** How many chunks may wait for their consumer before the connection is paused. */
const maxWaiting = 8;

/** Transfers the standard streams over an open, paused WebSocket until the command ends. */
export function streamUntilEnd(socket: WebSocket, options: StreamOptions): Promise<ExecOutcome> {
  const {signal, deadlineMs, idleTimeoutMs = 45_000} = options;
  const {promise, resolve, reject} = Promise.withResolvers<ExecOutcome>();
  const timers: NodeJS.Timeout[] = [];
  let outcome: ExecOutcome | undefined;
  let delivered = Promise.resolve();
  let waiting = 0;
  let heardAt = performance.now();

  const lose = (why: string) => resolve({status: 'lost', why: printable(why)});
  /** Delivers all data that arrived before it reports the end. */
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
  if (deadlineMs !== undefined) timers.push(setTimeout(lose, deadlineMs, `timed out after ${deadlineMs / 1000}s`));
  const beat = () => {
    // While we pause the connection, silence is expected.
    if (waiting > 0 || performance.now() - heardAt < idleTimeoutMs) socket.ping();
    else lose(`no data for ${idleTimeoutMs / 1000}s`);
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
    // Handled below like any other invalid document.
  }
  const parsed = execStatus.safeParse(document);
  if (!parsed.success) return {status: 'lost', why: 'the server sent an invalid exit status'};
  const {status, message, details} = parsed.data;
  if (status === 'Success') return {status: 'success'};
  const code = details.causes.find(({reason}) => reason === 'ExitCode')?.message;
  if (code !== undefined && /^-?\d+$/.test(code)) return {status: 'exit', code: Number(code)};
  return {status: 'lost', why: printable(message) || 'the command could not be run'};
}
