import {X509Certificate} from 'node:crypto';
import {Agent as HttpAgent} from 'node:http';
import {Agent as HttpsAgent} from 'node:https';
import {createSecureContext, getCACertificates, type SecureContext} from 'node:tls';
import {promisify} from 'node:util';
import {gunzip} from 'node:zlib';
import {Agent, type Dispatcher, ProxyAgent, request} from 'undici';
import {WinError} from '../lib/errors.js';
import {connectionError, isDropped} from './api-errors.js';
import {Credentials, dataOrFile, type Headers, type Identity} from './credentials.js';
import type {Connection} from './kubeconfig.js';
import {proxyFor} from './proxy.js';

const connectTimeoutMs = 15_000;
/** The API server itself gives up after a minute. */
const answerTimeoutMs = 75_000;

export interface Sending {
  method: string;
  /** Path and query below the server's address. */
  path: string;
  headers?: Headers;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
  /** How long nothing may arrive. */
  idleMs?: number;
}

export type Answer = Dispatcher.ResponseData;

/** What a WebSocket to the API server is opened with. */
export interface SocketSettings {
  url: string;
  headers: Headers;
  agent: HttpAgent;
}

interface Pool {
  identity: Identity;
  dispatcher: Dispatcher;
  socketAgent: HttpAgent;
}

/** Connections to one API server: one pool for all requests, and the same address, proxy, TLS and user for WebSockets. */
export class Transport {
  readonly #connection: Connection;
  readonly #credentials: Credentials;
  readonly #proxy: string | undefined;
  #authority: Promise<Buffer | undefined> | undefined;
  #pool: Pool | undefined;

  constructor(connection: Connection, env: NodeJS.ProcessEnv) {
    this.#connection = connection;
    this.#credentials = new Credentials(connection, env);
    this.#proxy = proxyFor(connection.server, connection.cluster['proxy-url'], env);
  }

  /** Sends one request, and once more with new credentials when the first are refused. */
  async send(sending: Sending): Promise<Answer> {
    const answer = await this.#sendOnce(sending).catch(error => {
      // The server may close an idle connection at the moment we use it again: what only reads is sent anew.
      if (sending.method === 'GET' && isDropped(error)) return this.#sendOnce(sending);
      throw error;
    });
    if (answer.statusCode !== 401 || !this.#credentials.renew()) return answer;
    await answer.body.dump();
    return this.#sendOnce(sending);
  }

  async socketSettings(path: string): Promise<SocketSettings> {
    const {identity, socketAgent} = await this.#currentPool();
    return {
      url: `${this.#connection.server.replace(/^http/, 'ws')}${path}`,
      headers: identity.headers,
      agent: socketAgent,
    };
  }

  /** For a WebSocket that was refused: true when trying again makes sense. */
  renewCredentials(): boolean {
    return this.#credentials.renew();
  }

  explain(error: unknown): WinError {
    return error instanceof WinError ? error : connectionError(error, this.#connection, this.#proxy);
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    pool?.socketAgent.destroy();
    await pool?.dispatcher.destroy();
  }

  async #sendOnce({method, path, headers, body, signal, idleMs = answerTimeoutMs}: Sending): Promise<Answer> {
    const {identity, dispatcher} = await this.#currentPool();
    signal?.throwIfAborted();
    try {
      return await request(`${this.#connection.server}${path}`, {
        dispatcher,
        method: method as Dispatcher.HttpMethod,
        headers: {'User-Agent': 'kubectl-win', ...headers, ...identity.headers},
        body: body ?? null,
        signal: signal ?? null,
        headersTimeout: answerTimeoutMs,
        bodyTimeout: idleMs,
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw this.explain(error);
    }
  }

  async #currentPool(): Promise<Pool> {
    const identity = await this.#credentials.identity();
    const {cluster} = this.#connection;
    this.#authority ??= dataOrFile(
      cluster['certificate-authority-data'],
      cluster['certificate-authority'],
      'certificate-authority',
    );
    const authority = await this.#authority;
    const old = this.#pool;
    if (old && String(old.identity.cert) === String(identity.cert)) {
      old.identity = identity;
      return old;
    }
    this.#pool = this.#createPool(identity, authority);
    return this.#pool;
  }

  #createPool(identity: Identity, authority: Buffer | undefined): Pool {
    const {cluster, server} = this.#connection;
    const tls = {
      secureContext: this.#secureContext(identity, authority),
      rejectUnauthorized: !cluster['insecure-skip-tls-verify'],
      ...(cluster['tls-server-name'] && {servername: cluster['tls-server-name']}),
    };
    const connect = {...tls, timeout: connectTimeoutMs};
    const dispatcher = this.#proxy
      ? new ProxyAgent({uri: this.#proxy, requestTls: connect, proxyTls: {timeout: connectTimeoutMs}})
      : new Agent({connect, allowH2: false});
    const proxyEnv = this.#proxy ? {HTTPS_PROXY: this.#proxy, HTTP_PROXY: this.#proxy} : {};
    const socketAgent = server.startsWith('https:') ? new HttpsAgent({...tls, proxyEnv}) : new HttpAgent({proxyEnv});
    return {identity, dispatcher, socketAgent};
  }

  #secureContext({cert, key}: Identity, authority: Buffer | undefined): SecureContext {
    try {
      // OpenSSL passes over an authority that is no certificate, and would then call the server untrusted.
      if (authority) new X509Certificate(authority);
      return createSecureContext({
        // Without an authority of its own a kubeconfig means those of the system, as Go has it.
        ca: authority ?? [...getCACertificates('default'), ...getCACertificates('system')],
        ...(cert && key && {cert, key}),
      });
    } catch (cause) {
      const {source, context, userName} = this.#connection;
      throw new WinError(`The certificates in ${source} cannot be used: ${(cause as Error).message}.`, {
        next: [
          `Correct the certificate-authority of context "${context}", or client-certificate and client-key of user "${userName}".`,
        ],
        cause,
      });
    }
  }
}

const unzip = promisify(gunzip);

/** The whole body of an answer as text. */
export async function readText(answer: Answer): Promise<string> {
  if (answer.headers['content-encoding'] !== 'gzip') return answer.body.text();
  return (await unzip(await answer.body.arrayBuffer())).toString('utf8');
}
