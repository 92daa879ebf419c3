import type {SimPlugin} from '../plugin.js';
import {azureMarks, azureObjects, azureTypes} from './cluster.js';
import {agentSet, image, name, networkGone, networkName, nodeManagerImage, podAddress, proxyService} from './names.js';
import {azureNode} from './node.js';
import {azureAfterReboot} from './reboot.js';
import {addAzurePod, azureProxyStart, azureStart} from './start.js';

/** Azure CNI Overlay on AKS. */
export const azure: SimPlugin = {
  name,
  network: networkName,
  agentSet,
  kubeProxy: {service: proxyService},
  types: azureTypes,
  objects: azureObjects,
  nodeMarks: azureMarks,
  podAnnotations: () => ({}),
  podAddress: (_, node, pod) => podAddress(node, pod),
  nodeState: azureNode,
  sandboxFailure: networkGone,
  afterReboot: azureAfterReboot,
  agentStart: azureStart,
  kubeProxyStart: azureProxyStart,
  addPod: addAzurePod,
  images: cluster => [image(cluster), nodeManagerImage],
};
