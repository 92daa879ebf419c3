import type {Footprint, StateFile} from '../../model/footprint.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {noFootprint} from '../shared/footprint-parts.js';

const state = (path: string, holds: StateFile['holds']): StateFile => ({path, holds, removable: true});

export const azureFootprint: Footprint = {
  ...noFootprint,
  customResources: {'acn.azure.com': ['nodenetworkconfigs']},
  images: ['mcr.microsoft.com/containernetworking/azure-cns', 'mcr.microsoft.com/containernetworking/azure-npm'],
  linuxAgents: ['azure-cns', 'azure-npm'],
  // AKS: Azure CNI powered by Cilium, or Calico for policies.
  linuxPartners: ['Cilium', 'Calico'],
  processes: ['azure-cns', 'azure-vnet', 'azure-vnet-telemetry'],
  files: [
    'C:\\k\\azurecni\\netconf\\*',
    'C:\\k\\azurecni\\bin\\*',
    'C:\\k\\kubeclusterconfig.json',
    'C:\\k\\windowsnodereset.log',
    'C:\\k\\hns.pid',
  ],
  stateFiles: [
    ...['C:\\k', 'C:\\Windows\\System32'].flatMap(folder => [
      state(`${folder}\\azure-vnet.json`, 'network'),
      state(`${folder}\\azure-vnet.json.lock`, 'lock'),
      state(`${folder}\\azure-vnet-ipam.json`, 'addresses'),
      state(`${folder}\\azure-vnet-ipam.json.lock`, 'lock'),
    ]),
    state('C:\\k\\azure-vnet-ipamv6.json', 'addresses'),
    state('C:\\k\\azure-vnet-ipamv6.json.lock', 'lock'),
    state('C:\\k\\azurecns\\azure-endpoints.json', 'addresses'),
  ],
  logs: ['C:\\var\\log\\pods\\*azure-cns*\\*\\*.log'],
  knownErrors: [
    {
      pattern: /timed out locking store/i,
      means: 'a lock of Azure CNI is stale: its holder died in a crash or reboot',
      remedy: node => cleanupRemedy(node),
    },
  ],
};
