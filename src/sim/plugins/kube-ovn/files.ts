import type {JsonObject} from '../../json.js';
import {binary, containerdConfig, file, log, noFile, startKubelet} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, klogTime, minute, second} from '../../time.js';
import {
  chassis,
  controllerLog,
  daemonLog,
  ovsDatabase,
  ovsRunFolder,
  podMac,
  podSubnet,
  prefixOf,
  southbound,
  uplinkName,
} from './names.js';

const cniConfig = JSON.stringify(
  {
    name: 'kube-ovn',
    cniVersion: '0.3.1',
    plugins: [{type: 'kube-ovn', server_socket: '\\\\.\\pipe\\kube-ovn-daemon', capabilities: {dns: true}}],
  },
  undefined,
  4,
);

const settings = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([key, value]) => `${key} = ${value}\r\n`)
    .join('');

export function kubeOvnFiles(cluster: ClusterPlan, node: NodePlan, vswitchd: unknown): JsonObject[] {
  const {random} = node;
  const installed = after(node.joinedAt, 60 * minute);
  return [
    containerdConfig(node),
    file('C:\\etc\\cni\\net.d\\01-kube-ovn.conflist', after(node.bootedAt, 3 * minute), cniConfig),
    binary('C:\\opt\\cni\\bin\\kube-ovn.exe', installed, random.int(30_000_000, 60_000_000)),
    file(
      'C:\\kube-ovn\\etc\\kube-ovn.conf',
      installed,
      settings({
        TUNNEL_TYPE: 'geneve',
        NODE_NAME: node.name,
        KUBE_CONFIG: '/kube-ovn/etc/kube-ovn.kubeconf',
        SVC_CIDR: cluster.serviceNetwork,
        CNI_CONF_DIR: '/etc/cni/net.d',
        CNI_CONF_FILE: '/kube-ovn/01-kube-ovn.conflist',
        CNI_CONF_NAME: '01-kube-ovn.conflist',
        ENABLE_MIRROR: 'false',
      }),
    ),
    file(
      'C:\\ovn\\etc\\ovn-controller.conf',
      installed,
      settings({
        OVN_DB_IPS: southbound(cluster),
        OVN_DB_PORT: '6642',
        TUNNEL_TYPE: 'geneve',
        NODE_NAME: node.name,
        HNS_NETWORK: 'kube-ovn',
      }),
    ),
    file('C:\\ovn\\etc\\system-id.conf', installed, `${chassis(node)}\r\n`),
    binary(ovsDatabase, before(cluster.now, 16 * minute), random.int(50_000, 90_000)),
    file(`${ovsRunFolder}\\ovs-vswitchd.pid`, after(node.bootedAt, 43 * second), `${vswitchd}\r\n`),
    startKubelet(node),
    noFile('C:\\etc\\cni\\net.d\\10-antrea.conflist'),
    noFile('C:\\k\\azure-vnet.json'),
    noFile('C:\\run\\flannel\\subnet.env'),
    noFile('C:\\sourcevip\\sourceVip.json'),
  ];
}

export function kubeOvnLogs(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const at = (seconds: number) => klogTime(after(node.bootedAt, seconds * second));
  const stamp = (seconds: number) => after(node.bootedAt, seconds * second).toISOString();
  const uplink = uplinkName(node);
  const pod = node.pods.at(-1);
  const prefix = prefixOf(podSubnet(cluster));
  const added = pod && [
    `${klogTime(pod.startedAt)}    6120 handler.go:301] create container interface eth0 mac ${podMac(pod)}, ip ${pod.address}/${prefix}`,
  ];
  const claimed = pod && [
    `${pod.startedAt.toISOString()}|00083|binding|INFO|Claiming lport ${pod.name}.${pod.namespace} for this chassis.`,
  ];
  return [
    log(daemonLog, random.int(200_000, 900_000), before(cluster.now, 37 * second), [
      `${at(158)}    6120 config.go:261] Find node tunnel interface name: ${uplink}`,
      `${at(158)}    6120 config.go:280] nic ${uplink} has been bridged to br-provider, use br-provider as the tunnel interface instead`,
      `${at(158)}    6120 config.go:323] use ${node.address} on br-provider as tunnel address`,
      `${at(179)}    6120 ovs_windows.go:288] wait ovn0 gw ready`,
      ...(added ?? []),
    ]),
    log(controllerLog, random.int(200_000, 900_000), before(cluster.now, 50 * second), [
      `${stamp(205)}|00004|reconnect|INFO|tcp:127.0.0.1:6640: connected`,
      `${stamp(205)}|00011|reconnect|INFO|tcp:${southbound(cluster)}:6642: connected`,
      ...(claimed ?? []),
    ]),
  ];
}
