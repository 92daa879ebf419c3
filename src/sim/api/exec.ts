import type {IncomingMessage} from 'node:http';
import type {Duplex} from 'node:stream';
import {type WebSocket, WebSocketServer} from 'ws';
import type {JsonObject} from '../json.js';
import {badRequest} from './status.js';

const channels = {stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4, close: 255} as const;
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
/** The real server limits a message to this size, so lines arrive in pieces. */
const largestMessage = 32 * 1024;

export type ExecEnd = {exitCode: number} | {failure: string};

/** The node's end of an exec: the streams of the process, and its faults. */
export interface ExecSession {
  /** The client's terminal, if it requested one. */
  terminal?: ClientTerminal | undefined;
  stdin: AsyncIterable<Uint8Array>;
  stdout(bytes: Uint8Array): Promise<void>;
  stderr(bytes: Uint8Array): Promise<void>;
  /** Aborted when the client disconnects or the container is killed. */
  signal: AbortSignal;
  /** Breaks the connection without a close message. */
  drop(): void;
  /** Breaks the connection between server and node. The server may hide this from the client. */
  lose(): void;
}

/** A terminal as the node sees it. */
export interface ClientTerminal {
  size: {columns: number; rows: number};
  onResize: (size: {columns: number; rows: number}) => void;
}

/** The streams that the client requested. */
export interface ExecStreams {
  tty: boolean;
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
}

export interface ExecCircumstances {
  /** Aborted when the container is killed. */
  killed: AbortSignal;
  /** Whether the server translates to SPDY for the kubelet instead of passing the connection through. */
  translated: boolean;
}

const server = new WebSocketServer({
  noServer: true,
  handleProtocols: offered => protocols.find(protocol => offered.has(protocol)) ?? false,
});

/** Upgrades a request to the streams of a process, runs it, and reports its exit status. */
export function serveExec(
  raw: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  streams: ExecStreams,
  {killed, translated}: ExecCircumstances,
  run: (session: ExecSession) => Promise<ExecEnd>,
): void {
  const offered = offeredProtocols(raw);
  if (!offered.some(name => protocols.includes(name))) {
    throw badRequest(
      `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${protocols.join(' ')}]`,
    );
  }
  server.handleUpgrade(raw, socket, head, client => void serve(client, streams, {killed, translated}, run));
}

export const offeredProtocols = (raw: IncomingMessage): string[] =>
  (raw.headers['sec-websocket-protocol'] ?? '').split(',').map(name => name.trim());

async function serve(
  client: WebSocket,
  streams: ExecStreams,
  {killed, translated}: ExecCircumstances,
  run: (session: ExecSession) => Promise<ExecEnd>,
): Promise<void> {
  const lost = Promise.withResolvers<ExecEnd>();
  const left = new AbortController();
  const input = new ByteQueue();
  const terminal: ClientTerminal | undefined = streams.tty
    ? {size: {columns: 80, rows: 24}, onResize: () => {}}
    : undefined;
  client.on('error', () => {});
  client.on('close', () => {
    left.abort();
    input.end();
  });
  client.on('message', data => {
    const message = data as Buffer;
    if (message[0] === channels.stdin) input.push(message.subarray(1));
    else if (message[0] === channels.resize && terminal) resize(terminal, message.subarray(1));
    // v5 only: the client closed stdin but still reads.
    else if (message[0] === channels.close && message[1] === channels.stdin) input.end();
  });
  if (!streams.stdin) input.end();

  const write = async (channel: number, bytes: Uint8Array) => {
    for (let from = 0; from < bytes.length; from += largestMessage) {
      await sendMessage(client, channel, bytes.subarray(from, from + largestMessage));
    }
  };
  // An empty message on the first stream signals that the process has started.
  await sendMessage(client, streams.stdout ? channels.stdout : channels.status, new Uint8Array());
  const ended = run({
    terminal,
    stdin: input,
    stdout: bytes => (streams.stdout ? write(channels.stdout, bytes) : Promise.resolve()),
    stderr: bytes => (streams.stderr ? write(channels.stderr, bytes) : Promise.resolve()),
    signal: AbortSignal.any([left.signal, killed]),
    drop: () => client.terminate(),
    // The translator reads an empty error stream as success, even if the kubelet died.
    lose: () => (translated ? lost.resolve({exitCode: 0}) : client.terminate()),
  });
  const end = await Promise.race([ended, lost.promise]);
  if (client.readyState !== client.OPEN) return;
  await sendMessage(client, channels.status, Buffer.from(JSON.stringify(statusOf(end))));
  client.close(1000);
}

/** The kubelet ignores a size that it cannot parse. */
function resize(terminal: ClientTerminal, message: Buffer): void {
  let size: {Width?: unknown; Height?: unknown};
  try {
    size = JSON.parse(message.toString('utf8')) as typeof size;
  } catch {
    return;
  }
  if (!Number.isInteger(size.Width) || !Number.isInteger(size.Height)) return;
  terminal.size = {columns: Number(size.Width), rows: Number(size.Height)};
  terminal.onResize(terminal.size);
}

function statusOf(end: ExecEnd): JsonObject {
  if ('failure' in end) {
    const message = `Internal error occurred: ${end.failure}`;
    const details = {causes: [{message: end.failure}]};
    return {metadata: {}, status: 'Failure', message, reason: 'InternalError', details, code: 500};
  }
  if (end.exitCode === 0) return {metadata: {}, status: 'Success'};
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${end.exitCode}`,
    reason: 'NonZeroExitCode',
    details: {causes: [{reason: 'ExitCode', message: String(end.exitCode)}]},
  };
}

/** Also resolves when the client is gone, so no caller waits for an undeliverable message. */
function sendMessage(client: WebSocket, channel: number, bytes: Uint8Array): Promise<void> {
  const message = new Uint8Array(bytes.length + 1);
  message[0] = channel;
  message.set(bytes, 1);
  return new Promise(resolve => {
    if (client.readyState === client.OPEN) client.send(message, () => resolve());
    else resolve();
  });
}

/** Turns pushed chunks into an async iterable. */
class ByteQueue implements AsyncIterable<Uint8Array> {
  #waiting: Uint8Array[] = [];
  #ended = false;
  #wake: () => void = () => {};

  push(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) yield next;
      else if (this.#ended) return;
      else {
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
      }
    }
  }
}
