import type {JsonObject} from '../../json.js';
import {binary, containerdConfig, file, log, noFile, startKubelet} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, klogTime, minute, second} from '../../time.js';
import {runsAsService} from '../plugin.js';
import {
  agentKubeconfig,
  agentLog,
  cniConfig,
  home,
  name,
  ovsLogs,
  portName,
  uplinkName,
  version,
  vswitchdLog,
} from './names.js';

const run = 'C:\\openvswitch\\var\\run\\openvswitch';

export function antreaFiles(
  cluster: ClusterPlan,
  node: NodePlan,
  pids: {ovsdb: unknown; vswitchd: unknown},
): JsonObject[] {
  const {random} = node;
  const agentStart = after(node.bootedAt, 192 * second);
  const booted = (seconds: number) => after(node.bootedAt, seconds * second);
  const leases = 'C:\\var\\lib\\cni\\networks\\antrea';
  const last = node.pods.at(-1);
  return [
    containerdConfig(node),
    file('C:\\etc\\cni\\net.d\\10-antrea.conflist', agentStart, cniConfig),
    binary('C:\\opt\\cni\\bin\\antrea.exe', agentStart, random.int(8_000_000, 50_000_000)),
    binary('C:\\opt\\cni\\bin\\host-local.exe', agentStart, random.int(4_000_000, 9_000_000)),
    binary('C:\\k\\antrea\\bin\\antctl.exe', agentStart, random.int(30_000_000, 60_000_000)),
    binary('C:\\openvswitch\\etc\\openvswitch\\conf.db', before(cluster.now, 7 * minute), random.int(40_000, 90_000)),
    file(`${run}\\ovsdb-server.pid`, booted(41), `${pids.ovsdb}\r\n`),
    file(`${run}\\ovs-vswitchd.pid`, booted(44), `${pids.vswitchd}\r\n`),
    ...node.pods.map(pod => file(`${leases}\\${pod.address}`, pod.startedAt, `${pod.sandbox}\r\neth0`)),
    ...(last ? [file(`${leases}\\last_reserved_ip.0`, last.startedAt, last.address)] : []),
    startKubelet(node, ['& C:\\k\\antrea\\Prepare-AntreaAgent.ps1']),
    binary('C:\\k\\antrea\\Prepare-AntreaAgent.ps1', node.joinedAt, 4211),
    ...(runsAsService(cluster, name) ? serviceFiles(node) : []),
    noFile('C:\\k\\azure-vnet.json'),
    noFile('C:\\k\\azure-vnet.json.lock'),
    noFile('C:\\run\\flannel\\subnet.env'),
    noFile('C:\\etc\\kube-flannel\\net-conf.json'),
    noFile('C:\\sourcevip\\sourceVip.json'),
    noFile('C:\\kube-ovn\\etc\\kube-ovn.conf'),
  ];
}

/** Programs, configuration and kubeconfigs of an installation as a Windows service. */
function serviceFiles({joinedAt, random}: NodePlan): JsonObject[] {
  const controller = `${home}\\antrea-agent.antrea.kubeconfig`;
  const conf = [
    'clientConnection:',
    `  kubeconfig: ${agentKubeconfig}`,
    'antreaClientConnection:',
    `  kubeconfig: ${controller}`,
    '',
  ];
  return [
    file(`${home}\\conf\\antrea-agent.conf`, joinedAt, conf.join('\r\n')),
    binary(`${home}\\antrea-service.exe`, joinedAt, random.int(30_000_000, 60_000_000)),
    binary(agentKubeconfig, joinedAt, 5_611),
    binary(controller, joinedAt, 5_702),
  ];
}

export function antreaLogs(cluster: ClusterPlan, node: NodePlan, networkId: unknown): JsonObject[] {
  const {random} = node;
  const at = (seconds: number) => klogTime(after(node.bootedAt, seconds * second));
  const stamp = (seconds: number) => after(node.bootedAt, seconds * second).toISOString();
  const recent = before(cluster.now, 12 * minute);
  const pod = node.pods.at(-1);
  return [
    log(agentLog(cluster), random.int(300_000, 900_000), before(cluster.now, 8 * second), [
      `${at(192)}    4304 agent.go:112] "Starting Antrea agent" version="${version(cluster)}"`,
      `${at(201)}    4304 net_windows.go:146] "Created HNSNetwork" name="antrea-hnsnetwork" id="${networkId}"`,
      `${at(216)}    4304 agent.go:1020] "Setting Node MTU" MTU=1450`,
      `${at(217)}    4304 route_windows.go:326] "Added virtual Service IP route" route="LinkIndex: 21, DestinationSubnet: 169.254.0.253/32"`,
      ...(pod
        ? [`${klogTime(recent)}    4304 server.go:512] "Processed CmdAdd request" container="${pod.sandbox}"`]
        : []),
    ]),
    log(vswitchdLog(cluster), random.int(300_000, 900_000), before(cluster.now, 32 * second), [
      `${stamp(44)}|00001|vlog|INFO|opened log file ${vswitchdLog(cluster).replaceAll('\\', '/')}`,
      `${stamp(44)}|00002|ovs_numa|INFO|Discovered 0 NUMA nodes and 0 CPU cores`,
      `${stamp(44)}|00005|dpif_netlink|INFO|The kernel module does not support meters.`,
      `${stamp(240)}|00031|bridge|INFO|bridge br-int: added interface ${uplinkName(node)} on port 32770`,
      ...(pod
        ? [
            `${pod.startedAt.toISOString()}|00058|bridge|INFO|bridge br-int: added interface ${portName(pod)} on port ${pod.number + 1}`,
          ]
        : []),
    ]),
    log(`${ovsLogs(cluster)}\\ovsdb-server.log`, random.int(1_500, 4_000), before(cluster.now, 50 * second), [
      `${stamp(41)}|00002|ovsdb_server|INFO|ovsdb-server (Open vSwitch) 3.0.5`,
    ]),
  ];
}
