import type {SimPlugin} from '../plugin.js';
import {flannelObjects} from './cluster.js';
import {name, networkName, podAddress, vni, vtepMac, windowsImage} from './names.js';
import {flannelNode} from './node.js';

const prefix = 'flannel.alpha.coreos.com';

/** Flannel with the vxlan backend. */
export const flannel: SimPlugin = {
  name,
  network: networkName,
  agentSet: 'kube-flannel-ds-windows-amd64',
  types: [],
  objects: flannelObjects,
  nodeMarks: (_, node) => ({
    annotations: {
      [`${prefix}/backend-data`]: JSON.stringify({VNI: vni, VtepMAC: vtepMac(node)}),
      [`${prefix}/backend-type`]: 'vxlan',
      [`${prefix}/kube-subnet-manager`]: 'true',
      [`${prefix}/public-ip`]: node.address,
    },
  }),
  podAnnotations: () => ({}),
  podAddress: (_, node, pod) => podAddress(node, pod),
  nodeState: flannelNode,
  sandboxFailure: `plugin type="win-overlay" failed (add): error while hcn.GetNetworkByName(${networkName}): Network name "${networkName}" not found`,
  images: cluster => [windowsImage(cluster), `sigwindowstools/kube-proxy:${cluster.version}-flannel-hostprocess`],
};
