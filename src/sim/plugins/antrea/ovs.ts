import type {JsonObject} from '../../json.js';
import {map, ovsTables, type PortRow, set} from '../../node/ovs.js';
import type {NodePlan, PodPlan} from '../../plan.js';
import {gatewayName, podMac, portName} from './names.js';
import type {AntreaAdapters} from './node.js';

const version = '3.0.5';
/** Antrea requests these port numbers (starting at FirstControllerOFPort); the port of the bridge itself is LOCAL. */
const ports = {tunnel: 32768, gateway: 32769, uplink: 32770, local: 65534};

/** The bridge that carries the pods and the node's address. */
export function antreaOvs(node: NodePlan, {uplink, bridge, gateway, pods}: AntreaAdapters): JsonObject {
  const random = node.random.for('ovs');
  const datapath = `0000${uplink.mac.replaceAll(':', '')}`;
  const podPorts = node.pods.map(
    (pod, number): PortRow => podPort(pod, number + 1, pods.get(pod.name)?.index ?? 0, gateway.mtu),
  );
  const bridgePorts: PortRow[] = [
    {
      name: 'antrea-tun0',
      type: 'geneve',
      mac: random.mac('32'),
      ofport: ports.tunnel,
      requested: ports.tunnel,
      ids: {'antrea-type': 'tunnel'},
      options: {csum: 'true', key: 'flow', local_ip: node.address, remote_ip: 'flow'},
    },
    {
      name: bridge.name,
      type: 'internal',
      mac: bridge.mac,
      ofport: ports.local,
      ifindex: bridge.index,
      mtu: bridge.mtu,
      ids: {'antrea-type': 'host'},
    },
    {
      name: gatewayName,
      type: 'internal',
      mac: gateway.mac,
      ofport: ports.gateway,
      requested: ports.gateway,
      ifindex: gateway.index,
      mtu: gateway.mtu,
      ids: {'antrea-type': 'gateway'},
    },
    {
      name: uplink.name,
      type: '',
      mac: uplink.mac,
      ofport: ports.uplink,
      requested: ports.uplink,
      ifindex: uplink.index,
      mtu: uplink.mtu,
      speed: 10_000_000_000,
      ids: {'antrea-type': 'uplink'},
    },
    ...podPorts,
  ];
  const bridges = [
    {
      name: 'br-int',
      ports: bridgePorts,
      columns: {
        datapath_id: datapath,
        external_ids: map({roundNum: String(random.int(2, 9))}),
        fail_mode: 'secure',
        other_config: map({'datapath-id': datapath, 'disable-in-band': 'true', hwaddr: uplink.mac}),
        protocols: set(['OpenFlow10', 'OpenFlow15']),
      },
    },
  ];
  return {
    Version: version,
    DbPath: 'C:\\openvswitch\\etc\\openvswitch\\conf.db',
    RunDir: 'C:\\openvswitch\\var\\run\\openvswitch',
    Tables: ovsTables(version, {'system-id': random.uuid()}, bridges, random),
  };
}

export const podPort = (pod: PodPlan, ofport: number, ifindex: number, mtu: number): PortRow => ({
  name: portName(pod),
  type: 'internal',
  mac: podMac(pod),
  ofport,
  ifindex,
  mtu,
  ids: {
    'antrea-type': 'container',
    'attached-mac': podMac(pod),
    'container-id': pod.sandbox,
    'ip-address': pod.address,
    'pod-name': pod.name,
    'pod-namespace': pod.namespace,
  },
});
