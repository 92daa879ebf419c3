import type {IncomingMessage} from 'node:http';
import {Agent, request as httpsRequest} from 'node:https';
import {text} from 'node:stream/consumers';
import {setTimeout as delay} from 'node:timers/promises';
import type {ApiObject} from '../../src/sim/api/object.js';
import {apiVersionOf, type ResourceType} from '../../src/sim/api/resource-types.js';

export class Refused extends Error {
  readonly code: number;

  constructor(method: string, path: string, code: number, message: string) {
    super(`${method} ${path}: ${code} ${message}`);
    this.code = code;
  }
}

export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: ApiObject;
}

type Place = Pick<ApiObject, 'metadata'>;

/** The path of a kind, of one object, or of a subresource. */
export function pathOf(type: ResourceType, object?: Place, subresource?: string): string {
  const root = type.group ? `/apis/${apiVersionOf(type)}` : `/api/${type.version}`;
  const {name = '', namespace} = object?.metadata ?? {};
  const scope = type.namespaced && namespace ? `/namespaces/${namespace}` : '';
  return [`${root}${scope}/${type.plural}`, name && encodeURIComponent(name), subresource].filter(Boolean).join('/');
}

/** The API as an administrator uses it, without a client library. */
export class AdminApi {
  readonly #url: string;
  readonly #agent: Agent;
  readonly #headers: Record<string, string>;

  constructor(url: string, ca: string, token: string) {
    this.#url = url;
    this.#agent = new Agent({ca, keepAlive: true});
    this.#headers = {authorization: `Bearer ${token}`, 'user-agent': 'kubectl-win-test-bridge'};
  }

  async isReady(): Promise<boolean> {
    try {
      const response = await this.#send('GET', '/readyz');
      await text(response);
      return response.statusCode === 200;
    } catch {
      return false;
    }
  }

  async request(method: string, path: string, body?: unknown, media = 'application/json'): Promise<ApiObject> {
    const response = await this.#send(method, path, body, media);
    const answer = await text(response);
    const code = response.statusCode ?? 0;
    if (code >= 300) throw new Refused(method, path, code, messageOf(answer));
    return JSON.parse(answer) as ApiObject;
  }

  create(type: ResourceType, object: ApiObject): Promise<ApiObject> {
    return this.request('POST', pathOf(type, {metadata: {...object.metadata, name: ''}}), object);
  }

  get(type: ResourceType, object: Place): Promise<ApiObject> {
    return this.request('GET', pathOf(type, object));
  }

  patch(type: ResourceType, object: Place, patch: object, subresource?: string): Promise<ApiObject> {
    return this.request('PATCH', pathOf(type, object, subresource), patch, 'application/merge-patch+json');
  }

  async list(type: ResourceType): Promise<{items: ApiObject[]; resourceVersion: string}> {
    const list = await this.request('GET', pathOf(type));
    const kind = {apiVersion: apiVersionOf(type), kind: type.kind};
    const items = (list.items as ApiObject[]).map(item => ({...item, ...kind}));
    return {items, resourceVersion: list.metadata.resourceVersion ?? ''};
  }

  /** Watch events of a kind until the connection ends or the signal is aborted. */
  async *watch(type: ResourceType, resourceVersion: string, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const query = new URLSearchParams({watch: 'true', resourceVersion});
    const response = await this.#send('GET', `${pathOf(type)}?${query}`, undefined, undefined, signal);
    if (response.statusCode !== 200)
      throw new Refused('WATCH', pathOf(type), response.statusCode ?? 0, await text(response));
    let rest = '';
    for await (const chunk of response.setEncoding('utf8')) {
      rest += chunk;
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as WatchEvent;
    }
  }

  /** Retries while the server is temporarily unavailable. */
  async patiently<Result>(action: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    for (;;) {
      try {
        return await action();
      } catch (error) {
        const isFinal = error instanceof Refused && error.code < 500 && error.code !== 429;
        if (isFinal || signal.aborted) throw error;
        await delay(100);
      }
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, body?: unknown, media?: string, signal?: AbortSignal): Promise<IncomingMessage> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      ...this.#headers,
      ...(bytes && {'content-type': media ?? 'application/json', 'content-length': bytes.length}),
    };
    return new Promise((resolve, reject) => {
      const request = httpsRequest(`${this.#url}${path}`, {
        method,
        agent: this.#agent,
        headers,
        ...(signal && {signal}),
      });
      request.on('response', resolve);
      request.on('error', reject);
      request.end(bytes);
    });
  }
}

function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as {message?: string}).message ?? text;
  } catch {
    return text;
  }
}
