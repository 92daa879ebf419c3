import {allChecks, checkNode, subjectOf} from '../../diagnose/engine.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {type Streams, wantsLiveDisplay} from '../../lib/streams.js';
import type {InspectOptions} from '../../session/inspection.js';
import {chooseProgress} from '../../session/progress.js';
import {nodesFromFile} from '../../session/snapshot-file.js';
import {readSnapshot, type Snapshot} from '../../snapshot/snapshot.js';
import type {TextOptions} from '../../view/text/report.js';
import {renderNode} from '../../view/text/topology/render.js';
import {askForNode} from '../choose-node.js';

export interface ShowOptions extends Omit<InspectOptions, 'names'> {
  readonly name: string | undefined;
  readonly from?: string | undefined;
  readonly format?: string | undefined;
  readonly text: TextOptions;
}

interface Looked {
  readonly snapshot: Snapshot;
  readonly name: string;
}

/** `kubectl win inspect`: one node's network, drawn. */
export async function showNode(options: ShowOptions, streams: Streams, signal: AbortSignal): Promise<string> {
  const {snapshot, name} = options.from === undefined ? await live(options, streams, signal) : await fromFile(options);
  const subject = subjectOf(snapshot, name, Date.now());
  return renderNode(subject, checkNode(subject, allChecks), options.format, options.text);
}

async function live(options: ShowOptions, streams: Streams, signal: AbortSignal): Promise<Looked> {
  const wanted = options.name ?? (await picked(options, streams, signal));
  const {inspect} = await import('../../session/inspection.js');
  const quiet = options.format !== undefined && options.format !== 'text';
  const progress = await chooseProgress(streams, {quiet});
  try {
    const {document, names, failures} = await inspect({...options, names: [wanted]}, progress, signal);
    const [name = wanted] = names;
    return looked(readSnapshot(document), name, failures);
  } finally {
    progress.end();
  }
}

/** The node that a person picks, where one is there to pick it. */
function picked({connection}: ShowOptions, streams: Streams, signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY || !wantsLiveDisplay(streams))
    throw new WinError('inspect takes the name of a Windows node.', {next: ['List them with: kubectl win nodes']});
  return askForNode(connection, streams, signal);
}

async function fromFile({from = '', name}: ShowOptions): Promise<Looked> {
  const {snapshot, names, failures} = await nodesFromFile(from, name === undefined ? [] : [name]);
  const [only = ''] = names;
  if (names.length > 1)
    throw new WinError(`${from} has ${names.length} Windows nodes: inspect takes the name of one.`, {
      next: [`It has: ${names.join(', ')}.`],
    });
  return looked(snapshot, only, failures);
}

/** A drawing of nothing would pass for a node without a network. */
function looked(snapshot: Snapshot, name: string, failures: ReadonlyMap<string, string>): Looked {
  const failure = failures.get(name);
  if (failure === undefined || snapshot.nodes.has(name)) return {snapshot, name};
  throw new WinError(`${name} could not be inspected: ${failure}`, {exit: ExitCode.uninspected});
}
