import {host, networkOf} from '../../addresses.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';

export const name = 'win-bridge';
export const networkName = 'l2bridge';
export const placeholderName = 'External';
/** The host endpoint, which is the gateway of the pods; start-kubelet.ps1 creates it at every boot. */
export const hostEndpointName = 'cbr0';
export const hostAdapterName = `vEthernet (${hostEndpointName})`;
export const proxyService = 'kube-proxy';
/** Runs the script that adds the routes to other nodes. */
export const routesTask = 'k8s-host-routes';
export const proxyLog = 'C:\\k\\logs\\kubeproxy\\kube-proxy.log';

export const hostAddress = (node: NodePlan) => host(node.podCIDR, 2);
export const podAddress = (node: NodePlan, pod: PodPlan) => host(node.podCIDR, 12 + 3 * pod.number);
export const podMac = (pod: PodPlan) => pod.random.for('mac').mac('00:15:5d');
export const endpointName = (sandbox: string) => `${sandbox}_${networkName}`;

/** Destinations without outbound NAT: pods, Services, nodes. */
export const exceptions = (cluster: ClusterPlan, node: NodePlan) => [
  cluster.podNetwork,
  cluster.serviceNetwork,
  networkOf(node.address, node.prefix),
];

export const noNetwork = `plugin type="win-bridge" failed (add): network "${networkName}" is not found`;
