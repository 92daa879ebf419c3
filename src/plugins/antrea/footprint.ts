import {agentUnreachable, lostOvsDevices} from '../../checks/logs/catalogue.js';
import type {Footprint} from '../../model/footprint.js';
import {noFootprint, ovsFootprint} from '../shared/footprint-parts.js';

export const antreaFootprint: Footprint = {
  ...noFootprint,
  namespaces: {like: /antrea/, usual: []},
  customResources: {'crd.antrea.io': ['antreaagentinfos']},
  images: ['docker.io/antrea/antrea-windows'],
  linuxAgents: ['antrea-agent'],
  // The agent creates these two for its pods (antrea pkg/agent/route/route_windows.go).
  firewallRules: [
    {name: 'Antrea: accept packets from local Pods', direction: 'Inbound'},
    {name: 'Antrea: accept packets to local Pods', direction: 'Outbound'},
  ],
  services: ['antrea-agent', ...ovsFootprint.services],
  processes: ['antrea-agent', ...ovsFootprint.processes],
  files: [
    'C:\\k\\antrea\\bin\\antctl.exe',
    'C:\\k\\antrea\\etc\\antrea-agent.conf',
    'C:\\k\\antrea\\Prepare-AntreaAgent.ps1',
    'C:\\antrea\\conf\\antrea-agent.conf',
    'C:\\k\\StartKubelet.ps1',
    ...ovsFootprint.files,
  ],
  logs: [
    'C:\\var\\log\\antrea\\*.log',
    'C:\\var\\log\\antrea\\openvswitch\\*.log',
    'C:\\antrea\\logs\\antrea-agent*.log',
    'C:\\antrea\\logs\\antrea-agent*.log.INFO.*',
    'C:\\var\\log\\pods\\*antrea*\\*\\*.log',
    ...ovsFootprint.logs,
  ],
  starting: ['antrea'],
  knownErrors: [lostOvsDevices('antrea-gw0'), agentUnreachable('cnisock')],
};
