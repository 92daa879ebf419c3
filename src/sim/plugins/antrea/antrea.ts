import type {SimPlugin} from '../plugin.js';
import {antreaObjects} from './cluster.js';
import {hnsNetworkName, name, podAddress, uplinkMac, windowsImage} from './names.js';
import {antreaNode} from './node.js';
import {antreaAfterReboot, clusterAfterAntreaReboot} from './reboot.js';

export const antrea: SimPlugin = {
  name,
  network: hnsNetworkName,
  agentSet: 'antrea-agent-windows',
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
  sandboxFailure:
    'plugin type="antrea" failed (add): rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing open \\\\.\\pipe\\cnisock: The system cannot find the file specified."',
  afterReboot: antreaAfterReboot,
  clusterAfterReboot: clusterAfterAntreaReboot,
  images: cluster => [windowsImage(cluster)],
};
