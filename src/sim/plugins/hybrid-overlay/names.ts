import {hexAddress, host} from '../../addresses.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {setting} from '../plugin.js';

export const name = 'hybrid-overlay';
export const namespace = 'ovn-kubernetes';
export const networkName = 'OVNKubernetesHybridOverlayNetwork';
/** Persistent on purpose: it keeps the switch, and with it the node's address. */
export const baseName = `Base${networkName}`;
/** types.HybridOverlayVNI of ovn-kubernetes; the base network uses the next one. */
export const vni = 4097;
export const hostEndpointName = 'VIPEndpoint';
export const hostAdapterName = `vEthernet (${hostEndpointName})`;
export const agentService = 'hybrid-overlay-node';
export const proxyService = 'kube-proxy';
export const agentLog = 'C:\\var\\log\\hybrid-overlay\\hybrid-overlay.log';
export const proxyLog = 'C:\\var\\log\\kube-proxy\\kube-proxy.log';
export const programs = 'C:\\k\\cni';
export const configurations = 'C:\\k\\cni\\config';
/** 1500 minus the VXLAN overhead. */
export const podMtu = 1450;

const prefix = 'k8s.ovn.org';
export const subnetAnnotation = `${prefix}/hybrid-overlay-node-subnet`;
export const macAnnotation = `${prefix}/hybrid-overlay-distributed-router-gateway-mac`;
export const addressAnnotation = `${prefix}/hybrid-overlay-distributed-router-gateway-ip`;
export const ovnSubnets = `${prefix}/node-subnets`;
export const chassisAnnotation = `${prefix}/node-chassis-id`;

export const image = (cluster: ClusterPlan) =>
  `ghcr.io/ovn-kubernetes/ovn-kubernetes/ovn-kube-ubuntu:${setting(cluster, name, 'version', 'v1.1.0')}`;
/** The range of the Windows nodes' subnets, separate from that of OVN. */
export const hybridRange = (cluster: ClusterPlan) => setting(cluster, name, 'range', '10.132.0.0/16');

/** Assigned by HNS on Windows; on Linux derived from the router address (ovn-kubernetes util.IPAddrToHWAddr). */
export const routerMac = (node: NodePlan) =>
  node.os === 'windows' ? node.random.for('router').mac('00:15:5d') : `0a:58:${hexAddress(routerAddress(node), ':')}`;
export const routerAddress = (node: NodePlan) => host(node.podCIDR, 3);
export const vipAddress = (node: NodePlan) => host(node.podCIDR, 2);
export const podAddress = (node: NodePlan, pod: PodPlan) => host(node.podCIDR, 4 + pod.number);
/** win-overlay derives a pod's MAC from its address. */
export const podMac = (address: string) => `0E-2A-${hexAddress(address, '-')}`;
export const endpointName = (pod: PodPlan) => `${pod.sandbox}_${networkName}`;

export const noNetwork = `plugin type="win-overlay" failed (add): error while hcn.GetNetworkByName(${networkName}): Network name "${networkName}" not found`;
