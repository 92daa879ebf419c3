import {host, networkOf} from '../../../addresses.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../../plan.js';

export const name = 'flannel-host-gw';
export const networkName = 'cbr0';
/** The host endpoint: the gateway of the pods. */
export const hostEndpointName = 'cbr0_ep';
export const hostAdapterName = `vEthernet (${hostEndpointName})`;

export const hostAddress = (node: NodePlan) => host(node.podCIDR, 2);
export const podAddress = (node: NodePlan, pod: PodPlan) => host(node.podCIDR, 3 + pod.number);
export const podMac = (pod: PodPlan) => pod.random.for('mac').mac('00:15:5d');
export const endpointName = (pod: PodPlan) => `${pod.sandbox}_${networkName}`;

export const netConf = (cluster: ClusterPlan) => `{
  "Network": "${cluster.podNetwork}",
  "Backend": {
    "Type": "host-gw"
  }
}`;

/** Destinations without outbound NAT: pods, Services, nodes. */
export const exceptions = (cluster: ClusterPlan, node: NodePlan) => [
  cluster.podNetwork,
  cluster.serviceNetwork,
  networkOf(node.address, node.prefix),
];

/** The CNI configuration for win-bridge: a template in the ConfigMap, completed on the node. */
export function cniConfig(outbound: readonly string[], serviceNetwork: string): string {
  const policy = (value: object) => ({Name: 'EndpointPolicy', Value: value});
  return JSON.stringify(
    {
      name: networkName,
      cniVersion: '0.3.0',
      type: 'flannel',
      capabilities: {dns: true},
      delegate: {
        type: 'win-bridge',
        policies: [
          policy({Type: 'OutBoundNAT', ExceptionList: outbound}),
          policy({Type: 'ROUTE', DestinationPrefix: serviceNetwork, NeedEncap: true}),
        ],
      },
    },
    undefined,
    4,
  );
}

export const noNetwork = `plugin type="win-bridge" failed (add): network "${networkName}" is not found`;
