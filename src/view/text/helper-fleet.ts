import {hasEnded, type Pruned, type RunStatus} from '../../helper/fleet.js';
import {skewRemedy, skewText} from '../../helper/version-skew.js';
import {durationText} from '../../lib/duration.js';
import {plain} from '../../lib/untrusted.js';
import type {FleetOverview, Installed, Uninstalled} from '../../services/helper-fleet.js';
import type {View} from '../view.js';
import {bootStatusTable} from './on-boot.js';
import {printDocument} from './print.js';
import {table} from './table.js';

export const installedView: View<Installed> = {
  text: ({namespace, ready, desired}) =>
    ready < desired
      ? `The helper is installed in namespace ${namespace}, but runs on only ${ready} of ${desired} Windows nodes. To find out why: kubectl get pods -n ${namespace} -o wide\n`
      : `The helper is installed in namespace ${namespace} and runs on all ${desired} Windows nodes.\n`,
};

/** Objects for `kubectl apply`. */
export const manifestsView: View<readonly object[]> = {
  text: items => items.map(item => printDocument(item, 'yaml')).join('---\n'),
  documents: items => items,
  document: items => ({apiVersion: 'v1', kind: 'List', items}),
};

export const uninstalledView: View<Uninstalled> = {
  text: ({namespace, removed, left}) => {
    if (left.length > 0) {
      const nodes = left.map(({node, error = ''}) => `${node}: ${plain(error)}\n`).join('');
      return `The helper stays installed: these nodes still have their boot task. Run uninstall again when they are reachable.\n${nodes}`;
    }
    return removed ? 'The helper was uninstalled.\n' : `No helper is installed in namespace ${namespace}.\n`;
  },
};

export const prunedView: View<Pruned> = {
  text: ({removed, kept}) => {
    const gone = removed.map(({run, owner, pods}) => {
      const what = pods.map(({node}) => node).join(', ') || 'scripts only';
      return `${plain(`Removed run ${run} of ${owner}: ${what}`)}\n`;
    });
    // A run whose pods have ended may still be active: the cluster does not show whether its process is gone.
    const left = kept.map(
      ({run, owner}) => `${plain(`Kept run ${run} of ${owner}: it may still be active. To remove it too: --all`)}\n`,
    );
    return gone.length + left.length === 0 ? 'Nothing to remove.\n' : [...gone, ...left].join('');
  },
};

export const fleetView: View<FleetOverview> = {
  text: (overview, {width}) => {
    const {runs, boots} = overview;
    const rows = runs.flatMap(({run, owner, over, pods}) =>
      pods.length === 0
        ? [[run, over ? 'orphaned' : 'may be active', '-', 'none, scripts only', '-', owner]]
        : pods.map(pod => [run, stateOf(pod, over), pod.node, pod.name, pod.phase, owner]),
    );
    return [
      installedText(overview),
      ...(boots.length > 0 ? [bootStatusTable(boots)] : []),
      ...(rows.length > 0 ? [table(['RUN', 'STATE', 'NODE', 'POD', 'PHASE', 'OWNER'], rows, width)] : []),
    ].join('\n');
  },
  document: ({boots, ...status}) => ({
    apiVersion: 'kubectl-win/v1',
    kind: 'HelperStatus',
    ...status,
    nodes: boots.map(({node, status: boot, error}) => ({node, ...(boot && {boot}), ...(error && {error})})),
  }),
};

function stateOf(pod: RunStatus['pods'][number], over: boolean): string {
  if (over) return 'left behind';
  return hasEnded(pod) ? 'ended' : 'running';
}

function installedText({installed}: FleetOverview): string {
  if (!installed) return 'Not installed: helper pods are created on demand.\n';
  const {ready, desired, upToDate, intervalSeconds} = installed;
  const schedule =
    intervalSeconds > 0
      ? `Each helper reads its node every ${durationText(intervalSeconds)} (see doctor --max-age).\n`
      : '';
  const state = upToDate
    ? 'up to date.'
    : `not up to date.\n${skewText(installed)}\nCommands do not use it and create their own pods. ${skewRemedy}`;
  return `Installed: ${ready} of ${desired} ready, ${state}\n${schedule}`;
}
