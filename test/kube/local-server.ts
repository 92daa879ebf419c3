import {once} from 'node:events';
import {createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {createServer as createHttpsServer} from 'node:https';
import {type AddressInfo, connect, createServer as createTcpServer, type Socket} from 'node:net';
import {generate} from 'selfsigned';
import {type WebSocket, WebSocketServer} from 'ws';

export interface Certificate {
  cert: string;
  key: string;
}

export interface CertificateOptions {
  /** Subject names of the certificate; default: 127.0.0.1 and localhost. */
  names?: readonly string[];
  notBefore?: Date;
  notAfter?: Date;
}

export async function certificate({
  names = ['127.0.0.1', 'localhost'],
  ...dates
}: CertificateOptions = {}): Promise<Certificate> {
  const day = 86_400_000;
  const pems = await generate([{name: 'commonName', value: names[0] ?? 'localhost'}], {
    keySize: 2048,
    notBeforeDate: dates.notBefore ?? new Date(Date.now() - day),
    notAfterDate: dates.notAfter ?? new Date(Date.now() + day),
    extensions: [
      {name: 'basicConstraints', cA: true},
      {
        name: 'subjectAltName',
        altNames: names.map(name => (/^[\d.]+$/.test(name) ? {type: 7, ip: name} : {type: 2, value: name})),
      },
    ],
  });
  return {cert: pems.cert, key: pems.private};
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface LocalServer extends AsyncDisposable {
  url: string;
  port: number;
  /** Every request, as "METHOD path". */
  requests: string[];
  /** The number of TCP connections. */
  connections(): number;
}

export interface LocalServerOptions {
  tls?: Certificate;
  /** Default: a free one. */
  port?: number;
  onRequest?: Handler;
  onSocket?: (socket: WebSocket, request: IncomingMessage) => void;
  /** The only supported subprotocol; default: the first one offered. */
  protocol?: string;
  onUpgrade?: (request: IncomingMessage) => {status: number; body: string} | undefined;
}

/** A server on loopback with the answers of the test, over TLS if it has a certificate. */
export async function localServer(options: LocalServerOptions): Promise<LocalServer> {
  const {tls, onRequest, onSocket, onUpgrade, protocol} = options;
  const requests: string[] = [];
  const answer: Handler = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    onRequest?.(request, response);
  };
  const server = tls
    ? createHttpsServer({...tls, requestCert: true, rejectUnauthorized: false}, answer)
    : createHttpServer(answer);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: offered => protocol ?? offered.values().next().value ?? false,
  });
  server.on('upgrade', (request, socket, head) => {
    requests.push(`UPGRADE ${request.url}`);
    const refusal = onUpgrade?.(request);
    if (refusal) {
      socket.end(
        `HTTP/1.1 ${refusal.status} No\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(refusal.body)}\r\nConnection: close\r\n\r\n${refusal.body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, webSocket => onSocket?.(webSocket, request));
  });
  const port = await listen(server, options.port);
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const client of sockets.clients) client.terminate();
      await stop(server);
    },
  };
}

export interface TunnelProxy extends AsyncDisposable {
  url: string;
  /** The requested targets, as "host:port". */
  targets: string[];
}

/** An HTTP proxy that supports only CONNECT. */
export async function tunnelProxy({refuse = false} = {}): Promise<TunnelProxy> {
  const targets: string[] = [];
  const server = createHttpServer((_, response) => response.writeHead(405).end());
  server.on('connect', (request, socket) => {
    targets.push(request.url ?? '');
    if (refuse) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const port = Number(/:(\d+)$/.exec(request.url ?? '')?.[1]);
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  const port = await listen(server);
  return {url: `http://127.0.0.1:${port}`, targets, [Symbol.asyncDispose]: () => stop(server)};
}

/** A SOCKS5 proxy without authentication (RFC 1928). It resolves all names to this machine. */
export async function socksProxy(): Promise<TunnelProxy> {
  const targets: string[] = [];
  const clients = new Set<Socket>();
  const server = createTcpServer(async client => {
    clients.add(client.on('error', () => {}));
    await next(client);
    client.write(Buffer.from([5, 0]));
    const asked = await next(client);
    const name = asked.subarray(5, 5 + (asked[4] ?? 0)).toString('latin1');
    const host = asked[3] === 3 ? name : [...asked.subarray(4, 8)].join('.');
    const port = asked.readUInt16BE(asked.length - 2);
    targets.push(`${host}:${port}`);
    const upstream = connect(port, '127.0.0.1', () => {
      client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const {port} = server.address() as AddressInfo;
  return {
    url: `socks5://127.0.0.1:${port}`,
    targets,
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy();
      await new Promise(resolve => {
        server.close(resolve);
      });
    },
  };
}

async function next(socket: Socket): Promise<Buffer> {
  const [chunk] = await once(socket, 'data');
  return chunk;
}

function listen(server: Server, port = 0): Promise<number> {
  return new Promise(resolve => {
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise(resolve => {
    server.close(() => resolve());
  });
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {'Content-Type': 'application/json', ...headers}).end(JSON.stringify(body));
}

export function statusBody(code: number, reason: string, message: string) {
  return {kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code};
}
