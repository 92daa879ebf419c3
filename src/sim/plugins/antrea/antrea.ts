import {runsAsService, type SimPlugin} from '../plugin.js';
import {antreaObjects} from './cluster.js';
import {agentService, agentSet, hnsNetworkName, name, noAgent, podAddress, uplinkMac, windowsImage} from './names.js';
import {antreaNode} from './node.js';
import {antreaAfterReboot, clusterAfterAntreaReboot} from './reboot.js';
import {addAntreaPod, antreaStart} from './start.js';

export const antrea: SimPlugin = {
  name,
  network: hnsNetworkName,
  agentSet,
  agentServices: [agentService],
  types: [
    {
      group: 'crd.antrea.io',
      version: 'v1beta1',
      kind: 'AntreaAgentInfo',
      plural: 'antreaagentinfos',
      singular: 'antreaagentinfo',
      namespaced: false,
      shortNames: ['aai'],
      custom: true,
    },
  ],
  objects: antreaObjects,
  nodeMarks: (_, node) => ({annotations: {'node.antrea.io/mac-address': uplinkMac(node)}}),
  podAnnotations: () => ({}),
  podAddress: (_, node, pod) => podAddress(node, pod),
  nodeState: antreaNode,
  sandboxFailure: noAgent,
  afterReboot: antreaAfterReboot,
  clusterAfterReboot: clusterAfterAntreaReboot,
  agentStart: antreaStart,
  // It retries OVSDB. If the bridge cannot be prepared, it exits and is restarted.
  agentWaits: true,
  addPod: addAntreaPod,
  images: cluster => (runsAsService(cluster, name) ? [] : [windowsImage(cluster)]),
};
