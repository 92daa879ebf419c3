import type {SimPlugin} from '../plugin.js';
import {name, networkName, noNetwork, podAddress, proxyService} from './names.js';
import {winBridgeNode} from './node.js';
import {winBridgeAfterReboot, winBridgePodsAfterReboot} from './reboot.js';
import {addWinBridgePod, winBridgeProxyStart} from './start.js';

/** win-bridge by itself: no agent, nothing of it in the cluster. What it needs, scripts make. */
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
