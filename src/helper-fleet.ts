import {connect, type KubeClient} from './cluster/client.js';
import {fleetStatus, installHelpers, pruneHelpers, uninstallHelpers} from './cluster/helper-fleet.js';
import {defaultNamespace} from './cluster/helper-manifests.js';
import type {ConnectionFlags} from './cluster/kubeconfig.js';
import {printDocument} from './report/print.js';
import {table} from './report/table.js';

interface FleetOptions {
  readonly namespace?: string | undefined;
  readonly signal: AbortSignal;
}

export function installFleet(
  flags: ConnectionFlags,
  options: FleetOptions & {image?: string | undefined},
): Promise<string> {
  return withClient(flags, options, async (client, namespace) => {
    await installHelpers(client, {...options, namespace});
    return `The helper is installed on all Windows nodes, from namespace ${namespace}.\n`;
  });
}

export function uninstallFleet(flags: ConnectionFlags, options: FleetOptions): Promise<string> {
  return withClient(flags, options, async (client, namespace) => {
    const removed = await uninstallHelpers(client, {...options, namespace});
    return removed ? 'The helper is no longer installed.\n' : `No helper was installed in namespace ${namespace}.\n`;
  });
}

export function pruneFleet(flags: ConnectionFlags, options: FleetOptions & {all: boolean}): Promise<string> {
  return withClient(flags, options, async (client, namespace) => {
    const gone = await pruneHelpers(client, {...options, namespace});
    if (gone.length === 0) return 'Nothing was left behind.\n';
    return gone
      .map(
        ({run, owner, pods}) =>
          `Removed run ${run} of ${owner}: ${pods.map(({node}) => node).join(', ') || 'scripts only'}\n`,
      )
      .join('');
  });
}

export function showFleet(flags: ConnectionFlags, options: FleetOptions, format: string | undefined): Promise<string> {
  return withClient(flags, options, async (client, namespace) => {
    const status = await fleetStatus(client, {...options, namespace});
    if (format === 'json' || format === 'yaml') {
      return printDocument({apiVersion: 'kubectl-win/v1', kind: 'HelperStatus', ...status}, format);
    }
    const {installed, runs} = status;
    const fleet = installed
      ? `Installed: ${installed.ready} of ${installed.desired} ready, ${installed.upToDate ? 'up to date' : 'another version than this client: run "kubectl win helper install"'}.\n`
      : 'Not installed: helper pods are made when a command needs them.\n';
    if (runs.length === 0) return fleet;
    const rows = runs.flatMap(({run, owner, over, pods}) =>
      pods.map(({node, name, phase}) => [run, over ? 'left behind' : 'at work', node, name, phase, owner]),
    );
    return `${fleet}\n${table(['RUN', 'STATE', 'NODE', 'POD', 'PHASE', 'OWNER'], rows)}`;
  });
}

async function withClient(
  flags: ConnectionFlags,
  {namespace = defaultNamespace}: FleetOptions,
  body: (client: KubeClient, namespace: string) => Promise<string>,
): Promise<string> {
  const client = connect(flags);
  try {
    return await body(client, namespace);
  } finally {
    await client.close();
  }
}
