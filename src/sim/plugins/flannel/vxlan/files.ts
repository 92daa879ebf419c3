import {host} from '../../../addresses.js';
import {servicesOf} from '../../../cluster/service-table.js';
import type {JsonObject} from '../../../json.js';
import {binary, containerdConfig, file, log, noFile, startKubelet} from '../../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../../plan.js';
import {after, before, klogTime, second} from '../../../time.js';
import {prefixLength} from '../../host.js';
import {leaseFile, leasesOf} from '../../host-local.js';
import {subnetEnvironment} from '../files.js';
import {agentLog, proxyLog} from '../names.js';
import {cniConfig, netConf, networkName, podMtu, port, sourceVip, sourceVipFile, vni} from './names.js';

export function flannelFiles(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const at = (seconds: number) => after(node.bootedAt, seconds * second);
  const conf = cniConfig({
    exceptions: [cluster.serviceNetwork, cluster.podNetwork],
    serviceNetwork: cluster.serviceNetwork,
    providerAddress: node.address,
  });
  return [
    // The lease of the source VIP belongs to no pod.
    sourceVipLease(sourceVip(node), at(195)),
    ...node.pods.map(({address, startedAt, sandbox}) => leaseFile(networkName, address, startedAt, sandbox)),
    containerdConfig(node),
    file('C:\\etc\\cni\\net.d\\10-flannel.conf', at(146), conf),
    binary('C:\\opt\\cni\\bin\\flannel.exe', at(140), random.int(2_000_000, 9_000_000)),
    binary('C:\\opt\\cni\\bin\\host-local.exe', at(140), random.int(3_000_000, 9_000_000)),
    binary('C:\\opt\\cni\\bin\\win-overlay.exe', at(140), random.int(4_000_000, 48_000_000)),
    file('C:\\etc\\kube-flannel\\net-conf.json', at(140), netConf(cluster)),
    subnetEnvironment(cluster, node, podMtu, at(165)),
    sourceVipCache(node, sourceVip(node), at(197)),
    startKubelet(node),
    noFile('C:\\k\\azure-vnet.json'),
    noFile('C:\\etc\\cni\\net.d\\10-antrea.conflist'),
    noFile('C:\\openvswitch\\etc\\openvswitch\\conf.db'),
    noFile('C:\\k\\sourceVip.json'),
  ];
}

export const sourceVipLease = (address: string, written: Date) =>
  file(`${leasesOf(networkName)}\\${address}`, written, 'dummy\r\ndummy');

/** The file in which the start script of kube-proxy saves its reservation. */
export function sourceVipCache(node: NodePlan, address: string, written: Date): JsonObject {
  const result = {
    cniVersion: '0.3.0',
    ips: [{version: '4', address: `${address}/${prefixLength(node.podCIDR)}`, gateway: host(node.podCIDR, 1)}],
    dns: {},
  };
  return file(sourceVipFile, written, JSON.stringify(result, undefined, 4));
}

export function flannelLogs(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const at = (seconds: number) => klogTime(after(node.bootedAt, seconds * second));
  const services = servicesOf(cluster).reduce((sum, {ports}) => sum + ports.length, 0);
  return [
    log(agentLog(cluster), random.int(100_000, 500_000), before(cluster.now, 13 * second), [
      `${at(152)}    3916 main.go:211] CLI flags config: {kubeSubnetMgr:true iface:[${node.address}] netConfPath:/etc/kube-flannel/net-conf.json}`,
      `${at(153)}    3916 vxlan_windows.go:128] VXLAN config: Name=${networkName} MacPrefix=0E-2A VNI=${vni} Port=${port} GBP=false DirectRouting=false`,
      `${at(161)}    3916 device_windows.go:116] Created HostComputeNetwork ${networkName}`,
      `${at(165)}    3916 main.go:476] Running backend.`,
    ]),
    log(proxyLog(cluster), random.int(300_000, 900_000), before(cluster.now, 42 * second), [
      `${at(205)}    4440 proxier.go:718] "Using Kernelspace Proxier."`,
      `${at(205)}    4440 hns.go:110] "Found HNS network" name="${networkName}" networkType="Overlay"`,
      `${at(213)}    4440 proxier.go:1269] "Syncing Policies" serviceCount=${services}`,
    ]),
  ];
}
