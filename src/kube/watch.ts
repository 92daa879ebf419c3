import {StringDecoder} from 'node:string_decoder';
import {withQuery} from '../lib/api-path.js';
import {ExitCode, WinError} from '../lib/errors.js';
import {apiError} from './api-errors.js';
import type {Connection} from './kubeconfig.js';
import {answerError, type Transport} from './transport.js';

export interface WatchOptions {
  resourceVersion: string;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** The server ends the watch after this time. */
  timeoutSeconds?: number;
  /** Called with the server's current version, even if nothing in the selection has changed. */
  onBookmark?: ((resourceVersion: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface WatchEvent<Item> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  object: Item;
}

interface RawEvent {
  type: string;
  object: {code?: number; metadata?: {resourceVersion?: string}};
}

export async function* watch<Item>(
  transport: Transport,
  connection: Connection,
  path: string,
  {signal, timeoutSeconds = 60, onBookmark, ...selection}: WatchOptions,
): AsyncGenerator<WatchEvent<Item>> {
  try {
    const answer = await transport.send({
      method: 'GET',
      path: withQuery(path, {...selection, watch: true, timeoutSeconds, allowWatchBookmarks: onBookmark && true}),
      headers: {Accept: 'application/json'},
      signal,
      // Detect a dead connection soon after the server should have ended the watch.
      idleMs: (timeoutSeconds + 10) * 1000,
    });
    if (answer.status >= 300) throw await answerError(answer, connection);
    for await (const line of lines(answer.body)) {
      const event = parse(line);
      if (event.type === 'ERROR') throw apiError(event.object.code ?? 500, JSON.stringify(event.object), connection);
      if (event.type !== 'BOOKMARK') yield event as WatchEvent<Item>;
      else onBookmark?.(event.object.metadata?.resourceVersion ?? '');
    }
  } catch (error) {
    if (signal?.aborted) return;
    throw transport.explain(error);
  }
}

async function* lines(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of body) {
    const parts = (rest + decoder.write(chunk)).split('\n');
    rest = parts.pop() ?? '';
    yield* parts.filter(line => line !== '');
  }
}

function parse(line: string): RawEvent {
  try {
    return JSON.parse(line) as RawEvent;
  } catch (cause) {
    throw new WinError('The API server sent a watch event that is not JSON.', {exit: ExitCode.uninspected, cause});
  }
}
