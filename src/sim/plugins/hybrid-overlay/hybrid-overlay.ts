import type {SimPlugin} from '../plugin.js';
import {hybridMarks, hybridObjects} from './cluster.js';
import {agentService, name, networkName, noNetwork, podAddress, proxyService} from './names.js';
import {hybridNode} from './node.js';
import {hybridAfterReboot} from './reboot.js';
import {addHybridPod, hybridFollows, hybridProxyStart, hybridStart} from './start.js';

/** OVN-Kubernetes with the hybrid overlay for Windows nodes, installed without an operator. */
export const hybridOverlay: SimPlugin = {
  name,
  network: networkName,
  agentServices: [agentService],
  kubeProxy: {service: proxyService},
  types: [],
  objects: hybridObjects,
  nodeMarks: (_, node) => hybridMarks(node),
  podAnnotations: () => ({}),
  podAddress: (_, node, pod) => podAddress(node, pod),
  nodeState: hybridNode,
  sandboxFailure: noNetwork,
  afterReboot: hybridAfterReboot,
  agentStart: hybridStart,
  kubeProxyStart: hybridProxyStart,
  addPod: addHybridPod,
  followPeer: hybridFollows,
  images: () => [],
};
