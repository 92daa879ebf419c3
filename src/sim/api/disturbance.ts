import type {IncomingMessage, ServerResponse} from 'node:http';
import type {PathTarget} from './request.js';

/** What clients of a busy or broken server see instead of an answer. */
export type Disturbance = 'drop' | {code: 429 | 500 | 502 | 503 | 504; retryAfter?: number};

/** A request as disturbances see it. */
export interface Disturbed {
  method: string;
  /** With what follows the question mark. */
  path: string;
  /** Undefined for paths that name no objects, such as /version. */
  target: PathTarget | undefined;
  user: string;
}

export type Disturb = (request: Disturbed) => Disturbance | undefined;

const texts = {
  429: 'Too many requests, please try again later.',
  500: 'etcdserver: request timed out',
  502: 'Bad Gateway',
  503: 'the server is currently unable to handle the request',
  504: 'Timeout: request did not complete within the allotted duration',
};
const reasons: Partial<Record<number, string>> = {500: 'InternalError', 504: 'Timeout'};

/** Priority and fairness, and what stands in front of a server, answer in plain text; the server itself with a Status. */
export function answerDisturbed(disturbance: Disturbance, raw: IncomingMessage, response: ServerResponse): void {
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
