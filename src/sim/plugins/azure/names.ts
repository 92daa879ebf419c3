import {host, networkOf} from '../../addresses.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {setting} from '../plugin.js';

export const name = 'azure';
export const networkName = 'azure';
/** A placeholder network that the node setup creates to keep the switch. */
export const placeholderName = 'ext';
export const agentSet = 'azure-cns-win';
export const proxyService = 'kubeproxy';
export const resetTask = 'k8s-restart-job';
/** Azure's DNS server and health probe. */
export const wireServer = '168.63.129.16';

export const stateFile = 'C:\\k\\azure-vnet.json';
export const lockFile = `${stateFile}.lock`;
export const endpointsFile = 'C:\\k\\azurecns\\azure-endpoints.json';
export const cniLog = 'C:\\k\\azure-vnet.log';
export const proxyLog = 'C:\\k\\kubeproxy.log';

export const version = (cluster: ClusterPlan) => setting(cluster, name, 'version', 'v1.6.18');
export const image = (cluster: ClusterPlan) => `mcr.microsoft.com/containernetworking/azure-cns:${version(cluster)}`;
export const nodeManagerImage = 'mcr.microsoft.com/oss/kubernetes/azure-cloud-node-manager:v1.30.4';
export const uplinkMac = (node: NodePlan) => node.random.for('uplink').mac('00:0d:3a');
export const uplinkDescription = 'Microsoft Hyper-V Network Adapter';
/** All nodes share one overlay; each node has a part of it. */
export const gateway = (cluster: ClusterPlan) => host(cluster.podNetwork, 1);
export const podAddress = (node: NodePlan, pod: PodPlan) => host(node.podCIDR, 17 + 5 * pod.number);
export const podMac = (pod: PodPlan) => pod.random.for('mac').mac('00:15:5d');
export const endpointName = (pod: PodPlan) => `${pod.sandbox.slice(0, 8)}-eth0`;

export const exceptions = (cluster: ClusterPlan, node: NodePlan) => [
  cluster.podNetwork,
  cluster.serviceNetwork,
  networkOf(node.address, node.prefix),
];

export const networkGone =
  'plugin type="azure-vnet" failed (add): Failed to create endpoint due to error: hcnOpenNetwork failed in Win32: The network was not found. (0x803b0001)';
