import type {Footprint} from '../../model/footprint.js';
import {noFootprint, ovsFootprint} from '../shared/footprint.js';

export const ovnKubernetesFootprint: Footprint = {
  ...noFootprint,
  namespaces: {like: /ovn-kubernetes|windows-machine-config/, usual: ['openshift-ovn-kubernetes']},
  customResources: {'operator.openshift.io': ['networks']},
  hostEndpoints: ['VIPEndpoint'],
  services: [
    'hybrid-overlay-node',
    'ovn-kubernetes-node',
    'ovn-k8s',
    'windows-instance-config-daemon',
    'ovn-controller',
    ...ovsFootprint.services,
  ],
  processes: ['hybrid-overlay-node', 'windows-instance-config-daemon', ...ovsFootprint.processes],
  files: ['C:\\k\\kube-proxy.conf', 'C:\\Temp\\hns.psm1', 'C:\\Temp\\network-conf.ps1', ...ovsFootprint.files],
  logs: ['C:\\var\\log\\hybrid-overlay\\*.log', 'C:\\var\\log\\wicd\\*.INFO', ...ovsFootprint.logs],
};
