import {setTimeout as delay} from 'node:timers/promises';
import {Agent, fetch} from 'undici';
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

/** Where objects of a kind are, one of them, or something of it. */
export function pathOf(type: ResourceType, object?: Place, subresource?: string): string {
  const root = type.group ? `/apis/${apiVersionOf(type)}` : `/api/${type.version}`;
  const {name = '', namespace} = object?.metadata ?? {};
  const scope = type.namespaced && namespace ? `/namespaces/${namespace}` : '';
  return [`${root}${scope}/${type.plural}`, name && encodeURIComponent(name), subresource].filter(Boolean).join('/');
}

/** The API as an administrator speaks to it, without anything that a client would add. */
export class AdminApi {
  readonly #url: string;
  readonly #agent: Agent;
  readonly #headers: Record<string, string>;

  constructor(url: string, ca: string, token: string) {
    this.#url = url;
    this.#agent = new Agent({connect: {ca}, bodyTimeout: 0, headersTimeout: 60_000});
    this.#headers = {authorization: `Bearer ${token}`, 'user-agent': 'kubectl-win-test-bridge'};
  }

  async isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.#url}/readyz`, {dispatcher: this.#agent, headers: this.#headers});
      await response.text();
      return response.ok;
    } catch {
      return false;
    }
  }

  async request(method: string, path: string, body?: unknown, media = 'application/json'): Promise<ApiObject> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: {...this.#headers, ...(body !== undefined && {'content-type': media})},
      ...(body !== undefined && {body: JSON.stringify(body)}),
    });
    const text = await response.text();
    if (!response.ok) throw new Refused(method, path, response.status, messageOf(text));
    return JSON.parse(text) as ApiObject;
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

  /** Events of a kind until the connection ends or the signal says so. */
  async *watch(type: ResourceType, resourceVersion: string, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const query = new URLSearchParams({watch: 'true', resourceVersion});
    const response = await fetch(`${this.#url}${pathOf(type)}?${query}`, {
      dispatcher: this.#agent,
      headers: this.#headers,
      signal,
    });
    if (!response.ok) throw new Refused('WATCH', pathOf(type), response.status, await response.text());
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of response.body ?? []) {
      rest += decoder.decode(chunk as Uint8Array, {stream: true});
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as WatchEvent;
    }
  }

  /** Tries again what a server that is away for a moment could not answer. */
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

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as {message?: string}).message ?? text;
  } catch {
    return text;
  }
}
