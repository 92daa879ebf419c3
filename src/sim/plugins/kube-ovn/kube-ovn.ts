import {host} from '../../addresses.js';
import type {ResourceType} from '../../api/resource-types.js';
import type {SimPlugin} from '../plugin.js';
import {kubeOvnObjects} from './cluster.js';
import {
  central,
  chassis,
  hnsNetworkName,
  joinAddress,
  joinMac,
  joinSubnet,
  name,
  noDaemon,
  podAddress,
  podMac,
  podSubnet,
} from './names.js';
import {kubeOvnNode} from './node.js';
import {kubeOvnAfterReboot} from './reboot.js';
import {addKubeOvnPod, kubeOvnStart} from './start.js';

const prefix = 'ovn.kubernetes.io';

const type = (kind: string, plural: string, shortNames?: string[]): ResourceType => ({
  group: 'kubeovn.io',
  version: 'v1',
  kind,
  plural,
  singular: kind.toLowerCase(),
  namespaced: false,
  ...(shortNames && {shortNames}),
  custom: true,
});

/** Kube-OVN up to 1.14, the last version with Windows support. */
export const kubeOvn: SimPlugin = {
  name,
  network: hnsNetworkName,
  agentServices: ['kube-ovn', 'ovn-controller'],
  types: [
    type('Subnet', 'subnets', ['subnet']),
    type('Vpc', 'vpcs', ['vpc']),
    type('ProviderNetwork', 'provider-networks'),
    type('Vlan', 'vlans', ['vlan']),
  ],
  objects: kubeOvnObjects,
  nodeMarks: (cluster, node) => ({
    annotations: {
      [`${prefix}/allocated`]: 'true',
      [`${prefix}/chassis`]: chassis(node),
      [`${prefix}/cidr`]: joinSubnet(cluster),
      [`${prefix}/gateway`]: host(joinSubnet(cluster), 1),
      [`${prefix}/ip_address`]: joinAddress(cluster, node),
      [`${prefix}/logical_switch`]: 'join',
      [`${prefix}/mac_address`]: joinMac(node),
      [`${prefix}/port_name`]: `node-${node.name}`,
    },
    labels: {
      [`${prefix}/ovs_dp_type`]: 'kernel',
      ...(node === central(cluster) && {'kube-ovn/role': 'master'}),
    },
  }),
  podAnnotations: (cluster, _, pod) => ({
    [`${prefix}/allocated`]: 'true',
    [`${prefix}/cidr`]: podSubnet(cluster),
    [`${prefix}/gateway`]: host(podSubnet(cluster), 1),
    [`${prefix}/ip_address`]: pod.address,
    [`${prefix}/logical_switch`]: 'ovn-default',
    [`${prefix}/mac_address`]: podMac(pod),
    [`${prefix}/pod_nic_type`]: 'veth-pair',
    [`${prefix}/routed`]: 'true',
  }),
  podAddress: (cluster, _, pod) => podAddress(cluster, pod),
  nodeState: kubeOvnNode,
  sandboxFailure: noDaemon,
  afterReboot: kubeOvnAfterReboot,
  agentStart: kubeOvnStart,
  addPod: addKubeOvnPod,
  images: () => [],
};
