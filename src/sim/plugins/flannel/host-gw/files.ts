import type {JsonObject} from '../../../json.js';
import {binary, containerdConfig, file, log, noFile, startKubelet} from '../../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../../plan.js';
import {after, before, klogTime, second} from '../../../time.js';
import {leaseFile} from '../../host-local.js';
import {nodesOf} from '../../plugin.js';
import {subnetEnvironment} from '../files.js';
import {agentLog} from '../names.js';
import {cniConfig, exceptions, hostAdapterName, hostEndpointName, name, netConf, networkName} from './names.js';

export function hostGwFiles(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const at = (seconds: number) => after(node.bootedAt, seconds * second);
  return [
    ...node.pods.map(({address, startedAt, sandbox}) => leaseFile(networkName, address, startedAt, sandbox)),
    containerdConfig(node),
    file('C:\\etc\\cni\\net.d\\10-flannel.conf', at(191), cniConfig(exceptions(cluster, node), cluster.serviceNetwork)),
    binary('C:\\opt\\cni\\bin\\flannel.exe', at(185), random.int(2_000_000, 9_000_000)),
    binary('C:\\opt\\cni\\bin\\host-local.exe', at(185), random.int(3_000_000, 9_000_000)),
    binary('C:\\opt\\cni\\bin\\win-bridge.exe', at(185), random.int(4_000_000, 48_000_000)),
    file('C:\\etc\\kube-flannel\\net-conf.json', at(185), netConf(cluster)),
    subnetEnvironment(cluster, node, 1500, at(215)),
    noFile('C:\\k\\azure-vnet.json'),
    noFile('C:\\etc\\cni\\net.d\\10-antrea.conflist'),
    noFile('C:\\openvswitch\\etc\\openvswitch\\conf.db'),
    noFile('C:\\sourcevip\\sourceVip.json'),
    startKubelet(node),
  ];
}

export function hostGwLogs(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const at = (seconds: number) => klogTime(after(node.bootedAt, seconds * second));
  const peers = nodesOf(cluster, name).filter(peer => peer !== node);
  return [
    log(agentLog(cluster), node.random.for('log').int(300_000, 500_000), before(cluster.now, 42 * second), [
      `${at(205)}    3320 hostgw_windows.go:181] Found existing HNSNetwork ${networkName}`,
      `${at(211)}    3320 hostgw_windows.go:237] Attached bridge endpoint ${hostEndpointName} to host successfully`,
      `${at(212)}    3320 hostgw_windows.go:261] Enabled forwarding on ${hostAdapterName} index 20`,
      ...peers.map(
        peer => `${at(214)}    3320 route_network_windows.go:118] Subnet added: ${peer.podCIDR} via ${peer.address}`,
      ),
    ]),
  ];
}
