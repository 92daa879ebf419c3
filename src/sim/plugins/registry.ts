import {antrea} from './antrea/antrea.js';
import {flannel} from './flannel/flannel.js';
import {kubeOvn} from './kube-ovn/kube-ovn.js';
import type {SimPlugin} from './plugin.js';

const plugins: readonly SimPlugin[] = [antrea, flannel, kubeOvn];

export const pluginNames = plugins.map(plugin => plugin.name);

export function pluginNamed(name: string): SimPlugin {
  const found = plugins.find(plugin => plugin.name === name);
  if (!found) throw new Error(`There is no simulated network plugin ${name}: there are ${pluginNames.join(', ')}.`);
  return found;
}
