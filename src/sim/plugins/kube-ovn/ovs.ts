import type {JsonObject} from '../../json.js';
import {map, ovsTables, type PortRow} from '../../node/ovs.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {nodesOf} from '../plugin.js';
import {
  chassis,
  gatewayName,
  joinAddress,
  name,
  ovsDatabase,
  ovsRunFolder,
  podMac,
  podMtu,
  portName,
  southbound,
  tunnelAddress,
} from './names.js';
import type {KubeOvnAdapters} from './node.js';

const version = '2.17.2';
const local = 65534;
const vendor = {vendor: 'kube-ovn'};

/** Two bridges: `br-int` with the pods and tunnels, `br-provider` with the uplink and the node's address. */
export function kubeOvnTables(
  cluster: ClusterPlan,
  node: NodePlan,
  adapters: KubeOvnAdapters,
  withTunnels = true,
): JsonObject {
  const random = node.random.for('ovs');
  const {uplink, provider, bridge, gateway} = adapters;
  const own = ({name, mac, index, mtu}: KubeOvnAdapters['bridge']): PortRow => ({
    name,
    type: 'internal',
    mac,
    ofport: local,
    ifindex: index,
    mtu,
  });
  const joined: PortRow = {
    name: gatewayName,
    type: 'internal',
    mac: gateway.mac,
    ofport: 1,
    ifindex: gateway.index,
    mtu: gateway.mtu,
    interfaceIds: {'iface-id': `node-${node.name}`, ip: joinAddress(cluster, node), 'ovn-installed': 'true'},
  };
  const tunnels = withTunnels ? tunnelPorts(cluster, node) : [];
  const pods = node.pods.map((pod, number) =>
    podPort(pod, 2 + tunnels.length + number, adapters.pods.get(pod.name)?.index ?? 0),
  );
  const bridges = [
    {
      name: 'br-int',
      ports: [own(bridge), joined, ...tunnels, ...pods],
      columns: {
        controller: ['uuid', random.uuid()],
        datapath_id: `0000${random.hex(12)}`,
        external_ids: map({'ct-zone-ovn-cluster_dnat': '3', 'ovn-nb-cfg': String(random.int(100, 900))}),
        fail_mode: 'secure',
      },
    },
    {
      name: 'br-provider',
      ports: [
        own(provider),
        {
          name: uplink.name,
          type: '' as const,
          mac: uplink.mac,
          ofport: 1,
          ifindex: uplink.index,
          mtu: uplink.mtu,
          speed: 10_000_000_000,
          ids: vendor,
        },
      ],
      columns: {datapath_id: `0000${uplink.mac.replaceAll(':', '')}`, external_ids: map(vendor)},
    },
  ];
  const externalIds = {
    hostname: node.name,
    'ovn-encap-ip': tunnelAddress(node),
    'ovn-encap-type': 'geneve',
    'ovn-openflow-probe-interval': '180',
    'ovn-remote': `tcp:[${southbound(cluster)}]:6642`,
    'ovn-remote-probe-interval': '10000',
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
export function tunnelPorts(cluster: ClusterPlan, node: NodePlan): PortRow[] {
  const random = node.random.for('tunnels');
  return nodesOf(cluster, name)
    .filter(peer => peer !== node)
    .map((peer, number) => ({
      name: `ovn-${chassis(peer).slice(0, 6)}-0`,
      type: 'geneve',
      mac: random.mac('4e'),
      ofport: 2 + number,
      ids: {'ovn-chassis-id': `${chassis(peer)}@${tunnelAddress(peer)}%${tunnelAddress(node)}`},
      options: {csum: 'true', key: 'flow', local_ip: tunnelAddress(node), remote_ip: tunnelAddress(peer)},
    }));
}

export const podPort = (pod: PodPlan, ofport: number, ifindex: number): PortRow => ({
  name: portName(pod),
  type: 'internal',
  mac: podMac(pod),
  ofport,
  ifindex,
  mtu: podMtu,
  interfaceIds: {
    'iface-id': `${pod.name}.${pod.namespace}`,
    ip: pod.address,
    'ovn-installed': 'true',
    pod_name: pod.name,
    pod_namespace: pod.namespace,
  },
});
