import {ExitCode} from '../lib/errors.js';
import {type InspectOptions, inspect} from '../session/inspection.js';
import {type OpenProgress, withProgress} from '../session/progress.js';
import type {SnapshotDocument} from '../snapshot/document.js';
import type {Redactable, Replaced} from './redact/redact.js';
import {redactSnapshot} from './redact/redact-file.js';

export interface Collection {
  readonly document: SnapshotDocument;
  /** Why a node is missing from the document, by node name. */
  readonly failures: ReadonlyMap<string, string>;
  readonly replaced: Replaced;
}

export interface CollectOptions extends InspectOptions {
  /** What to replace in addition to secrets, which are always removed. */
  readonly redact: readonly Redactable[];
}

/** Reads nodes and their cluster into a snapshot that is safe to share. */
export async function collectSnapshot(
  options: CollectOptions,
  open: OpenProgress,
  signal: AbortSignal,
): Promise<Collection> {
  const {document, failures} = await withProgress(open, progress => inspect(options, progress, signal));
  return {...redactSnapshot(document, options.redact), failures};
}

export const collectionExitCode = ({failures}: Collection): ExitCode =>
  failures.size > 0 ? ExitCode.uninspected : ExitCode.ok;
