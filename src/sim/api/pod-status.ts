import {at, listAt, numberAt, textAt} from '../json.js';
import {age} from './age.js';
import type {ApiObject} from './object.js';

const statuses = (pod: ApiObject) => listAt(pod, 'status', 'containerStatuses');

/** The state of a pod in one word: the most important reason, as in `kubectl get pods`. */
export function podStatusText(pod: ApiObject): string {
  let reason = textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase') || 'Unknown';
  const initial = listAt(pod, 'status', 'initContainerStatuses').find(status => !finished(status));
  if (initial) return `Init:${textAt(initial, 'state', 'waiting', 'reason') || '0/1'}`;
  for (const status of [...statuses(pod)].reverse()) {
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    const ended = at(status, 'state', 'terminated');
    if (waiting) reason = waiting;
    else if (ended) reason = textAt(ended, 'reason') || `ExitCode:${numberAt(ended, 'exitCode')}`;
  }
  if (pod.metadata.deletionTimestamp) return textAt(pod, 'status', 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
  return reason;
}

const finished = (status: unknown) => at(status, 'state', 'terminated', 'exitCode') === 0;

export function readyContainers(pod: ApiObject): string {
  const ready = statuses(pod).filter(status => at(status, 'ready') === true).length;
  return `${ready}/${listAt(pod, 'spec', 'containers').length}`;
}

export function restarts(pod: ApiObject): string {
  const counts = statuses(pod).map(status => numberAt(status, 'restartCount'));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const ends = statuses(pod)
    .map(status => textAt(status, 'lastState', 'terminated', 'finishedAt'))
    .filter(Boolean);
  const last = ends.sort().at(-1);
  return total > 0 && last ? `${total} (${age(last)} ago)` : String(total);
}

export function nodeStatus(node: ApiObject): string {
  const ready = listAt(node, 'status', 'conditions').find(condition => textAt(condition, 'type') === 'Ready');
  const word = ready ? (textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return at(node, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word;
}
