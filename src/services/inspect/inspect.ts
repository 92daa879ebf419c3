import {checkedNode, subjectOf} from '../../diagnose/engine.js';
import {ExitCode, WinError} from '../../lib/errors.js';
import {inputName} from '../../lib/read-input.js';
import type {CheckedNode} from '../../model/result.js';
import {withPlannedRemedies} from '../../repair/plan/planned-remedies.js';
import type {InspectOptions} from '../../session/inspection.js';
import {type OpenProgress, withProgress} from '../../session/progress.js';
import {nodesFromFile} from '../../session/snapshot-file.js';
import {readSnapshot, type Snapshot} from '../../snapshot/snapshot.js';
import {topologyOf} from './topology.js';

/** `kubectl win inspect NODE`: one node of the cluster, with the results of its checks. */
export async function inspectNode(
  name: string,
  options: Omit<InspectOptions, 'names'>,
  open: OpenProgress,
  signal: AbortSignal,
): Promise<CheckedNode> {
  const {inspect} = await import('../../session/inspection.js');
  const {document, names, failures} = await withProgress(open, progress =>
    inspect({...options, names: [name]}, progress, signal),
  );
  return checked(readSnapshot(document), names[0] ?? name, failures);
}

/** `kubectl win inspect --from FILE`: the same from a snapshot. The name is optional if the snapshot has a single node. */
export async function inspectNodeOf(file: string, name: string | undefined): Promise<CheckedNode> {
  const {snapshot, names, failures} = await nodesFromFile(file, name === undefined ? [] : [name]);
  const [only = ''] = names;
  if (names.length > 1)
    throw new WinError(`${inputName(file)} has ${names.length} Windows nodes: inspect requires the name of one.`, {
      next: [`It has: ${names.join(', ')}.`],
    });
  return checked(snapshot, only, failures);
}

/** An incomplete drawing is not a success. */
export const inspectExitCode = (checked: CheckedNode): ExitCode =>
  topologyOf(checked).unread.length > 0 ? ExitCode.uninspected : ExitCode.ok;

/** An unread node is an error: an empty drawing would look like a node without a network. */
function checked(snapshot: Snapshot, name: string, failures: ReadonlyMap<string, string>): CheckedNode {
  const failure = failures.get(name);
  if (failure !== undefined && !snapshot.nodes.has(name))
    throw new WinError(`${name} could not be inspected: ${failure}`, {exit: ExitCode.uninspected});
  const checked = checkedNode(subjectOf(snapshot, name, Date.now()));
  return {...checked, results: withPlannedRemedies(checked.subject, checked.results)};
}
