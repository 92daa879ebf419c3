import {X509Certificate} from 'node:crypto';
import {Agent as HttpAgent, request as httpRequest, type IncomingMessage} from 'node:http';
import {Agent as HttpsAgent, request as httpsRequest} from 'node:https';
import {createSecureContext, getCACertificates, type SecureContext} from 'node:tls';
import {WinError} from '../lib/errors.js';
import {type AnswerFacts, type ApiError, apiError, connectionError} from './api-errors.js';
import {Credentials, dataOrFile, type Headers, type Identity} from './credentials.js';
import {isSocks, proxyFor} from './http-proxy.js';
import type {Connection} from './kubeconfig.js';
import {retryAfterMs} from './retry.js';

/** Also how long an idle connection is kept: shorter than the idle timeouts of firewalls and load balancers. */
const connectTimeoutMs = 15_000;
/** Longer than the API server's own limit of one minute. */
const answerTimeoutMs = 75_000;

export interface Sending {
  method: string;
  /** Path and query below the server's address. */
  path: string;
  headers?: Headers;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
  /** How long to wait for further data. */
  idleMs?: number;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  body: IncomingMessage;
  /** The Authorization header of the request. */
  authorization: string | undefined;
}

/** The settings of a WebSocket to the API server. */
export interface SocketSettings {
  url: string;
  headers: Headers;
  agent: HttpAgent;
}

interface Pool {
  identity: Identity;
  agent: Promise<HttpAgent>;
}

/** Connections to one API server: one pool for requests and WebSockets, with the same address, proxy, TLS and user. */
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

  /** Sends one request, and once more with new credentials if the first are refused. */
  async send(sending: Sending): Promise<HttpAnswer> {
    const answer = await this.#sendOnce(sending);
    if (answer.status !== 401 || !this.#credentials.renew()) return answer;
    // Read the body, so that the connection can be reused.
    answer.body.resume();
    return this.#sendOnce(sending);
  }

  async socketSettings(path: string, signal?: AbortSignal): Promise<SocketSettings> {
    const {identity, agent} = await this.#currentPool(signal);
    return {
      url: `${this.#connection.server.replace(/^http/, 'ws')}${path}`,
      headers: identity.headers,
      agent: await agent,
    };
  }

  /** For a refused WebSocket. Returns true if a retry may help. */
  renewCredentials(): boolean {
    return this.#credentials.renew();
  }

  explain(error: unknown): WinError {
    return error instanceof WinError ? error : connectionError(error, this.#connection, this.#proxy);
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    (await pool?.agent)?.destroy();
  }

  async #sendOnce({method, path, headers, body, signal, idleMs = answerTimeoutMs}: Sending): Promise<HttpAnswer> {
    const pool = await this.#currentPool(signal);
    const agent = await pool.agent;
    signal?.throwIfAborted();
    const {server} = this.#connection;
    const send = server.startsWith('https:') ? httpsRequest : httpRequest;
    const request = send(`${server}${path}`, {
      agent,
      method,
      headers: {
        'User-Agent': 'kubectl-win',
        // Node does not set it for DELETE.
        ...(body !== undefined && {'Content-Length': Buffer.byteLength(body)}),
        ...headers,
        ...pool.identity.headers,
      },
      ...(signal && {signal}),
    });
    const giveUp = () => request.destroy(timedOut());
    let timer = setTimeout(giveUp, connectTimeoutMs);
    const sent = () => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, answerTimeoutMs);
    };
    // The whole request was sent, so the connection is established.
    request.once('finish', sent);
    const {promise, resolve, reject} = Promise.withResolvers<IncomingMessage>();
    request.once('response', resolve);
    // Kept: a later error also fails the body, and there is no other listener.
    request.on('error', reject);
    request.end(body);
    try {
      const response = await promise;
      response.setTimeout(idleMs, () => response.destroy(timedOut()));
      return {
        status: response.statusCode as number,
        headers: response.headers,
        body: response,
        authorization: pool.identity.headers.Authorization?.toString(),
      };
    } catch (error) {
      signal?.throwIfAborted();
      throw this.explain(error);
    } finally {
      // A response may arrive before the "finish" event.
      request.off('finish', sent);
      clearTimeout(timer);
    }
  }

  async #currentPool(signal: AbortSignal | undefined): Promise<Pool> {
    const identity = await this.#credentials.identity(signal);
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
    this.#pool = {identity, agent: this.#createAgent(identity, authority)};
    return this.#pool;
  }

  async #createAgent(identity: Identity, authority: Buffer | undefined): Promise<HttpAgent> {
    const {cluster, server} = this.#connection;
    const proxy = this.#proxy;
    const secure = server.startsWith('https:');
    const tls = secure && {
      secureContext: this.#secureContext(identity, authority),
      rejectUnauthorized: !cluster['insecure-skip-tls-verify'],
      ...(cluster['tls-server-name'] && {servername: cluster['tls-server-name']}),
    };
    if (proxy && isSocks(proxy)) {
      const {SocksProxyAgent} = await import('socks-proxy-agent');
      // The proxy resolves the server's name, as in Go programs.
      return new SocksProxyAgent(proxy.replace(/^socks5:/, 'socks5h:'), {keepAlive: true, ...tls});
    }
    const options = {
      keepAlive: true,
      timeout: connectTimeoutMs,
      ...(proxy && {proxyEnv: {HTTPS_PROXY: proxy, HTTP_PROXY: proxy}}),
    };
    return secure ? new HttpsAgent({...options, ...tls}) : new HttpAgent(options);
  }

  #secureContext({cert, key}: Identity, authority: Buffer | undefined): SecureContext {
    try {
      // OpenSSL ignores an authority that is not a certificate, and would then report the server as untrusted.
      if (authority) new X509Certificate(authority);
      return createSecureContext({
        // As in Go, a kubeconfig without an authority uses those of the system.
        ca: authority ?? [...getCACertificates('default'), ...getCACertificates('system')],
        ...(cert && key && {cert, key}),
      });
    } catch (cause) {
      const {source, context, userName} = this.#connection;
      throw new WinError(`The certificates in ${source} are not valid: ${(cause as Error).message}.`, {
        next: [
          `Correct the certificate-authority of context "${context}", or client-certificate and client-key of user "${userName}".`,
        ],
        cause,
      });
    }
  }
}

const timedOut = () => Object.assign(new Error('timed out'), {code: 'ETIMEDOUT'});

/** A response above 299 as an error. */
export async function answerError(
  answer: HttpAnswer,
  connection: Connection,
  facts: Pick<AnswerFacts, 'allowedBefore'> = {},
): Promise<ApiError> {
  const {status, headers, authorization} = answer;
  return apiError(status, await readText(answer), connection, {
    ...facts,
    retryAfterMs: retryAfterMs(headers['retry-after']),
    authorization,
  });
}

/** Reads a response to its end and discards it. */
export async function readToEnd({body}: HttpAnswer): Promise<void> {
  for await (const _ of body);
}

export async function readText({headers, body}: HttpAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  return (headers['content-encoding'] === 'gzip' ? await unzip(whole) : whole).toString('utf8');
}

/** Loaded on demand: short responses are not compressed, and zlib takes 3 ms to load. */
async function unzip(packed: Buffer): Promise<Buffer> {
  const [{gunzip}, {promisify}] = await Promise.all([import('node:zlib'), import('node:util')]);
  return promisify(gunzip)(packed);
}
