import type {IncomingMessage, ServerResponse} from 'node:http';
import {createServer, type Server} from 'node:https';
import type {AddressInfo, Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import {Access, everythingRule} from '../../src/sim/api/access.js';
import type {Certificate} from '../../src/sim/api/certificate.js';
import type {ResourceRequest} from '../../src/sim/api/request.js';
import {nodeType, podType} from '../../src/sim/api/resource-types.js';
import {internalError, StatusError} from '../../src/sim/api/status.js';
import type {Backing} from '../../src/sim/front.js';
import type {SimNode} from '../../src/sim/node/sim-node.js';
import {serveHungProgram} from './spdy.js';

const trusted = new Access('kube-apiserver', [everythingRule]);
const often = 20;
/** Half a line, from a program that then hangs. */
export const hungOutput = '{"type":"hel';

/**
 * The kubelet of one simulated node as the API server sees it: exec over WebSocket, logs and statistics. It lets SPDY
 * requests hang, which is enough to observe the server.
 */
export class Kubelet {
  readonly #node: SimNode;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #backing: Backing | undefined;
  #timer: NodeJS.Timeout | undefined;
  #listening = false;
  port = 0;

  constructor(node: SimNode, {cert, key}: Certificate) {
    this.#node = node;
    this.#server = createServer({cert, key});
    this.#server.on('request', (request, response) => this.#answer(request, response));
    this.#server.on('upgrade', (request, socket, head) => void this.#exec(request, socket, head));
    this.#server.on('secureConnection', socket => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
    });
  }

  /** Reserves a port and keeps it. */
  async open(): Promise<void> {
    await this.#listen();
    // A node that is cut off, or whose kubelet is down, accepts no connections.
    this.#timer = setInterval(() => void this.#follow(), often).unref();
  }

  serve(backing: Backing): void {
    this.#backing = backing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#hangUp();
    if (this.#listening) await new Promise(resolve => this.#server.close(resolve));
  }

  async #listen(): Promise<void> {
    this.#listening = true;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async #follow(): Promise<void> {
    const isAway = this.#node.cut || this.#node.faults.kubeletDown;
    if (isAway === !this.#listening) return;
    if (!isAway) return this.#listen();
    this.#listening = false;
    this.#server.close();
    this.#hangUp();
  }

  #hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #answer(raw: IncomingMessage, response: ServerResponse): void {
    try {
      const backing = this.#demand();
      const url = new URL(raw.url ?? '/', 'https://kubelet');
      const [what, namespace, name, container] = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
      if (what === 'containerLogs') {
        const query = new URLSearchParams(url.searchParams);
        query.set('container', container ?? '');
        response.end(backing.answers.logOf(request({type: podType, namespace, name, query})));
        return;
      }
      const proxied = url.pathname.replace(/^\/|\/$/g, '');
      const answer = backing.answers.proxy(request({type: nodeType, name: this.#node.name, proxied}));
      response.writeHead(answer.code, {'content-type': 'application/json'}).end(JSON.stringify(answer.body));
    } catch (error) {
      const {code, message} = refusal(error);
      response.writeHead(code, {'content-type': 'text/plain'}).end(message);
    }
  }

  async #exec(raw: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => {});
    try {
      const url = new URL(raw.url ?? '/', 'https://kubelet');
      const [what, namespace, name, container] = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
      if (what !== 'exec') throw internalError(`the kubelet of the test serves no ${what}`);
      const query = new URLSearchParams({container: container ?? ''});
      for (const word of url.searchParams.getAll('command')) query.append('command', word);
      for (const [given, stream] of [
        ['input', 'stdin'],
        ['output', 'stdout'],
        ['error', 'stderr'],
      ] as const)
        if (url.searchParams.get(given) === '1') query.set(stream, 'true');
      if (raw.headers.upgrade?.toLowerCase().startsWith('spdy')) {
        const before = query.has('stdin') ? 2 : 1;
        const streams = before + Number(query.has('stdout')) + Number(query.has('stderr'));
        serveHungProgram(socket, {streams, output: before + 1, printed: hungOutput});
        return;
      }
      await this.#demand().exec(
        request({type: podType, namespace, name, query, subresource: 'exec'}),
        raw,
        socket,
        head,
      );
    } catch (error) {
      const {code, message} = refusal(error);
      socket.end(
        `HTTP/1.1 ${code} Refused\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(message)}\r\nConnection: close\r\n\r\n${message}`,
      );
    }
  }

  #demand(): Backing {
    if (!this.#backing) throw internalError('the node is not up yet');
    return this.#backing;
  }
}

function request(given: Partial<ResourceRequest> & Pick<ResourceRequest, 'type'>): ResourceRequest {
  return {
    method: 'GET',
    namespace: undefined,
    name: undefined,
    subresource: undefined,
    query: new URLSearchParams(),
    accept: '',
    contentType: '',
    body: undefined,
    userAgent: '',
    warnings: [],
    access: trusted,
    ...given,
  };
}

/** A kubelet answers in plain text; the server converts it to a Status. */
function refusal(error: unknown): {code: number; message: string} {
  return error instanceof StatusError
    ? {code: error.code, message: String(error.message)}
    : {code: 500, message: String(error)};
}
