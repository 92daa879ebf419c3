import {HostNetwork, type SimulatedAdapter} from '../node/host-network.js';
import type {NodePlan} from '../plan.js';

/** Plugins that use HNS have the node's address on the vNIC that Windows creates, with its default name. */
export const hostUplinkName = (node: NodePlan) => node.adapter ?? 'Ethernet';
export const managementName = (node: NodePlan) => `vEthernet (${hostUplinkName(node)})`;
export const hostUplinkMac = (node: NodePlan) => node.random.for('uplink').mac('00:50:56');
export const hostUplinkDescription = 'vmxnet3 Ethernet Adapter';
export const prefixLength = (subnet: string) => Number(subnet.split('/')[1]);

/** Allows inbound VXLAN. */
export const overlayRule = {
  DisplayName: 'Overlay Traffic 4789 UDP',
  Enabled: true,
  Direction: 'Inbound',
  Action: 'Allow',
  Protocol: 'UDP',
  LocalPort: '4789',
  Name: 'OverlayTraffic4789UDP',
};

export interface SimulatedUplink {
  mac: string;
  description: string;
  /** Interface index of the vNIC. */
  index: number;
  nameServers: readonly string[];
}

/** A host whose adapter is under a switch: the vNIC has the address, default route and DNS servers. */
export function switchedHost(
  node: NodePlan,
  {forwarding = false, ...given}: Partial<SimulatedUplink> & {forwarding?: boolean} = {},
): {network: HostNetwork; management: SimulatedAdapter} {
  const usual = {
    mac: hostUplinkMac(node),
    description: hostUplinkDescription,
    index: 16,
    nameServers: [node.nameServer],
  };
  const {mac, description, index, nameServers} = {...usual, ...given};
  const {dhcp} = node;
  const network = new HostNetwork(node.random.for('network'));
  network.physical({name: hostUplinkName(node), description, index: 6, mac, mtu: 1500, dhcp}, true);
  const management = network.adapter({
    name: managementName(node),
    description: 'Hyper-V Virtual Ethernet Adapter',
    index,
    mac,
    mtu: 1500,
    dhcp,
    forwarding,
  });
  network.defaultRoute(management, node.gateway, !dhcp);
  network.address(management, node.address, node.prefix, dhcp ? 'Dhcp' : 'Manual');
  network.dns(management, nameServers);
  return {network, management};
}

export function addPodAdapters(
  network: HostNetwork,
  endpoints: readonly {readonly [column: string]: unknown}[],
  mtu: number,
): void {
  for (const [number, {Name, MacAddress}] of endpoints.entries()) {
    const mac = String(MacAddress).replaceAll('-', ':').toLowerCase();
    network.adapter({
      name: `vEthernet (${Name})`,
      description: '',
      index: 44 + number,
      mac,
      mtu,
      elsewhere: true,
    });
  }
}
