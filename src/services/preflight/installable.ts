import {WinError} from '../../lib/errors.js';
import {nearestNames} from '../../lib/nearest-names.js';
import type {Check} from '../../model/check.js';
import type {Plugin} from '../../model/plugin.js';
import type {Preflight} from '../../model/plugin-preflight.js';
import {plugins} from '../../plugins/all.js';

/** A plugin whose prerequisites on Windows nodes are known. */
export interface InstallablePlugin extends Pick<Plugin, 'name' | 'title'> {
  readonly plugin: Plugin;
  readonly preflight: Preflight;
}

export async function installablePlugins(): Promise<readonly InstallablePlugin[]> {
  const loaded = await Promise.all(
    plugins.map(async (plugin): Promise<InstallablePlugin | undefined> => {
      const preflight = await plugin.preflight?.();
      return preflight && {name: plugin.name, title: plugin.title, plugin, preflight};
    }),
  );
  return loaded.filter(plugin => plugin !== undefined);
}

/** The prerequisites of the plugin in one of its modes. */
export function prerequisitesOf({name, title, preflight}: InstallablePlugin, mode: string | undefined) {
  return preflight.prerequisites({name, title, guide: preflight.guide}, mode);
}

/** Every prerequisite of every plugin in every mode, once. */
export function allPrerequisites(installable: readonly InstallablePlugin[]): readonly Check[] {
  const all = installable.flatMap(plugin =>
    [undefined, ...plugin.preflight.modes].flatMap(mode => prerequisitesOf(plugin, mode)),
  );
  return [...new Map(all.map(check => [check.id, check])).values()];
}

export function installablePlugin(
  name: string | undefined,
  installable: readonly InstallablePlugin[],
): InstallablePlugin {
  const found = installable.find(plugin => plugin.name === name?.toLowerCase());
  if (found) return found;
  const names = installable.map(plugin => plugin.name);
  const [close] = name === undefined ? [] : nearestNames(name, names);
  throw new WinError(name === undefined ? 'network plugin required.' : `unknown network plugin "${name}".`, {
    next: [...(close ? [`Did you mean "${close}"?`] : []), `Plugins: ${names.join(', ')}.`],
  });
}

/** Validates `--mode`; the error lists the modes of the plugin. */
export function requireMode({title, preflight: {modes}}: InstallablePlugin, mode: string | undefined): void {
  if (mode === undefined || modes.includes(mode)) return;
  throw new WinError(
    modes.length > 0 ? `${title} has no mode "${mode}".` : `--mode does not apply to ${title}: it has no modes.`,
    {next: modes.length > 0 ? [`Modes: ${modes.join(', ')}.`] : []},
  );
}
