import {
  fleetStatus,
  helperObjects,
  type InstallOptions,
  installedFleet,
  installHelpers,
  pruneHelpers,
  uninstallHelpers,
} from '../helper/fleet.js';
import {defaultNamespace} from '../helper/manifests.js';
import {mendSkew, skewText} from '../helper/version-skew.js';
import {connect, type KubeClient} from '../kube/client.js';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {ExitCode} from '../lib/errors.js';
import type {Streams} from '../lib/streams.js';
import {plain} from '../lib/untrusted.js';
import type {InspectOptions} from '../session/inspection.js';
import {type NodeStatus, renderStatus} from '../view/text/boot.js';
import {printDocument} from '../view/text/print.js';
import {table} from '../view/text/table.js';

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

/** Removes the tasks for boots first: without the helper nobody could, and without a task nothing is left behind. */
export async function uninstallFleet(
  options: InspectOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<{output: string; exitCode: ExitCode}> {
  const where = {namespace: options.helperNamespace};
  const installed = await withClient(options.connection, where, (client, namespace) =>
    installedFleet(client, {namespace, signal}),
  );
  const left = installed?.cleanupOnBoot ? await withoutTasks(options, streams, signal) : [];
  if (left.length > 0) {
    const nodes = left.map(({node, error = ''}) => `${node}: ${plain(error)}\n`).join('');
    return {
      output: `The helper stays installed: these nodes still have their task for boots. Uninstall again when they can be reached.\n${nodes}`,
      exitCode: ExitCode.uninspected,
    };
  }
  return withClient(options.connection, where, async (client, namespace) => {
    const removed = await uninstallHelpers(client, {namespace, signal});
    const output = removed
      ? 'The helper is no longer installed.\n'
      : `No helper was installed in namespace ${namespace}.\n`;
    return {output, exitCode: ExitCode.ok};
  });
}

/** The nodes that still have their task, with the reason. */
async function withoutTasks(options: InspectOptions, streams: Streams, signal: AbortSignal) {
  const {removeOnBoot} = await import('./boot/run.js');
  return (await removeOnBoot(options, streams, signal)).filter(({error}) => error !== undefined);
}

/** The objects that `helper install` makes, for those who apply manifests themselves. */
export function fleetManifests(
  {namespace = defaultNamespace, image}: Pick<InstallOptions, 'image'> & {namespace?: string | undefined},
  format: string | undefined,
): string {
  const items = helperObjects({namespace, image});
  return format === 'json'
    ? printDocument({apiVersion: 'v1', kind: 'List', items}, 'json')
    : items.map(item => printDocument(item, 'yaml')).join('---\n');
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

export async function showFleet(
  options: InspectOptions,
  streams: Streams,
  signal: AbortSignal,
  format: string | undefined,
): Promise<string> {
  const status = await withClient(options.connection, {namespace: options.helperNamespace}, (client, namespace) =>
    fleetStatus(client, {namespace, signal}),
  );
  const {installed, runs} = status;
  const boots = installed?.cleanupOnBoot ? await bootsOf(options, streams, signal) : [];
  if (format === 'json' || format === 'yaml') {
    const nodes = boots.map(({node, status: boot, error}) => ({node, ...(boot && {boot}), ...(error && {error})}));
    return printDocument({apiVersion: 'kubectl-win/v1', kind: 'HelperStatus', ...status, nodes}, format);
  }
  const fleet = installed
    ? `Installed: ${installed.ready} of ${installed.desired} ready, ${installed.upToDate ? 'up to date.' : `not up to date.\n${skewText(installed)}\nCommands do not use it, and make pods of their own. ${mendSkew}`}\n`
    : 'Not installed: helper pods are made when a command needs them.\n';
  const rows = runs.flatMap(({run, owner, over, pods}) =>
    pods.map(({node, name, phase}) => [run, over ? 'left behind' : 'at work', node, name, phase, owner]),
  );
  return [
    fleet,
    ...(boots.length > 0 ? [renderStatus(boots)] : []),
    ...(rows.length > 0 ? [table(['RUN', 'STATE', 'NODE', 'POD', 'PHASE', 'OWNER'], rows)] : []),
  ].join('\n');
}

async function bootsOf(options: InspectOptions, streams: Streams, signal: AbortSignal): Promise<readonly NodeStatus[]> {
  const {readOnBoot} = await import('./boot/run.js');
  return readOnBoot(options, streams, signal);
}

async function withClient<Result>(
  flags: ConnectionFlags,
  {namespace = defaultNamespace}: {namespace?: string | undefined},
  body: (client: KubeClient, namespace: string) => Promise<Result>,
): Promise<Result> {
  const client = connect(flags);
  try {
    return await body(client, namespace);
  } finally {
    await client.close();
  }
}
