import type {JsonObject} from '../../json.js';
import {binary, containerdConfig, file, log, noFile} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, klogTime, minute, second} from '../../time.js';
import {agentLog, controllerLog, home, networkName, ovsDatabase, ovsRunFolder, portName, vswitchdLog} from './names.js';

const cniConfig = JSON.stringify({
  cniVersion: '0.3.1',
  name: 'ovn-kubernetes',
  type: 'ovn-k8s-cni-overlay.exe',
  ipam: {},
  dns: {},
});

export function olderOvnFiles(cluster: ClusterPlan, node: NodePlan, vswitchd: unknown): JsonObject[] {
  const installed = after(node.joinedAt, 35 * minute);
  return [
    containerdConfig(node, `${home}\\cni`, `${home}\\cni`),
    file(`${home}\\cni\\10-ovn-kubernetes.conf`, after(node.bootedAt, 3 * minute), cniConfig),
    binary(`${home}\\cni\\ovn-k8s-cni-overlay.exe`, installed, node.random.int(20_000_000, 40_000_000)),
    binary(ovsDatabase, before(cluster.now, 22 * minute), node.random.int(50_000, 90_000)),
    file(`${ovsRunFolder}\\ovs-vswitchd.pid`, after(node.bootedAt, 43 * second), `${vswitchd}\r\n`),
    noFile('C:\\etc\\cni\\net.d\\10-antrea.conflist'),
    noFile('C:\\k\\azure-vnet.json'),
    noFile('C:\\run\\flannel\\subnet.env'),
    noFile('C:\\sourcevip\\sourceVip.json'),
  ];
}

export function olderOvnLogs(cluster: ClusterPlan, node: NodePlan): JsonObject[] {
  const {random} = node;
  const at = (seconds: number) => klogTime(after(node.bootedAt, seconds * second));
  const stamp = (seconds: number) => after(node.bootedAt, seconds * second).toISOString();
  const pod = node.pods.at(-1);
  return [
    log(agentLog, random.int(100_000, 400_000), before(cluster.now, 90 * second), [
      `${at(151)}    5012 node.go:181] Node ${node.name} ready for ovn initialization with subnet ${node.podCIDR}`,
      `${at(166)}    5012 healthcheck.go:142] Gateway and management port readiness took 15.0s`,
      ...(pod
        ? [`${klogTime(pod.startedAt)}    5012 helper_windows.go:70] Created HNS endpoint ${portName(pod)}`]
        : []),
    ]),
    log(controllerLog, random.int(100_000, 400_000), before(cluster.now, 44 * second), [
      `${stamp(96)}|00011|reconnect|INFO|tcp:${cluster.apiServer}:6642: connected`,
      ...(pod
        ? [`${pod.startedAt.toISOString()}|00071|binding|INFO|Claiming lport ${portName(pod)} for this chassis.`]
        : []),
    ]),
    log(vswitchdLog, random.int(40_000, 90_000), after(node.bootedAt, 48 * second), [
      `${stamp(47)}|00031|bridge|INFO|bridge br-int: added interface br-int on port 65534`,
    ]),
  ];
}

export const missingNetwork = `getHNSIdFromConfigOrByGatewayIP: HNS network ${networkName} was not found`;
