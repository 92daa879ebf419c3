import {host} from '../../addresses.js';
import {servicesOf} from '../../cluster/service-table.js';
import type {JsonObject} from '../../json.js';
import {binary, containerdConfig, file, log, noFile, startKubelet} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, klogTime, second} from '../../time.js';
import {cniConfig, netConf, networkName, port, sourceVip, vni} from './names.js';

export function flannelFiles(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const at = (seconds: number) => after(node.bootedAt, seconds * second);
  const leases = `C:\\var\\lib\\cni\\networks\\${networkName}`;
  const prefix = node.podCIDR.split('/')[1];
  const vip = {
    cniVersion: '0.3.0',
    ips: [{version: '4', address: `${sourceVip(node)}/${prefix}`, gateway: host(node.podCIDR, 1)}],
    dns: {},
  };
  const conf = cniConfig({
    exceptions: [cluster.serviceNetwork, cluster.podNetwork],
    serviceNetwork: cluster.serviceNetwork,
    providerAddress: node.address,
  });
  const environment = [
    `FLANNEL_NETWORK=${cluster.podNetwork}`,
    `FLANNEL_SUBNET=${host(node.podCIDR, 1)}/${prefix}`,
    'FLANNEL_MTU=1450',
    'FLANNEL_IPMASQ=false',
    '',
  ];
  return [
    // The lease of the source VIP belongs to no pod.
    file(`${leases}\\${sourceVip(node)}`, at(195), 'dummy\r\ndummy'),
    ...node.pods.map(pod => file(`${leases}\\${pod.address}`, pod.startedAt, `${pod.sandbox}\r\neth0`)),
    containerdConfig(node),
    file('C:\\etc\\cni\\net.d\\10-flannel.conf', at(146), conf),
    binary('C:\\opt\\cni\\bin\\flannel.exe', at(140), random.int(2_000_000, 9_000_000)),
    binary('C:\\opt\\cni\\bin\\host-local.exe', at(140), random.int(3_000_000, 9_000_000)),
    binary('C:\\opt\\cni\\bin\\win-overlay.exe', at(140), random.int(4_000_000, 48_000_000)),
    file('C:\\etc\\kube-flannel\\net-conf.json', at(140), netConf(cluster)),
    file('C:\\run\\flannel\\subnet.env', at(165), environment.join('\n')),
    file('C:\\sourcevip\\sourceVip.json', at(197), JSON.stringify(vip, undefined, 4)),
    startKubelet(node),
    noFile('C:\\k\\azure-vnet.json'),
    noFile('C:\\etc\\cni\\net.d\\10-antrea.conflist'),
    noFile('C:\\openvswitch\\etc\\openvswitch\\conf.db'),
    noFile('C:\\k\\sourceVip.json'),
  ];
}

export function flannelLogs(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const at = (seconds: number) => klogTime(after(node.bootedAt, seconds * second));
  const services = servicesOf(cluster).reduce((sum, {ports}) => sum + ports.length, 0);
  return [
    log(
      'C:\\var\\log\\pods\\kube-flannel_kube-flannel-ds-windows-amd64\\kube-flannel\\0.log',
      random.int(100_000, 500_000),
      before(cluster.now, 13 * second),
      [
        `${at(152)}    3916 main.go:211] CLI flags config: {kubeSubnetMgr:true iface:[${node.address}] netConfPath:/etc/kube-flannel/net-conf.json}`,
        `${at(153)}    3916 vxlan_windows.go:128] VXLAN config: Name=${networkName} MacPrefix=0E-2A VNI=${vni} Port=${port} GBP=false DirectRouting=false`,
        `${at(161)}    3916 device_windows.go:116] Created HostComputeNetwork ${networkName}`,
        `${at(165)}    3916 main.go:476] Running backend.`,
      ],
    ),
    log(
      'C:\\var\\log\\pods\\kube-system_kube-proxy-windows\\kube-proxy\\0.log',
      random.int(300_000, 900_000),
      before(cluster.now, 42 * second),
      [
        `${at(205)}    4440 proxier.go:718] "Using Kernelspace Proxier."`,
        `${at(205)}    4440 hns.go:110] "Found HNS network" name="${networkName}" networkType="Overlay"`,
        `${at(213)}    4440 proxier.go:1269] "Syncing Policies" serviceCount=${services}`,
      ],
    ),
  ];
}
