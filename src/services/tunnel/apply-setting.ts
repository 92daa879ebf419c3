import {isConflict} from '../../kube/api-errors.js';
import type {KubeClient} from '../../kube/client.js';
import {WinError} from '../../lib/errors.js';
import type {ObjectChange} from '../../model/tunnel-setting.js';
import type {TunnelPorts} from './annotation-ports.js';
import type {OtherPlugin} from './plugin-settings.js';

export interface ApplyOptions {
  readonly dryRun: 'none' | 'client' | 'server';
  readonly yes: boolean;
}

/** Changes the setting of another plugin: server-side dry run first, then show and ask. */
export async function applySetting(
  client: KubeClient,
  {translation, unsafe}: OtherPlugin,
  {dryRun, yes}: ApplyOptions,
  {person, reporter}: TunnelPorts,
  signal: AbortSignal,
): Promise<void> {
  const {change, title} = translation;
  if (!change || unsafe !== undefined) {
    throw new WinError(`--apply cannot change ${title}: ${unsafe ?? 'there is no object to change'}.`);
  }
  if (change.before === change.after) {
    reporter.settingIsRight(change.object);
    return;
  }
  if (dryRun !== 'client') await send(client, change, true, signal);
  reporter.settingDiffers(change);
  if (dryRun !== 'none') return;
  const agreed = yes || (await person?.confirm(`Change ${change.object}?`, signal));
  if (!agreed) throw new WinError(`${change.object} was not changed.`);
  await send(client, change, false, signal);
  reporter.settingChanged(change.object);
}

async function send(client: KubeClient, change: ObjectChange, dryRun: boolean, signal: AbortSignal): Promise<void> {
  try {
    await client.patch(change.path, change.type, conditional(change), {dryRun, signal});
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw new WinError(`${change.object} was changed while nodes were being inspected; nothing was written.`, {
      next: ['Run it again.'],
      cause: error,
    });
  }
}

/** The patch, restricted to the version of the object that was read. */
function conditional({patch, resourceVersion}: ObjectChange): object {
  if (resourceVersion === undefined) return patch;
  if (!Array.isArray(patch)) return {...patch, metadata: {resourceVersion}};
  return [{op: 'test', path: '/metadata/resourceVersion', value: resourceVersion}, ...patch];
}
