import type {Footprint} from '../../model/footprint.js';

/** Defaults for what a plugin does not have. */
export const noFootprint: Footprint = {
  namespaces: {like: undefined, usual: []},
  customResources: {},
  images: [],
  linuxAgents: [],
  linuxPartners: [],
  derivedMac: undefined,
  probes: () => [],
  ipam: undefined,
  hostEndpoints: [],
  firewallRules: [],
  services: [],
  processes: [],
  files: [],
  stateFiles: [],
  logs: [],
  starting: [],
  registry: [],
  knownErrors: [],
};

/** Open vSwitch, for the plugins that run on it. */
export const ovsFootprint = {
  services: ['ovsdb-server', 'ovs-vswitchd', 'ovsext'],
  processes: ['ovsdb-server', 'ovs-vswitchd'],
  files: ['C:\\openvswitch\\etc\\openvswitch\\conf.db', 'C:\\openvswitch\\var\\run\\openvswitch\\*.pid'],
  logs: ['C:\\openvswitch\\var\\log\\openvswitch\\*.log'],
} as const;
