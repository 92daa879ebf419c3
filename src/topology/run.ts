import type {V1Node} from '@kubernetes/client-node';
import {allChecks, checkNode, subjectOf} from '../checks/engine.js';
import {nodesFromFile} from '../doctor/from-file.js';
import type {InspectOptions} from '../doctor/inspect.js';
import {chooseProgress} from '../doctor/progress.js';
import {ExitCode, WinError} from '../errors.js';
import type {TextOptions} from '../report/text.js';
import {readSnapshot, type Snapshot} from '../snapshot/snapshot.js';
import {type Streams, wantsColour, wantsLiveDisplay} from '../streams.js';
import {renderNode} from './render.js';

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
  const {inspect} = await import('../doctor/inspect.js');
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
async function picked({connection}: ShowOptions, streams: Streams, signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY || !wantsLiveDisplay(streams))
    throw new WinError('inspect takes the name of a Windows node.', {next: ['List them with: kubectl win nodes']});
  const [{connect}, {nodeName, selectNodes}] = await Promise.all([
    import('../cluster/client.js'),
    import('../cluster/nodes.js'),
  ]);
  const client = connect(connection);
  try {
    const nodes = await selectNodes(client, {}, {signal});
    const {pickNode} = await import('../tui/node-picker.js');
    const output = streams.err as NodeJS.WriteStream;
    const choices = nodes.map(node => ({name: nodeName(node), about: aboutNode(node)}));
    const asking = {input: process.stdin, output, colour: wantsColour(output, streams.env), signal};
    return await pickNode({title: 'Which node?', choices}, asking);
  } finally {
    await client.close();
  }
}

function aboutNode({status}: V1Node): string {
  const ready = status?.conditions?.find(({type}) => type === 'Ready')?.status === 'True';
  const address = status?.addresses?.find(({type}) => type === 'InternalIP')?.address;
  return [ready ? 'Ready' : 'NotReady', address, status?.nodeInfo?.osImage].filter(Boolean).join('  ');
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
