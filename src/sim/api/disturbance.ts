import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Duplex} from 'node:stream';
import type {PathTarget} from './request.js';

/** What clients of an overloaded or failing server get instead of a response. */
export type Disturbance = 'drop' | Refusal | Mishap;

interface Refusal {
  code: 409 | 410 | 429 | 500 | 502 | 503 | 504;
  retryAfter?: number;
}

/** Faults of a request that the server still processes. */
export type Mishap =
  | {delayMs: number}
  /** A proxy between client and server sends it twice. */
  | 'duplicate'
  /** The connection breaks after this many bytes of the response. */
  | {truncateAt: number};

export const isMishap = (disturbance: Disturbance): disturbance is Mishap =>
  disturbance === 'duplicate' ||
  (typeof disturbance === 'object' && ('delayMs' in disturbance || 'truncateAt' in disturbance));

export interface Disturbed {
  method: string;
  /** Including the query string. */
  path: string;
  /** Undefined for paths without objects, such as /version. */
  target: PathTarget | undefined;
  user: string;
}

export type Disturb = (request: Disturbed) => Disturbance | undefined;

const texts = {
  409: 'Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again',
  410: 'The provided continue parameter is too old to display a consistent list result.',
  429: 'Too many requests, please try again later.',
  500: 'etcdserver: request timed out',
  502: 'Bad Gateway',
  503: 'the server is currently unable to handle the request',
  504: 'Timeout: request did not complete within the allotted duration',
};
const reasons: Partial<Record<number, string>> = {
  409: 'Conflict',
  410: 'Expired',
  500: 'InternalError',
  504: 'Timeout',
};

/** API priority and fairness and proxies answer in plain text; the server itself answers with a Status. */
export function answerDisturbed(
  disturbance: Exclude<Disturbance, Mishap>,
  raw: IncomingMessage,
  response: ServerResponse,
): void {
  if (disturbance === 'drop') {
    raw.socket.destroy();
    return;
  }
  const {code, retryAfter} = disturbance;
  const [message, reason] = [texts[code], reasons[code]];
  const status = {kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code};
  response.writeHead(code, {
    'content-type': reason ? 'application/json' : 'text/plain; charset=utf-8',
    ...(retryAfter !== undefined && {'retry-after': String(retryAfter)}),
  });
  response.end(reason ? JSON.stringify(status) : message);
}

/** Breaks a connection after a number of bytes. */
export function breakAfter(socket: Duplex, bytes: number): void {
  const write = socket.write.bind(socket) as (chunk: Uint8Array, done: () => void) => boolean;
  let left = bytes;
  socket.write = ((chunk: Uint8Array | string, ...rest: unknown[]) => {
    const data = Buffer.from(chunk as string);
    const done = rest.find(argument => typeof argument === 'function') as (() => void) | undefined;
    const passes = data.subarray(0, Math.max(0, left));
    left -= data.length;
    if (left <= 0) setImmediate(() => socket.destroy());
    return write(passes, done ?? (() => {}));
  }) as Duplex['write'];
}
