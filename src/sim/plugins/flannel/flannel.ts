import {kubeProxyImage, kubeProxySet} from '../../cluster/kube-proxy.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {runsAsService, type SimPlugin} from '../plugin.js';
import {flannelObjects} from './cluster.js';
import * as hostGw from './host-gw/names.js';
import {hostGwNode} from './host-gw/node.js';
import {hostGwAfterReboot, hostGwPodsAfterReboot} from './host-gw/reboot.js';
import {addHostGwPod, hostGwProxyStart, hostGwStart} from './host-gw/start.js';
import {agentService, agentSet, annotationPrefix, proxyService, windowsImage} from './names.js';
import {flannelProxyStart} from './vxlan/kube-proxy.js';
import * as vxlan from './vxlan/names.js';
import {flannelNode} from './vxlan/node.js';
import {flannelAfterReboot} from './vxlan/reboot.js';
import {addFlannelPod, flannelFollows, flannelStart} from './vxlan/start.js';

const marks = (node: NodePlan, type: string, data: string) => ({
  annotations: {
    [`${annotationPrefix}/backend-data`]: data,
    [`${annotationPrefix}/backend-type`]: type,
    [`${annotationPrefix}/kube-subnet-manager`]: 'true',
    [`${annotationPrefix}/public-ip`]: node.address,
  },
});

const images = (cluster: ClusterPlan, plugin: string) =>
  runsAsService(cluster, plugin) ? [] : [windowsImage(cluster, plugin), kubeProxyImage(cluster, 'flannel')];

/** Flannel with the vxlan backend. */
export const flannel: SimPlugin = {
  name: vxlan.name,
  network: vxlan.networkName,
  agentSet,
  agentServices: [agentService],
  kubeProxy: {set: kubeProxySet, service: proxyService},
  types: [],
  objects: cluster =>
    flannelObjects(cluster, {
      plugin: vxlan.name,
      network: vxlan.networkName,
      netConf: vxlan.netConf,
      cniTemplate: vxlan.cniConfig({exceptions: [], serviceNetwork: '', providerAddress: ''}),
    }),
  nodeMarks: (_, node) => marks(node, 'vxlan', vxlan.backendData(vxlan.vtepMac(node))),
  podAnnotations: () => ({}),
  podAddress: (_, node, pod) => vxlan.podAddress(node, pod),
  nodeState: flannelNode,
  sandboxFailure: vxlan.noNetwork,
  afterReboot: flannelAfterReboot,
  agentStart: flannelStart,
  kubeProxyStart: flannelProxyStart,
  addPod: addFlannelPod,
  followPeer: flannelFollows,
  images: cluster => images(cluster, vxlan.name),
};

/** Flannel with the host-gw backend. */
export const flannelHostGw: SimPlugin = {
  name: hostGw.name,
  network: hostGw.networkName,
  agentSet,
  kubeProxy: {set: kubeProxySet},
  types: [],
  objects: cluster =>
    flannelObjects(cluster, {
      plugin: hostGw.name,
      network: hostGw.networkName,
      netConf: hostGw.netConf,
      cniTemplate: hostGw.cniConfig([], ''),
    }),
  // This backend has no data, which Go encodes as null (flannel hostgw_windows.go).
  nodeMarks: (_, node) => marks(node, 'host-gw', 'null'),
  podAnnotations: () => ({}),
  podAddress: (_, node, pod) => hostGw.podAddress(node, pod),
  nodeState: hostGwNode,
  sandboxFailure: hostGw.noNetwork,
  afterReboot: hostGwAfterReboot,
  podsAfterReboot: hostGwPodsAfterReboot,
  agentStart: hostGwStart,
  kubeProxyStart: hostGwProxyStart,
  addPod: addHostGwPod,
  images: cluster => images(cluster, hostGw.name),
};
