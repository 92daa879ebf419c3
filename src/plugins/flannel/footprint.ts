import {missingAdapter} from '../../checks/logs/catalogue.js';
import type {Footprint} from '../../model/footprint.js';
import {manual} from '../../model/remedies.js';
import {noFootprint} from '../shared/footprint-parts.js';

export const flannelFootprint: Footprint = {
  ...noFootprint,
  namespaces: {like: /flannel/, usual: ['kube-flannel']},
  images: ['docker.io/sigwindowstools/flannel'],
  linuxAgents: ['kube-flannel', 'flannel'],
  // Flannel with Calico policies.
  linuxPartners: ['Canal'],
  // Its CNI program generates the host-local configuration.
  ipam: 'host-local',
  hostEndpoints: ['cbr0_ep'],
  services: ['flanneld'],
  processes: ['flanneld'],
  files: ['C:\\etc\\kube-flannel\\net-conf.json', 'C:\\var\\lib\\rancher\\rke2\\agent\\flanneld-net-conf.json*'],
  stateFiles: [{path: 'C:\\run\\flannel\\subnet.env', holds: 'network', removable: false}],
  logs: ['C:\\var\\log\\pods\\*flannel*\\*\\*.log'],
  starting: ['flannel'],
  knownErrors: [
    {
      pattern: /could not find valid interface matching/i,
      means: 'flanneld finds no adapter with its configured address: the node address changed or was lost',
      remedy: () =>
        manual('Get-NetIPAddress -AddressFamily IPv4', 'Restart flanneld once the node has its address back.'),
      ...missingAdapter,
    },
    {
      pattern: /VNI is \d+ but it is required to be greater than or equal to 4096/i,
      means: 'another node announces a VNI that Windows does not support, so this node ignores that node',
      remedy: () =>
        manual('Set VNI 4096 and Port 4789 in net-conf.json for all nodes, and restart flannel everywhere.'),
    },
  ],
};
