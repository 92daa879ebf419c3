import type {Query} from '../lib/api-path.js';
import {withQuery} from '../lib/api-path.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {ApiError, isDropped, isRefused} from './api-errors.js';
import type {ExecOptions} from './exec.js';
import type {ExecOutcome} from './exec-stream.js';
import {type Connection, type ConnectionFlags, resolveConnection} from './kubeconfig.js';
import {Permissions} from './permissions.js';
import {retrying, retryWithinMs} from './retry.js';
import {answerError, readText, readToEnd, Transport} from './transport.js';
import {type WatchEvent, type WatchOptions, watch} from './watch.js';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** False: do not retry, for requests that may fail and are not worth waiting for. */
  retry?: boolean | undefined;
}

export interface ListOptions<Item = unknown, Kept = Item> extends CallOptions {
  /** Maps each item to what is kept; undefined omits it. Applied page by page, so that a long list is never in memory as a whole. */
  keep?: ((item: Item) => Kept | undefined) | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** `0` reads from the API server's cache: cheap with a fieldSelector on a large cluster, and recent enough. */
  resourceVersion?: '0' | undefined;
  /** Stop at the page that reaches this number; `more` is then the number of omitted items. */
  atMost?: number | undefined;
}

export interface KubeList<Item> {
  items: Item[];
  resourceVersion: string;
  /** The number of items omitted because of `atMost`. */
  more: number;
}

interface ListPage {
  apiVersion?: string;
  kind?: string;
  metadata?: {continue?: string; resourceVersion?: string; remainingItemCount?: number};
  items?: object[] | null;
}

export type PatchType = 'merge' | 'strategic' | 'json' | 'apply';

const patchTypes: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The field manager of our changes. */
export const fieldManager = 'kubectl-win';
/** Limits memory: a page exists as text and as objects at the same time. */
const pageSize = 250;

interface Call extends CallOptions {
  query?: Query;
  body?: unknown;
  contentType?: string;
  /** Whether it changes nothing, independent of its method. */
  reads?: boolean;
  /** Whether to discard the response body. */
  discard?: boolean;
}

/** A thin client of the Kubernetes API. Objects are passed through unchanged. */
export class KubeClient {
  readonly context: string;
  readonly server: string;
  readonly namespace: string;
  readonly #connection: Connection;
  readonly #transport: Transport;
  readonly #permissions = new Permissions();
  #answered = false;

  constructor(connection: Connection, env: NodeJS.ProcessEnv = process.env) {
    this.context = connection.context;
    this.server = connection.server;
    this.namespace = connection.namespace;
    this.#connection = connection;
    this.#transport = new Transport(connection, env);
  }

  /** The server's version, as `v1.34.2`. */
  async version(options: CallOptions = {}): Promise<string> {
    const {gitVersion} = await this.get<{gitVersion: string}>('/version', options);
    return gitVersion;
  }

  get<Result>(path: string, options: CallOptions = {}): Promise<Result> {
    return this.request('GET', path, options);
  }

  /** Reads a list page by page. Items get the apiVersion and kind that the API leaves out inside lists. */
  async list<Item, Kept = Item>(path: string, options: ListOptions<Item, Kept> = {}): Promise<KubeList<Kept>> {
    try {
      return await this.#listPages(path, options, pageSize);
    } catch (error) {
      // 410: the next page has expired; the API recommends to read the list without paging.
      if (error instanceof ApiError && error.status === 410) return this.#listPages(path, options, undefined);
      throw error;
    }
  }

  create<Result>(path: string, body: object, options: CallOptions = {}): Promise<Result> {
    return this.request('POST', path, {query: {fieldManager}, body, ...options});
  }

  /** A POST that changes nothing, such as an access review. It may be retried like a GET. */
  ask<Result>(path: string, body: object, options: CallOptions = {}): Promise<Result> {
    return this.request('POST', path, {body, reads: true, ...options});
  }

  /** `dryRun`: server-side dry run. */
  patch<Result>(
    path: string,
    type: PatchType,
    body: unknown,
    {signal, dryRun = false}: CallOptions & {dryRun?: boolean} = {},
  ): Promise<Result> {
    const query = {fieldManager, force: type === 'apply' ? true : undefined, dryRun: dryRun ? 'All' : undefined};
    return this.request('PATCH', path, {query, body, contentType: patchTypes[type], signal});
  }

  /** Replaces an existing object completely. */
  replace<Result>(path: string, body: object, options: CallOptions = {}): Promise<Result> {
    return this.request('PUT', path, {query: {fieldManager}, body, ...options});
  }

