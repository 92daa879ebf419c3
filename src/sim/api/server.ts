import type {IncomingMessage, ServerResponse} from 'node:http';
import {createServer, type Server} from 'node:https';
import type {AddressInfo, Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {setTimeout as delay} from 'node:timers/promises';
import {load} from 'js-yaml';
import type {JsonObject} from '../json.js';
import type {Access, Impersonation} from './access.js';
import type {Certificate} from './certificate.js';
import {aggregatedDiscovery, aggregatedType, apiVersions, groupEntry, groupList, resourceList} from './discovery.js';
import type {ApiObject} from './object.js';
import {openApiDocument, openApiIndex} from './openapi.js';
import {decodeProtobuf} from './protobuf.js';
import {type ResourceRequest, readPath} from './request.js';
import {route} from './routes.js';
import {ApiError, badRequest, internalError, pathNotFound, unauthorized, unsupportedMediaType} from './status.js';
import type {Store} from './store.js';

export interface ApiServerOptions {
  store: Store;
  certificate: Certificate;
  /** The version that the server says it is, such as v1.31.4. */
  version: string;
  /** Who is behind a token and, if asked for, whom that one speaks for. Undefined: nobody. */
  authenticate(token: string, as: Impersonation | undefined): Access | undefined;
  logOf(request: ResourceRequest): string;
  exec(request: ResourceRequest, raw: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Makes lists slow, as those of a big cluster are. */
  listDelay(): number;
}

const openPaths = new Set(['/healthz', '/livez', '/readyz', '/version']);

/** The HTTP side of the simulated API. */
export class ApiServer {
  readonly #options: ApiServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: ApiServerOptions) {
    this.#options = options;
    const {cert, key} = options.certificate;
    this.#server = createServer({cert, key});
    this.#server.on('request', (request, response) => void this.#answer(request, response));
    this.#server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head));
    this.#server.on('secureConnection', socket => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
    });
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
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
      const refusal = error instanceof ApiError ? error : internalError(`Internal error occurred: ${String(error)}`);
      if (response.headersSent) response.end();
      else send(response, refusal.code, refusal.body);
    }
  }

  async #handle(raw: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(raw.url ?? '/', 'https://server');
    const access = this.#accessOf(raw);
    if (!access && !openPaths.has(url.pathname)) throw unauthorized();
    if (this.#meta(url, raw, response)) return;
    if (!access) throw unauthorized();
    const target = readPath(url.pathname, this.#options.store.types);
    if (!target) throw pathNotFound();
    const request = {...requestOf(raw, url, access), ...target, body: await bodyOf(raw)};
    const wait = this.#options.listDelay();
    if (wait > 0 && raw.method === 'GET' && !target.name) await delay(wait, undefined, {ref: false});
    const answer = await route(this.#options.store, request, response, this.#options.logOf);
    if (answer === undefined) return;
    if (typeof answer === 'string') {
      response.writeHead(200, {'content-type': 'text/plain'}).end(answer);
      return;
    }
    for (const warning of request.warnings) {
      response.appendHeader('Warning', `299 - "${warning.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
    }
    send(response, answer.code, answer.body);
  }

  /** Everything that is no object: version, health, discovery, schemas. True if it was one of these. */
  #meta(url: URL, raw: IncomingMessage, response: ServerResponse): boolean {
    const {types} = this.#options.store;
    const path = url.pathname.replace(/(?<=.)\/$/, '');
    const parts = path.split('/').filter(Boolean);
    const aggregated = (raw.headers.accept ?? '').includes('g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    const found = (body: JsonObject | undefined, type?: string) => {
      if (!body) throw pathNotFound();
      send(response, 200, body, type);
      return true;
    };
    if (path === '/healthz' || path === '/livez' || path === '/readyz') {
      response.writeHead(200, {'content-type': 'text/plain'}).end('ok');
      return true;
    }
    if (path === '/version') return found(versionInfo(this.#options.version));
    if (path === '/api' || path === '/apis') {
      const core = path === '/api';
      if (aggregated) return found(aggregatedDiscovery(types, core ? 'core' : 'named'), aggregatedType);
      return found(core ? apiVersions(raw.headers.host ?? '') : groupList(types));
    }
    if (path === '/api/v1') return found(resourceList(types, 'v1'));
    if (parts[0] === 'apis' && parts.length === 2) {
      const group = parts[1] ?? '';
      if (!types.some(type => type.group === group)) throw pathNotFound();
      return found({kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(types, group)});
    }
    if (parts[0] === 'apis' && parts.length === 3) return found(resourceList(types, `${parts[1]}/${parts[2]}`));
    if (path === '/openapi/v3') return found(openApiIndex(types));
    if (path.startsWith('/openapi/v3/')) return found(openApiDocument(types, path.slice('/openapi/v3/'.length)));
    return false;
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
      await this.#options.exec(request, raw, socket, head);
    } catch (error) {
      const refusal = error instanceof ApiError ? error : internalError(`Internal error occurred: ${String(error)}`);
      refuseUpgrade(socket, refusal);
    }
  }

  #accessOf(raw: IncomingMessage): Access | undefined {
    const [, token] = /^Bearer (.+)$/.exec(raw.headers.authorization ?? '') ?? [];
    const user = raw.headers['impersonate-user'];
    const groups = raw.headersDistinct['impersonate-group'] ?? [];
    return token ? this.#options.authenticate(token, user ? {user: String(user), groups} : undefined) : undefined;
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

function send(response: ServerResponse, code: number, body: JsonObject | ApiObject, type = 'application/json'): void {
  const text = JSON.stringify(body);
  response.writeHead(code, {'content-type': type, 'content-length': Buffer.byteLength(text), vary: 'Accept'});
  response.end(text);
}

function refuseUpgrade(socket: Duplex, {code, body, message}: ApiError): void {
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

function versionInfo(gitVersion: string): JsonObject {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major: major ?? '1',
    minor: minor ?? '0',
    gitVersion,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2024-12-10T11:56:06Z',
    goVersion: 'go1.22.9',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
