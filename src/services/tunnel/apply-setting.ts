import {isConflict} from '../../kube/api-errors.js';
import type {KubeClient} from '../../kube/client.js';
import {WinError} from '../../lib/errors.js';
import type {Streams} from '../../lib/streams.js';
import type {ObjectChange} from '../../model/tunnel-setting.js';
import {renderDiff} from '../../view/text/diff.js';
import type {OtherPlugin} from './others.js';
import {confirm, type Terminal} from './terminal.js';

export interface ApplyOptions {
  readonly dryRun: 'none' | 'client' | 'server';
  readonly yes: boolean;
  readonly terminal?: Terminal | undefined;
}

/** Changes the setting of another plugin: tried on the server first, shown, and asked for. */
export async function applySetting(
  client: KubeClient,
  {translation, unsafe}: OtherPlugin,
  options: ApplyOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<void> {
  const {change, title} = translation;
  if (!change || unsafe !== undefined) {
    throw new WinError(`--apply does not change ${title} here: ${unsafe ?? 'there is no object to change'}.`);
  }
  const {dryRun, yes, terminal} = options;
  if (change.before === change.after) {
    streams.err.write(`${change.object} is as it should be.\n`);
    return;
  }
  if (dryRun !== 'client') await send(client, change, true, signal);
  streams.err.write(`${change.object}\n${renderDiff(change.before, change.after)}`);
  if (dryRun !== 'none') return;
  const agreed = yes || (terminal && (await confirm(terminal, `Change ${change.object}?`, signal)));
  if (!agreed) throw new WinError(`${change.object} was not changed.`);
  await send(client, change, false, signal);
  streams.out.write(`${change.object} changed\n`);
}

async function send(client: KubeClient, change: ObjectChange, dryRun: boolean, signal: AbortSignal): Promise<void> {
  try {
    await client.patch(change.path, change.type, conditional(change), {dryRun, signal});
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw new WinError(`${change.object} was changed while nodes were being looked at; nothing was written.`, {
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
