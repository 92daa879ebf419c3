import {WinError} from '../../lib/errors.js';
import {antrea} from './antrea/antrea.js';
import {azure} from './azure/azure.js';
import {calico} from './calico/calico.js';
import {flannel, flannelHostGw} from './flannel/flannel.js';
import {hybridOverlay} from './hybrid-overlay/hybrid-overlay.js';
import {kubeOvn} from './kube-ovn/kube-ovn.js';
import {olderOvn} from './older-ovn/older-ovn.js';
import type {SimPlugin} from './plugin.js';
import {winBridge} from './win-bridge/win-bridge.js';

const plugins: readonly SimPlugin[] = [
  antrea,
  azure,
  calico,
  flannel,
  flannelHostGw,
  hybridOverlay,
  kubeOvn,
  olderOvn,
  winBridge,
];

export function pluginNamed(name: string): SimPlugin {
  const found = plugins.find(plugin => plugin.name === name);
  if (!found) {
    const names = plugins.map(plugin => plugin.name);
    throw new WinError(`Unknown simulated network plugin "${name}".`, {
      next: [`Choose one of: ${names.join(', ')}.`],
    });
  }
  return found;
}
