import {antrea} from './antrea/antrea.js';
import type {SimPlugin} from './plugin.js';

const plugins: readonly SimPlugin[] = [antrea];

export const pluginNames = plugins.map(plugin => plugin.name);

export function pluginNamed(name: string): SimPlugin {
  const found = plugins.find(plugin => plugin.name === name);
  if (!found) throw new Error(`There is no simulated network plugin ${name}: there are ${pluginNames.join(', ')}.`);
  return found;
}