  /** Deletes one object. It is no error if the object does not exist. */
  async remove(path: string, options: CallOptions & {gracePeriodSeconds?: number} = {}): Promise<void> {
    const {signal, gracePeriodSeconds} = options;
    const body = {apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', gracePeriodSeconds};
    try {
      await this.request('DELETE', path, {body, signal});
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }

  /** Deletes all objects that a label selects with one request. */
  async removeAll(
    path: string,
    {labelSelector, gracePeriodSeconds, signal}: CallOptions & {labelSelector: string; gracePeriodSeconds?: number},
  ): Promise<void> {
    const body = {apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', gracePeriodSeconds};
    // The response contains all deleted objects.
    await this.request('DELETE', path, {query: {labelSelector}, body, signal, discard: true});
  }

  /** Watches the objects of a list, until the server ends the watch or the signal aborts it. */
  watch<Item>(path: string, options: WatchOptions): AsyncGenerator<WatchEvent<Item>> {
    return watch<Item>(this.#transport, this.#connection, path, options);
  }

  async exec(options: ExecOptions): Promise<ExecOutcome> {
    const {exec} = await import('./exec.js');
    return exec(this.#transport, this.#connection, this.#permissions, options);
  }

  async request<Result>(
    method: string,
    path: string,
    {signal, retry = true, reads = method === 'GET', ...call}: Call = {},
  ): Promise<Result> {
    const {requestTimeoutMs = 0} = this.#connection;
    const timeout = requestTimeoutMs > 0 ? AbortSignal.timeout(requestTimeoutMs) : undefined;
    const either = signal && timeout ? AbortSignal.any([signal, timeout]) : (signal ?? timeout);
    const send = () => this.#send(method, path, call, either);
    try {
      if (!retry) return (await send()) as Result;
      const withinMs = requestTimeoutMs || retryWithinMs;
      return (await retrying(send, {
        reads,
        answered: () => this.#answered,
        withinMs,
        signal: either,
      })) as Result;
    } catch (error) {
      signal?.throwIfAborted();
      // A server that responds with an error has not timed out.
      if (!timeout?.aborted || error instanceof ApiError) throw error;
      throw new WinError(
        `The API server ${this.server} did not answer within ${requestTimeoutMs / 1000}s (--request-timeout).`,
        {
          exit: ExitCode.uninspected,
          next: ['Increase --request-timeout.'],
          cause: error,
        },
      );
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #listPages<Item, Kept>(
    path: string,
    options: ListOptions<Item, Kept>,
    limit: number | undefined,
  ): Promise<KubeList<Kept>> {
    const {signal, atMost = Number.POSITIVE_INFINITY, keep, ...selection} = options;
    const items: Kept[] = [];
    let metadata: ListPage['metadata'];
    let count = 0;
    do {
      const query = {...selection, limit, continue: metadata?.continue};
      const page: ListPage = await this.request('GET', path, {query, signal});
      const {apiVersion} = page;
      const kind = page.kind?.replace(/List$/, '');
      for (const item of page.items ?? []) {
        const whole = {apiVersion, kind, ...item};
        const kept = keep ? keep(whole as Item) : (whole as Kept);
        if (kept !== undefined) items.push(kept);
        count += 1;
      }
      metadata = page.metadata;
    } while (metadata?.continue && count < atMost);
    const more = metadata?.continue ? (metadata.remainingItemCount ?? 1) : 0;
    return {items, resourceVersion: metadata?.resourceVersion ?? '', more};
  }

  async #send(method: string, path: string, call: Omit<Call, keyof CallOptions>, signal: AbortSignal | undefined) {
    const {query = {}, body, contentType = 'application/json', discard = false} = call;
    try {
      const answer = await this.#transport.send({
        method,
        path: withQuery(path, query),
        headers: {
          Accept: 'application/json',
          ...(!this.#connection.cluster['disable-compression'] && {'Accept-Encoding': 'gzip'}),
          ...(body !== undefined && {'Content-Type': contentType}),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
      });
      this.#answered = true;
      if (answer.status >= 300) {
        throw await answerError(answer, this.#connection, {allowedBefore: this.#permissions.expects(method, path)});
      }
      const read = discard ? await readToEnd(answer) : parseAnswer(await readText(answer));
      this.#permissions.allowed(method, path);
      return read;
    } catch (error) {
      const explained = this.#transport.explain(error);
      if (isDropped(explained) || isRefused(explained)) this.#permissions.away();
      throw explained;
    }
  }
}

/** A client for the cluster that flags and kubeconfig select. Sends nothing yet. */
export function connect(flags: ConnectionFlags = {}, env: NodeJS.ProcessEnv = process.env): KubeClient {
  return new KubeClient(resolveConnection(flags, env), env);
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new WinError('Not a Kubernetes API server: the response was not JSON.', {
      exit: ExitCode.uninspected,
      next: ['Check the server address in the kubeconfig, and proxies in front of the server.'],
      cause,
    });
  }
}
