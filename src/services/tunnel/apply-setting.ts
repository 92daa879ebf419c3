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

/** Changes the setting of another plugin: tried on the server first, shown, and asked for. */
export async function applySetting(
  client: KubeClient,
  {translation, unsafe}: OtherPlugin,
  {dryRun, yes}: ApplyOptions,
  {person, teller}: TunnelPorts,
  signal: AbortSignal,
): Promise<void> {
  const {change, title} = translation;
  if (!change || unsafe !== undefined) {
    throw new WinError(`--apply does not change ${title} here: ${unsafe ?? 'there is no object to change'}.`);
  }
  if (change.before === change.after) {
    teller.settingIsRight(change.object);
    return;
  }
  if (dryRun !== 'client') await send(client, change, true, signal);
  teller.settingDiffers(change);
  if (dryRun !== 'none') return;
  const agreed = yes || (await person?.confirm(`Change ${change.object}?`, signal));
  if (!agreed) throw new WinError(`${change.object} was not changed.`);
  await send(client, change, false, signal);
  teller.settingChanged(change.object);
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

/** The patch, for the version of the object that it was made for. */
function conditional({patch, resourceVersion}: ObjectChange): object {
  if (resourceVersion === undefined) return patch;
  if (!Array.isArray(patch)) return {...patch, metadata: {resourceVersion}};
  return [{op: 'test', path: '/metadata/resourceVersion', value: resourceVersion}, ...patch];
}
