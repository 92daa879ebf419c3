import {hexAddress, host} from '../../../addresses.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../../plan.js';

export const name = 'flannel';
/** The lowest VNI that Windows accepts, and the only port. */
export const vni = 4096;
export const port = 4789;
export const networkName = `flannel.${vni}`;
/** 1500 minus the VXLAN overhead. */
export const podMtu = 1450;
export const sourceVipFile = 'C:\\sourcevip\\sourceVip.json';

/** The router MAC of the overlay on a node: assigned by HNS on Windows, by the kernel on Linux. */
export const vtepMac = (node: NodePlan) => node.random.for('vtep').mac(node.os === 'windows' ? '00:15:5d' : '5e');
export const sourceVip = (node: NodePlan) => host(node.podCIDR, 2);
export const podAddress = (node: NodePlan, pod: PodPlan) => host(node.podCIDR, 5 + pod.number);
/** win-overlay derives a pod's MAC from its address. */
export const podMac = (address: string) => `0E-2A-${hexAddress(address, '-')}`;
export const endpointName = (pod: PodPlan) => `${pod.sandbox}_${networkName}`;
export const backendData = (mac: string) => JSON.stringify({VNI: vni, VtepMAC: mac});

export const netConf = (cluster: ClusterPlan) => `{
  "Network": "${cluster.podNetwork}",
  "EnableNFTables": false,
  "Backend": {
    "Type": "vxlan",
    "VNI": ${vni},
    "Port": ${port}
  }
}`;

export interface EndpointPolicies {
  exceptions: readonly string[];
  serviceNetwork: string;
  providerAddress: string;
}

/** The CNI configuration for win-overlay: a template in the ConfigMap, completed on the node. */
export function cniConfig({exceptions, serviceNetwork, providerAddress}: EndpointPolicies): string {
  const policy = (type: string, settings: object) => ({
    Name: 'EndpointPolicy',
    Value: {Type: type, Settings: settings},
  });
  return JSON.stringify(
    {
      name: networkName,
      cniVersion: '0.3.0',
      type: 'flannel',
      capabilities: {portMappings: true, dns: true},
      delegate: {
        type: 'win-overlay',
        apiVersion: 2,
        policies: [
          policy('OutBoundNAT', {Exceptions: exceptions}),
          policy('SDNROUTE', {DestinationPrefix: serviceNetwork, NeedEncap: true}),
          policy('ProviderAddress', {ProviderAddress: providerAddress}),
        ],
      },
    },
    undefined,
    2,
  );
}

export const noNetwork = `plugin type="win-overlay" failed (add): error while hcn.GetNetworkByName(${networkName}): Network name "${networkName}" not found`;
