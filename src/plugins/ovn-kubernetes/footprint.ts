import type {Footprint} from '../../model/footprint.js';
import {internalIp} from '../../snapshot/cluster.js';
import {noFootprint, ovsFootprint} from '../shared/footprint-parts.js';

const masterLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

export const ovnKubernetesFootprint: Footprint = {
  ...noFootprint,
  namespaces: {like: /ovn-kubernetes|windows-machine-config/, usual: ['openshift-ovn-kubernetes']},
  customResources: {'operator.openshift.io': ['networks']},
  // Older OVN versions have their southbound database on the master.
  probes: cluster => {
    const nodes = cluster.all('Node');
    if (!nodes.some(({metadata}) => metadata.annotations.ovn_host_subnet !== undefined)) return [];
    return nodes
      .filter(({metadata}) => masterLabels.some(label => metadata.labels[label] !== undefined))
      .flatMap(node => internalIp(node) ?? [])
      .map(address => `${address}:6642`);
  },
  hostEndpoints: ['VIPEndpoint'],
  services: [
    'hybrid-overlay-node',
    'ovn-kubernetes-node',
    'ovn-k8s',
    'windows-instance-config-daemon',
    'ovn-controller',
    ...ovsFootprint.services,
  ],
  processes: ['hybrid-overlay-node', 'ovnkube', 'k8s_ovn', 'windows-instance-config-daemon', ...ovsFootprint.processes],
  files: ['C:\\k\\kube-proxy.conf', 'C:\\Temp\\hns.psm1', 'C:\\Temp\\network-conf.ps1', ...ovsFootprint.files],
  logs: ['C:\\var\\log\\hybrid-overlay\\*.log', 'C:\\var\\log\\wicd\\*.INFO', ...ovsFootprint.logs],
  starting: ['hybrid[- ]overlay'],
};
