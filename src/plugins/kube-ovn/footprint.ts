import {agentUnreachable, lostOvsDevices, missingAdapter} from '../../checks/logs/catalogue.js';
import type {Footprint} from '../../model/footprint.js';
import {manual} from '../../model/remedies.js';
import {internalIp} from '../../snapshot/cluster.js';
import {noFootprint, ovsFootprint} from '../shared/footprint-parts.js';

export const kubeOvnFootprint: Footprint = {
  ...noFootprint,
  namespaces: {like: /kube-ovn/, usual: []},
  customResources: {'kubeovn.io': ['subnets', 'vpcs', 'provider-networks', 'vlans']},
  linuxAgents: ['kube-ovn-cni', 'ovs-ovn', 'kube-ovn-pinger'],
  // ovn-central, with the southbound database, runs on the nodes with this label (charts/kube-ovn).
  probes: cluster =>
    cluster
      .all('Node')
      .filter(({metadata}) => metadata.labels['kube-ovn/role'] === 'master')
      .flatMap(node => internalIp(node) ?? [])
      .map(address => `${address}:6642`),
  services: ['kube-ovn', 'ovn-controller', ...ovsFootprint.services],
  processes: ['kube-ovn-daemon', 'ovn-controller', ...ovsFootprint.processes],
  files: [
    'C:\\kube-ovn\\etc\\kube-ovn.conf',
    'C:\\ovn\\etc\\ovn-controller.conf',
    'C:\\ovn\\etc\\system-id.conf',
    ...ovsFootprint.files,
  ],
  logs: ['C:\\kube-ovn\\log\\*.log', 'C:\\ovn\\var\\log\\*.log', ...ovsFootprint.logs],
  starting: ['kube-ovn'],
  knownErrors: [
    lostOvsDevices('br-provider', 'ovn0'),
    agentUnreachable('kube-ovn-daemon'),
    {
      pattern: /iface \S+ has no valid IP address/i,
      means: 'the tunnel interface of Kube-OVN has no usable address',
      remedy: () =>
        manual(
          'Get-NetIPAddress -AddressFamily IPv4',
          'Select an adapter that has an address: kubectl win annotate-tunnel NODE',
        ),
      ...missingAdapter,
    },
  ],
};
