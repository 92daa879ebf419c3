import {writeFile} from 'node:fs/promises';
import {gzipSync} from 'node:zlib';
import {ExitCode} from '../lib/errors.js';
import type {Streams} from '../lib/streams.js';
import {type InspectOptions, inspect} from '../session/inspection.js';
import {chooseProgress} from '../session/progress.js';
import {printDocument} from '../view/text/print.js';

export interface CollectOptions extends InspectOptions {
  readonly format?: string | undefined;
  readonly file?: string | undefined;
}

/** Reads nodes and their cluster into a snapshot, to a file or as text. */
export async function collectSnapshot(
  options: CollectOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<{text: string; exitCode: ExitCode}> {
  const progress = await chooseProgress(streams);
  try {
    const {document, failures} = await inspect(options, progress, signal);
    const text = printDocument(document, options.format === 'yaml' ? 'yaml' : 'json');
    const file = options.file === '-' ? undefined : options.file;
    if (file !== undefined) await writeFile(file, file.endsWith('.gz') ? gzipSync(text) : text);
    return {
      text: file === undefined ? text : '',
      exitCode: failures.size > 0 ? ExitCode.uninspected : ExitCode.ok,
    };
  } finally {
    progress.end();
  }
}
