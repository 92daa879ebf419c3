import type {SimPlugin} from '../plugin.js';
import {olderOvnObjects} from './cluster.js';
import {agentService, name, networkName, notConfigured, podAddress, subnetAnnotation} from './names.js';
import {olderOvnNode} from './node.js';
import {olderOvnAfterReboot} from './reboot.js';
import {addOlderOvnPod, olderOvnStart} from './start.js';

/** OVN-Kubernetes with OVN on the Windows nodes, as it was until July 2020. */
export const olderOvn: SimPlugin = {
  name,
  network: networkName,
  agentServices: [agentService],
  types: [],
  objects: olderOvnObjects,
  nodeMarks: (_, node) => ({spec: {}, annotations: {[subnetAnnotation]: node.podCIDR}}),
  podAnnotations: () => ({}),
  podAddress: (_, node, pod) => podAddress(node, pod),
  nodeState: olderOvnNode,
  sandboxFailure: notConfigured,
  afterReboot: olderOvnAfterReboot,
  agentStart: olderOvnStart,
  addPod: addOlderOvnPod,
  images: () => [],
};
