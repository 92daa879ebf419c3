import {defaultNamespace} from '../helper/default-namespace.js';
import {
  type FleetStatus,
  fleetStatus,
  helperObjects,
  installedFleet,
  installHelpers,
  type Pruned,
  pruneHelpers,
  uninstallHelpers,
} from '../helper/fleet.js';
import {type FleetStart, type FleetStartOptions, waitForFleet} from '../helper/fleet-start.js';
import {connect, type KubeClient} from '../kube/client.js';
import type {ConnectionFlags} from '../kube/kubeconfig.js';
import {ExitCode} from '../lib/errors.js';
import {requireInstallAccess, requirePruneAccess, requireUninstallAccess} from '../session/access.js';
import type {InspectOptions} from '../session/inspection.js';
import type {OpenProgress} from '../session/progress.js';
import type {NodeBootStatus} from './boot/boot-tasks.js';

interface FleetOptions {
  readonly namespace?: string | undefined;
  readonly signal: AbortSignal;
}

/** The user's options for an installation. */
interface InstallChoice {
  readonly image?: string | undefined;
  readonly intervalSeconds?: number | undefined;
}

export interface Installed extends FleetStart {
  readonly namespace: string;
}

/** Installs the helper on all Windows nodes, and waits until it runs. */
export function installFleet(
  flags: ConnectionFlags,
  {
    timeoutMs,
    onProgress,
    ...options
  }: FleetOptions & InstallChoice & Pick<FleetStartOptions, 'timeoutMs' | 'onProgress'>,
): Promise<Installed> {
  return withClient(flags, options, async (client, namespace) => {
    await requireInstallAccess(client, namespace, options);
    await installHelpers(client, {...options, namespace});
    return {namespace, ...(await waitForFleet(client, {namespace, timeoutMs, onProgress, signal: options.signal}))};
  });
}

export const installExitCode = ({ready, desired}: Installed): ExitCode =>
  ready < desired ? ExitCode.uninspected : ExitCode.ok;

/** The objects that `helper install` creates, for users who apply manifests themselves. */
export const fleetManifests = ({
  namespace = defaultNamespace,
  ...choice
}: Pick<FleetOptions, 'namespace'> & InstallChoice): object[] => helperObjects({namespace, ...choice});

export interface Uninstalled {
  readonly namespace: string;
  /** False: nothing was installed, or a boot task could not be removed. */
  readonly removed: boolean;
  /** Nodes whose boot task could not be removed, with the reason. The helper stays, so that this can be retried. */
  readonly left: readonly NodeBootStatus[];
}

/** Removes the boot tasks first, because only the helper can remove them. */
export async function uninstallFleet(
  options: InspectOptions,
  open: OpenProgress,
  signal: AbortSignal,
): Promise<Uninstalled> {
  const where = {namespace: options.helperNamespace};
  const installed = await withClient(options.connection, where, (client, namespace) =>
    installedFleet(client, {namespace, signal}),
  );
  const left = installed?.cleanupOnBoot ? await withoutTasks(options, open, signal) : [];
  return withClient(options.connection, where, async (client, namespace) => {
    await requireUninstallAccess(client, namespace, {signal});
    const removed = left.length === 0 && (await uninstallHelpers(client, {namespace, signal}));
    return {namespace, removed, left};
  });
}

export const uninstallExitCode = ({left}: Uninstalled): ExitCode =>
  left.length > 0 ? ExitCode.uninspected : ExitCode.ok;

/** Removes the boot tasks. Returns the nodes where that failed, with the reason. */
async function withoutTasks(options: InspectOptions, open: OpenProgress, signal: AbortSignal) {
  const {removeBootTasks} = await import('./boot/boot-tasks.js');
  return (await removeBootTasks(options, open, signal)).filter(({error}) => error !== undefined);
}

/** Removes what crashes left behind. */
export function pruneFleet(flags: ConnectionFlags, options: FleetOptions & {all: boolean}): Promise<Pruned> {
  return withClient(flags, options, async (client, namespace) => {
    await requirePruneAccess(client, namespace, options);
    return pruneHelpers(client, {...options, namespace});
  });
}

export interface FleetOverview extends FleetStatus {
  /** The state of the boot task on each node. */
  readonly boots: readonly NodeBootStatus[];
}

export async function fleetOverview(
  options: InspectOptions,
  open: OpenProgress,
  signal: AbortSignal,
): Promise<FleetOverview> {
  const status = await withClient(options.connection, {namespace: options.helperNamespace}, (client, namespace) =>
    fleetStatus(client, {namespace, signal}),
  );
  if (!status.installed?.cleanupOnBoot) return {...status, boots: []};
  const {readBootTasks} = await import('./boot/boot-tasks.js');
  return {...status, boots: await readBootTasks(options, open, signal)};
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
