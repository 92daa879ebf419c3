import {kubeProxyImage, kubeProxySet} from '../../cluster/kube-proxy.js';
import type {SimPlugin} from '../plugin.js';
import {calicoObjects} from './cluster.js';
import {
  agentSet,
  macAnnotation,
  name,
  networkName,
  notInitialised,
  podAddress,
  routerMac,
  tunnelAddress,
  windowsImage,
} from './names.js';
import {calicoNode} from './node.js';
import {calicoAfterReboot} from './reboot.js';
import {calicoTypes} from './resources.js';
import {addCalicoPod, calicoFollows, calicoProxyStart, calicoStart} from './start.js';

/** Calico with VXLAN. */
export const calico: SimPlugin = {
  name,
  network: networkName,
  agentSet,
  kubeProxy: {set: kubeProxySet},
  types: calicoTypes,
  objects: calicoObjects,
  nodeMarks: (_, node) => ({
    annotations: {
      'projectcalico.org/IPv4Address': `${node.address}/${node.prefix}`,
      'projectcalico.org/IPv4VXLANTunnelAddr': tunnelAddress(node),
      // Linux nodes have no such annotation; Felix derives the MAC.
      ...(node.os === 'windows' && {[macAnnotation]: routerMac(node)}),
    },
  }),
  podAnnotations: (_, __, pod) => ({
    'cni.projectcalico.org/podIP': `${pod.address}/32`,
    'cni.projectcalico.org/podIPs': `${pod.address}/32`,
  }),
  podAddress: (_, node, pod) => podAddress(node, pod),
  nodeState: calicoNode,
  sandboxFailure: notInitialised,
  afterReboot: calicoAfterReboot,
  agentStart: calicoStart,
  kubeProxyStart: calicoProxyStart,
  addPod: addCalicoPod,
  followPeer: calicoFollows,
  images: cluster => [windowsImage(cluster), kubeProxyImage(cluster, 'calico')],
};
