import {servicesOf} from '../../cluster/service-table.js';
import type {JsonObject} from '../../json.js';
import {binary, containerdConfig, file, log, noFile, startKubelet} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, klogTime, minute, second} from '../../time.js';
import {leaseFile} from '../host-local.js';
import {exceptions, hostAddress, networkName, proxyLog} from './names.js';

export function winBridgeFiles(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const installed = after(node.joinedAt, 54 * minute);
  return [
    ...node.pods.map(({address, startedAt, sandbox}) => leaseFile(networkName, address, startedAt, sandbox)),
    containerdConfig(node),
    file('C:\\etc\\cni\\net.d\\10-l2bridge.conf', installed, cniConfig(cluster, node)),
    binary('C:\\opt\\cni\\bin\\win-bridge.exe', installed, random.int(8_000_000, 48_000_000)),
    binary('C:\\opt\\cni\\bin\\host-local.exe', installed, random.int(4_000_000, 48_000_000)),
    noFile('C:\\opt\\cni\\bin\\wincni.exe'),
    startKubelet(node, ['& C:\\k\\Add-HostEndpoint.ps1']),
    noFile('C:\\k\\azure-vnet.json'),
    noFile('C:\\run\\flannel\\subnet.env'),
    noFile('C:\\etc\\kube-flannel\\net-conf.json'),
    noFile('C:\\sourcevip\\sourceVip.json'),
    noFile('C:\\openvswitch\\etc\\openvswitch\\conf.db'),
  ];
}

function cniConfig(cluster: ClusterPlan, node: NodePlan): string {
  const policy = (value: object) => ({Name: 'EndpointPolicy', Value: value});
  const route = (prefix: string) => policy({Type: 'ROUTE', DestinationPrefix: prefix, NeedEncap: true});
  return JSON.stringify(
    {
      cniVersion: '0.2.0',
      name: networkName,
      type: 'win-bridge',
      capabilities: {portMappings: true, dns: true},
      ipam: {type: 'host-local', subnet: node.podCIDR, routes: [{GW: hostAddress(node)}]},
      dns: {Nameservers: [cluster.dnsService], Search: ['svc.cluster.local']},
      policies: [
        policy({Type: 'OutBoundNAT', ExceptionList: exceptions(cluster, node)}),
        route(cluster.serviceNetwork),
        route(`${node.address}/32`),
      ],
    },
    undefined,
    2,
  );
}

export function winBridgeLogs(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const at = (seconds: number) => klogTime(after(node.bootedAt, seconds * second));
  const count = servicesOf(cluster).reduce((sum, {ports}) => sum + ports.length, 0);
  return [
    log(proxyLog, node.random.for('log').int(300_000, 900_000), before(cluster.now, 5 * second), [
      `${at(154)}    4020 hns.go:110] "Found HNS network" name="${networkName}" networkType="L2Bridge"`,
      `${at(162)}    4020 proxier.go:1269] "Syncing Policies" serviceCount=${count}`,
    ]),
  ];
}
