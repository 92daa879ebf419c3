import type {IncomingMessage, ServerResponse} from 'node:http';
import {createServer, type Server} from 'node:https';
import type {AddressInfo, Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {setTimeout as delay} from 'node:timers/promises';
import {load} from 'js-yaml';
import {at, type JsonObject} from '../json.js';
import type {Access, RequestImpersonation} from './access.js';
import type {Certificate} from './certificate.js';
import {answerDisturbed, breakAfter, type Disturb, isMishap} from './disturbance.js';
import {readMeta} from './meta.js';
import type {ApiObject} from './object.js';
import {decodeProtobuf} from './protobuf.js';
import {type ResourceRequest, readPath} from './request.js';
import {type NodeAnswers, route} from './routes.js';
import {badRequest, internalError, pathNotFound, StatusError, unauthorized, unsupportedMediaType} from './status.js';
import type {ObjectStore} from './store.js';
import {type Traffic, TrafficCounter} from './traffic.js';
import type {PodSecurityLevel} from './validation/pod-security.js';
import type {SchemaCheck} from './validation/schema.js';

export interface ApiServerOptions {
  store: ObjectStore;
  certificate: Certificate;
  /** The version that the server reports, such as v1.31.4. */
  version: string;
  /** The Pod Security level of namespaces without a label. */
  podSecurity: PodSecurityLevel;
  schema?: SchemaCheck | undefined;
  /** The user of a token and, if requested, the impersonated user. Undefined: no user. */
  authenticate(token: string, as: RequestImpersonation | undefined): Access | undefined;
  nodes: NodeAnswers;
  exec(request: ResourceRequest, raw: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Delays lists, as in a large cluster. */
  listDelay(): number;
}

const openPaths = new Set(['/healthz', '/livez', '/readyz', '/version']);

/** The HTTP side of the simulated API. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #traffic: TrafficCounter;
  #knowsRoles = true;
  disturb: Disturb = () => undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    const {cert, key} = options.certificate;
    // The idle timeout of the real server.
    this.#server = createServer({cert, key, keepAliveTimeout: 90_000});
    this.#traffic = new TrafficCounter(this.#server);
    this.#server.on('request', (request, response) => void this.#answer(request, response));
    this.#server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head));
    // Includes connections whose handshake is not complete.
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
    });
    this.#server.on('secureConnection', socket => socket.on('error', () => {}));
  }

  /** What clients did since the last call. */
  traffic(): Traffic {
    return this.#traffic.take();
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Stops the server for `awayMs`. After the restart it knows no roles for `coldMs`: its caches are still empty. */
  async restart(awayMs: number, coldMs: number): Promise<void> {
    const address = this.#server.address() as AddressInfo | null;
    // It is already stopped.
    if (address === null) return;
    const {port} = address;
    await this.close();
    await delay(awayMs, undefined, {ref: false});
    this.#knowsRoles = false;
    await this.listen(port);
    setTimeout(() => {
      this.#knowsRoles = true;
    }, coldMs).unref();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #answer(raw: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#handle(raw, response);
    } catch (error) {
      const refusal = error instanceof StatusError ? error : internalError(`Internal error occurred: ${String(error)}`);
      if (response.headersSent) response.end();
      else {
        const seconds = at(refusal.body, 'details', 'retryAfterSeconds');
        if (typeof seconds === 'number') response.setHeader('Retry-After', String(seconds));
        send(response, refusal.code, refusal.body);
      }
    }
  }

  async #handle(raw: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(raw.url ?? '/', 'https://server');
    const access = this.#accessOf(raw);
    if (!access && !openPaths.has(url.pathname)) throw unauthorized();
    const target = readPath(url.pathname, this.#options.store.types);
    const {method = 'GET', url: path = '/'} = raw;
    const disturbance = this.disturb({method, path, target, user: access?.user ?? 'system:anonymous'});
    if (disturbance && !isMishap(disturbance)) {
      answerDisturbed(disturbance, raw, response);
      return;
    }
    if (typeof disturbance === 'object') {
      if ('delayMs' in disturbance) await delay(disturbance.delayMs, undefined, {ref: false});
      else breakAfter(raw.socket, disturbance.truncateAt);
    }
    const meta = readMeta(url.pathname, raw.headers, this.#options);
    if (meta) {
      send(response, 200, meta.body, meta.type);
      return;
    }
    if (!access) throw unauthorized();
    if (!target) throw pathNotFound();
    const request = {
      ...requestOf(raw, url, access),
      ...target,
      body: await bodyOf(raw),
      podSecurity: this.#options.podSecurity,
      schema: this.#options.schema,
    };
    const wait = this.#options.listDelay();
    if (wait > 0 && raw.method === 'GET' && !target.name) await delay(wait, undefined, {ref: false});
    const isSentTwice = disturbance === 'duplicate' && raw.method !== 'GET';
    if (isSentTwice) await route(this.#options.store, request, response, this.#options.nodes).catch(() => {});
    const answer = await route(this.#options.store, request, response, this.#options.nodes);
    if (answer === undefined) return;
    if (typeof answer === 'string') {
      send(response, 200, answer, 'text/plain');
      return;
    }
    for (const warning of request.warnings) {
      response.appendHeader('Warning', `299 - "${warning.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
    }
    send(response, answer.code, answer.body);
  }

  async #upgrade(raw: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => {});
    try {
      const url = new URL(raw.url ?? '/', 'https://server');
      const access = this.#accessOf(raw);
      if (!access) throw unauthorized();
      const target = readPath(url.pathname, this.#options.store.types);
      if (target?.subresource !== 'exec' || !target.type.subresources?.includes('exec')) throw pathNotFound();
      const request = {...requestOf(raw, url, access), ...target, body: undefined};
      const disturbance = this.disturb({method: 'GET', path: raw.url ?? '/', target, user: access.user});
      if (disturbance === 'drop') return void socket.destroy();
      if (typeof disturbance === 'object') {
        if ('code' in disturbance) throw new StatusError(disturbance.code, 'InternalError', 'disturbed', {});
        if ('delayMs' in disturbance) await delay(disturbance.delayMs, undefined, {ref: false});
        else breakAfter(socket, disturbance.truncateAt);
      }
      await this.#options.exec(request, raw, socket, head);
    } catch (error) {
      const refusal = error instanceof StatusError ? error : internalError(`Internal error occurred: ${String(error)}`);
      refuseUpgrade(socket, refusal);
    }
  }

  #accessOf(raw: IncomingMessage): Access | undefined {
    const [, token] = /^Bearer (.+)$/.exec(raw.headers.authorization ?? '') ?? [];
    const user = raw.headers['impersonate-user'];
    const groups = raw.headersDistinct['impersonate-group'] ?? [];
    const access = token && this.#options.authenticate(token, user ? {user: String(user), groups} : undefined);
    if (!access) return undefined;
    return this.#knowsRoles ? access : access.beforeRoles();
  }
}

function requestOf(raw: IncomingMessage, url: URL, access: Access) {
  return {
    method: raw.method ?? 'GET',
    query: url.searchParams,
    accept: raw.headers.accept ?? '',
    contentType: raw.headers['content-type'] ?? 'application/json',
    userAgent: raw.headers['user-agent'] ?? '',
    access,
    warnings: [] as string[],
  };
}

async function bodyOf(raw: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of raw) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (bytes.length === 0) return undefined;
  const media = raw.headers['content-type'] ?? 'application/json';
  if (media.includes('protobuf') || media.includes('cbor')) {
    const decoded = decodeProtobuf(bytes);
    if (!decoded) throw unsupportedMediaType(['application/json', 'application/yaml']);
    return decoded;
  }
  const text = bytes.toString('utf8');
  try {
    return media.includes('yaml') ? load(text) : JSON.parse(text);
  } catch (error) {
    throw badRequest(`the request body could not be decoded: ${(error as Error).message}`);
  }
}

function send(
  response: ServerResponse,
  code: number,
  body: JsonObject | ApiObject | string,
  type = 'application/json',
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(code, {'content-type': type, 'content-length': Buffer.byteLength(text), vary: 'Accept'});
  response.end(text);
}

function refuseUpgrade(socket: Duplex, {code, body, message}: StatusError): void {
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${code} ${message
      .split('\n')[0]
      ?.slice(0, 60)
      .replaceAll(/[^\x20-\x7e]/g, '')}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}
