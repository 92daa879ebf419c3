import type {Server} from 'node:https';
import type {Socket} from 'node:net';

/** What the server counted about its clients. */
export interface Traffic {
  /** Requests and upgrades. */
  requests: number;
  /** Opened connections, and the maximum open at the same time. */
  connections: number;
  mostConnections: number;
  /** Both directions, inside TLS. */
  bytes: number;
}

/** Counts client activity since the last call of `take`. */
export class TrafficCounter {
  readonly #open = new Set<Socket>();
  #traffic = nothing();
  /** Bytes of open connections that are already counted. */
  #counted = new WeakMap<Socket, number>();

  constructor(server: Server) {
    server.on('request', () => this.#request());
    server.on('upgrade', () => this.#request());
    server.on('secureConnection', socket => {
      this.#open.add(socket);
      this.#traffic.connections += 1;
      this.#traffic.mostConnections = Math.max(this.#traffic.mostConnections, this.#open.size);
      socket.on('close', () => {
        this.#count(socket);
        this.#open.delete(socket);
      });
    });
  }

  /** The counts since the last call. Connections that are still open also count in the next result. */
  take(): Traffic {
    for (const socket of this.#open) this.#count(socket);
    const taken = this.#traffic;
    this.#traffic = {...nothing(), mostConnections: this.#open.size};
    return taken;
  }

  #request(): void {
    this.#traffic.requests += 1;
  }

  #count(socket: Socket): void {
    const bytes = socket.bytesRead + socket.bytesWritten;
    this.#traffic.bytes += bytes - (this.#counted.get(socket) ?? 0);
    this.#counted.set(socket, bytes);
  }
}

const nothing = (): Traffic => ({requests: 0, connections: 0, mostConnections: 0, bytes: 0});
