import {host} from '../../addresses.js';
import {servicesOf} from '../../cluster/service-table.js';
import type {JsonObject} from '../../json.js';
import {binary, containerdConfig, file, log, noFile, startKubelet} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, klogTime, minute, second} from '../../time.js';
import {leaseFile} from '../host-local.js';
import {nodesOf} from '../plugin.js';
import {agentLog, configurations, name, networkName, programs, proxyLog, routerMac, vipAddress, vni} from './names.js';

export function hybridFiles(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const installed = after(node.joinedAt, 40 * minute);
  return [
    ...node.pods.map(({address, startedAt, sandbox}) => leaseFile(networkName, address, startedAt, sandbox)),
    containerdConfig(node, programs, configurations),
    file(`${configurations}\\cni.conf`, after(installed, 6 * minute), cniConfig(cluster, node)),
    binary(`${programs}\\win-overlay.exe`, installed, random.int(8_000_000, 48_000_000)),
    binary(`${programs}\\host-local.exe`, installed, random.int(4_000_000, 12_000_000)),
    file('C:\\k\\kube-proxy.conf', after(installed, 6 * minute), proxyConfig(node)),
    startKubelet(node),
    noFile('C:\\k\\azure-vnet.json'),
    noFile('C:\\run\\flannel\\subnet.env'),
    noFile('C:\\sourcevip\\sourceVip.json'),
    noFile('C:\\openvswitch\\etc\\openvswitch\\conf.db'),
  ];
}

function cniConfig(cluster: ClusterPlan, node: NodePlan): string {
  const policy = (type: string, settings: object) => ({name: 'EndpointPolicy', value: {type, settings}});
  return JSON.stringify(
    {
      cniVersion: '0.2.0',
      name: networkName,
      type: 'win-overlay',
      apiVersion: 2,
      capabilities: {portMappings: true, dns: true},
      ipam: {type: 'host-local', subnet: node.podCIDR},
      policies: [
        policy('OutBoundNAT', {exceptionList: [cluster.serviceNetwork, cluster.podNetwork]}),
        policy('SDNRoute', {destinationPrefix: cluster.serviceNetwork, needEncap: true}),
        policy('ProviderAddress', {providerAddress: node.address}),
      ],
    },
    undefined,
    4,
  );
}

const proxyConfig = (node: NodePlan) =>
  [
    'kind: KubeProxyConfiguration',
    'apiVersion: kubeproxy.config.k8s.io/v1alpha1',
    'featureGates:',
    '  WinDSR: true',
    '  WinOverlay: true',
    `hostnameOverride: ${node.name}`,
    'mode: kernelspace',
    'winkernel:',
    `  networkName: ${networkName}`,
    `  sourceVip: ${vipAddress(node)}`,
    '  enableDSR: true',
    '',
  ].join('\n');

/** The agent's log line about its network, once it has a subnet. */
export const creatingLine = (node: NodePlan) =>
  `ho_node_windows.go:283] Creating overlay network '${networkName}' (address prefix ${node.podCIDR}) with gateway address: ${host(node.podCIDR, 1)}`;

export function hybridLogs(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const at = (seconds: number) => klogTime(after(node.bootedAt, seconds * second));
  const services = servicesOf(cluster).reduce((sum, {ports}) => sum + ports.length, 0);
  const peers = nodesOf(cluster, name).filter(peer => peer !== node);
  return [
    log(agentLog, random.int(100_000, 500_000), before(cluster.now, 25 * second), [
      `${at(131)}    3184 node.go:141] Starting Hybrid Overlay Node Controller`,
      `${at(132)}    3184 ${creatingLine(node)}`,
      ...peers.map(
        peer =>
          `${at(140)}    3184 ho_node_windows.go:199] Adding a remote subnet route for CIDR '${peer.podCIDR}' (node: '${peer.name}', remote node address: ${peer.address}, distributed router MAC: ${routerMac(peer)}, VNI: ${vni}).`,
      ),
    ]),
    log(proxyLog, random.int(300_000, 900_000), before(cluster.now, 42 * second), [
      `${at(172)}    4440 hns.go:110] "Found HNS network" name="${networkName}" networkType="Overlay"`,
      `${at(180)}    4440 proxier.go:1269] "Syncing Policies" serviceCount=${services}`,
    ]),
  ];
}
