import {ExitCode} from '../lib/errors.js';
import {type InspectOptions, inspect} from '../session/inspection.js';
import {type OpenProgress, withProgress} from '../session/progress.js';
import type {SnapshotDocument} from '../snapshot/document.js';

export interface Collection {
  readonly document: SnapshotDocument;
  /** Why a node is not in it, by its name. */
  readonly failures: ReadonlyMap<string, string>;
}

/** Reads nodes and their cluster into a snapshot. */
export function collectSnapshot(options: InspectOptions, open: OpenProgress, signal: AbortSignal): Promise<Collection> {
  return withProgress(open, progress => inspect(options, progress, signal));
}

export const collectionExitCode = ({failures}: Collection): ExitCode =>
  failures.size > 0 ? ExitCode.uninspected : ExitCode.ok;
