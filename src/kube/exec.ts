import type {IncomingMessage} from 'node:http';
import {WebSocket} from 'ws';
import {apiPath} from '../lib/api-path.js';
import {pause} from '../lib/pause.js';
import {type AnswerFacts, ApiError, apiError, isDropped, isRefused} from './api-errors.js';
import {type ExecOutcome, type StreamOptions, streamUntilEnd} from './exec-stream.js';
import type {Connection} from './kubeconfig.js';
import type {Permissions} from './permissions.js';
import {busyWaitMs, isBusy, retryWithinMs} from './retry.js';
import type {Transport} from './transport.js';

export interface ExecOptions extends StreamOptions {
  namespace: string;
  pod: string;
  container?: string | undefined;
  command: readonly string[];
  handshakeTimeoutMs?: number | undefined;
}

/** v5 since Kubernetes 1.30; older API servers support v4. */
const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/**
 * Runs a command in a container over a WebSocket. Rejects if it could not be started or was aborted. Once it runs, every
 * end, even a dropped connection, is an outcome.
 */
export async function exec(
  transport: Transport,
  connection: Connection,
  permissions: Permissions,
  options: ExecOptions,
): Promise<ExecOutcome> {
  const endsAt = performance.now() + retryWithinMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await execOnce(transport, connection, permissions, options);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401 && attempt === 1 && transport.renewCredentials()) continue;
      // A rejected request has not run anything, so it may be retried.
      const wait = isBusy(error) ? busyWaitMs(error) : undefined;
      if (wait === undefined || performance.now() + wait > endsAt) throw error;
      await pause(wait, options.signal);
    }
  }
}

async function execOnce(
  transport: Transport,
  connection: Connection,
  permissions: Permissions,
  options: ExecOptions,
): Promise<ExecOutcome> {
  const {signal, handshakeTimeoutMs = 30_000} = options;
  const path = execPath(options);
  const {url, headers, agent} = await transport.socketSettings(`${path}?${execQuery(options)}`, signal);
  signal?.throwIfAborted();
  const settings = {agent, headers, perMessageDeflate: false, handshakeTimeout: handshakeTimeoutMs};
  const socket = new WebSocket(url, protocols, settings);
  const facts = {
    authorization: headers.Authorization?.toString(),
    allowedBefore: permissions.expects('GET', path),
  };
  try {
    await opened(socket, connection, facts, signal);
    permissions.allowed('GET', path);
  } catch (error) {
    signal?.throwIfAborted();
    const explained = transport.explain(error);
    if (isDropped(explained) || isRefused(explained)) permissions.away();
    throw explained;
  }
  const outcome = await streamUntilEnd(socket, options);
  if (outcome.status === 'lost') permissions.away();
  return outcome;
}

const execPath = ({namespace, pod}: ExecOptions) => apiPath`/api/v1/namespaces/${namespace}/pods/${pod}/exec`;

function execQuery({container, command, stdin, attach, tty, onStdout, onStderr}: ExecOptions): URLSearchParams {
  const query = new URLSearchParams(command.map(word => ['command', word]));
  if (container) query.set('container', container);
  if (stdin !== undefined || attach) query.set('stdin', 'true');
  if (onStdout) query.set('stdout', 'true');
  // A terminal has one output.
  if (onStderr && !tty) query.set('stderr', 'true');
  if (tty) query.set('tty', 'true');
  return query;
}

function opened(
  socket: WebSocket,
  connection: Connection,
  facts: AnswerFacts,
  signal: AbortSignal | undefined,
): Promise<void> {
  const {promise, resolve, reject} = Promise.withResolvers<void>();
  const abort = () => socket.terminate();
  signal?.addEventListener('abort', abort, {once: true});
  socket.once('open', () => {
    // Pause until a listener is attached.
    socket.pause();
    resolve();
  });
  // Kept after opening: without an error listener, a socket error would end the program.
  socket.on('error', reject);
  socket.once('unexpected-response', async (request, response: IncomingMessage) => {
    const body = await readBody(response);
    request.destroy();
    reject(apiError(response.statusCode ?? 500, body, connection, facts));
  });
  return promise.finally(() => signal?.removeEventListener('abort', abort));
}

/** The body of an error response, a short Status. Does not wait long for it. */
async function readBody(response: IncomingMessage): Promise<string> {
  let body = '';
  const timer = setTimeout(() => response.destroy(), 5000);
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      body += chunk;
      if (body.length > 65_536) break;
    }
  } catch {
    // Use what has arrived.
  }
  clearTimeout(timer);
  return body;
}
