import type {JsonObject} from '../../json.js';
import {extensionsOf} from '../../node/hns.js';
import type {HostNetwork} from '../../node/host-network.js';
import type {NodeState} from '../../node/state.js';
import {switchSections} from '../../node/switches.js';
import {commonSections, firewall, kubeletRule, nssmService, serviceSections, withoutOvs} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {addPodAdapters, hostUplinkDescription, overlayRule, prefixLength, switchedHost} from '../host.js';
import {hybridFiles, hybridLogs} from './files.js';
import {hostMac, hybridHns} from './hns.js';
import {agentLog, agentService, baseName, hostAdapterName, podMtu, proxyService, vipAddress} from './names.js';

/** A healthy Windows node with the hybrid overlay: agent and kube-proxy as Windows services, no OVS. */
export function hybridNode(cluster: ClusterPlan, node: NodePlan): NodeState {
  const hns = hybridHns(cluster, node);
  return {
    sections: {
      ...commonSections(cluster, node),
      ...hns,
      ...hostSections(node, hns.hnsEndpoints.slice(0, node.pods.length)),
      ...switchSections(
        [{name: baseName, uplink: hostUplinkDescription, extensions: extensionsOf(node.release, 'vfp', false)}],
        node.random.for('switches'),
      ),
      ...serviceSections(node, hybridServices(node), []),
      firewall: firewall(true, [overlayRule, kubeletRule]),
      drivers: {ovsext: {Installed: false, Inf: [], Signed: null}},
      files: hybridFiles(cluster, node),
      logs: hybridLogs(cluster, node),
    },
    errors: {ovs: withoutOvs},
  };
}

const hybridServices = (node: NodePlan) => [
  {
    name: agentService,
    display: agentService,
    path: `C:\\k\\hybrid-overlay-node.exe --node ${node.name} --k8s-kubeconfig C:\\k\\config --windows-service --logfile ${agentLog}`,
    dependsOn: ['kubelet'],
    after: 130,
    process: 'hybrid-overlay-node.exe',
    threads: 16,
  },
  {...nssmService(proxyService, 160, [agentService]), process: 'kube-proxy.exe', threads: 15},
];

function hostSections(node: NodePlan, pods: readonly JsonObject[]): JsonObject {
  const {network} = switchedHost(node);
  addHostAdapter(network, node, 19);
  addPodAdapters(network, pods, podMtu);
  return network.sections();
}

/** The vNIC of the host endpoint, which has the source VIP of kube-proxy. */
export function addHostAdapter(network: HostNetwork, node: NodePlan, index: number): void {
  const adapter = network.adapter({
    name: hostAdapterName,
    description: 'Hyper-V Virtual Ethernet Adapter #2',
    index,
    mac: hostMac(node),
    mtu: podMtu,
  });
  network.address(adapter, vipAddress(node), prefixLength(node.podCIDR), 'Manual');
}
