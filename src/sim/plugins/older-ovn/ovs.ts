import type {JsonObject} from '../../json.js';
import {ovsTables, type PortRow} from '../../node/ovs.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {nodesOf} from '../plugin.js';
import {chassis, name, ovsDatabase, ovsRunFolder, podMac, podMtu, portName} from './names.js';
import type {OlderOvnAdapters} from './node.js';

const version = '2.11.0';
const local = 65534;

/** Two bridges: `br-int` with the pods and tunnels, and one with the uplink and the node's address. */
export function olderOvnTables(cluster: ClusterPlan, node: NodePlan, adapters: OlderOvnAdapters): JsonObject {
  const random = node.random.for('ovs');
  const {uplink, host, bridge, management} = adapters;
  const own = ({name, mac, index, mtu}: OlderOvnAdapters['bridge']): PortRow => ({
    name,
    type: 'internal',
    mac,
    ofport: local,
    ifindex: index,
    mtu,
  });
  const toPods: PortRow = {
    ...own(management),
    ofport: 1,
    interfaceIds: {'iface-id': `k8s-${node.name}`, 'ovn-installed': 'true'},
  };
  const tunnels = tunnelPorts(cluster, node);
  const pods = node.pods.map((pod, number) =>
    podPort(pod, 2 + tunnels.length + number, adapters.pods.get(pod.name)?.index ?? 0),
  );
  const bridges = [
    {
      name: bridge.name,
      ports: [own(bridge), toPods, ...tunnels, ...pods],
      columns: {datapath_id: `0000${random.hex(12)}`, fail_mode: 'secure'},
    },
    {
      name: host.name,
      ports: [
        own(host),
        {
          name: uplink.name,
          type: '' as const,
          mac: uplink.mac,
          ofport: 1,
          ifindex: uplink.index,
          mtu: uplink.mtu,
          speed: 10_000_000_000,
        },
      ],
      columns: {datapath_id: `0000${uplink.mac.replaceAll(':', '')}`},
    },
  ];
  const externalIds = {
    hostname: node.name,
    'k8s-api-server': `http://${cluster.apiServer}:8080`,
    'ovn-bridge-mappings': `physnet:${host.name}`,
    'ovn-encap-ip': node.address,
    'ovn-encap-type': 'geneve',
    'ovn-nb': `tcp:${cluster.apiServer}:6641`,
    'ovn-remote': `tcp:${cluster.apiServer}:6642`,
    'system-id': chassis(node),
  };
  return {
    Version: version,
    DbPath: ovsDatabase,
    RunDir: ovsRunFolder,
    Tables: ovsTables(version, externalIds, bridges, random),
  };
}

/** The tunnels that ovn-controller creates: one to every other chassis. */
function tunnelPorts(cluster: ClusterPlan, node: NodePlan): PortRow[] {
  const random = node.random.for('tunnels');
  return nodesOf(cluster, name)
    .filter(peer => peer !== node)
    .map((peer, number) => ({
      name: `ovn-${chassis(peer).slice(0, 6)}-0`,
      type: 'geneve',
      mac: random.mac('4e'),
      ofport: 2 + number,
      ids: {'ovn-chassis-id': chassis(peer)},
      options: {csum: 'true', key: 'flow', remote_ip: peer.address},
    }));
}

export const podPort = (pod: PodPlan, ofport: number, ifindex: number): PortRow => ({
  name: portName(pod),
  type: 'internal',
  mac: podMac(pod),
  ofport,
  ifindex,
  mtu: podMtu,
  interfaceIds: {attached_mac: podMac(pod), 'iface-id': portName(pod), ip_address: pod.address},
});
