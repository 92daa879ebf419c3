import type {SimPlugin} from '../plugin.js';
import {name, networkName, noNetwork, podAddress, proxyService} from './names.js';
import {winBridgeNode} from './node.js';
import {winBridgeAfterReboot, winBridgePodsAfterReboot} from './reboot.js';
import {addWinBridgePod, winBridgeProxyStart} from './start.js';

/** win-bridge alone: no agent and no cluster objects. Scripts create what it needs. */
export const winBridge: SimPlugin = {
  name,
  network: networkName,
  kubeProxy: {service: proxyService},
  types: [],
  objects: () => [],
  nodeMarks: () => ({}),
  podAnnotations: () => ({}),
  podAddress: (_, node, pod) => podAddress(node, pod),
  nodeState: winBridgeNode,
  sandboxFailure: noNetwork,
  afterReboot: winBridgeAfterReboot,
  podsAfterReboot: winBridgePodsAfterReboot,
  kubeProxyStart: winBridgeProxyStart,
  addPod: addWinBridgePod,
  images: () => [],
};
