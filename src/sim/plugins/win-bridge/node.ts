import type {JsonObject} from '../../json.js';
import {extensionsOf} from '../../node/hns.js';
import type {HostNetwork} from '../../node/host-network.js';
import type {NodeState} from '../../node/state.js';
import {switchSections} from '../../node/switches.js';
import {commonSections, firewall, kubeletRule, nssmService, serviceSections, withoutOvs} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, nodeTime, second} from '../../time.js';
import {addPodAdapters, hostUplinkDescription, prefixLength, switchedHost} from '../host.js';
import {nodesOf} from '../plugin.js';
import {winBridgeFiles, winBridgeLogs} from './files.js';
import {hostMac, winBridgeHns} from './hns.js';
import {hostAdapterName, hostAddress, name, placeholderName, proxyService, routesTask} from './names.js';

/** A healthy Windows node with only win-bridge: scripts created the network, its endpoint and the routes. */
export function winBridgeNode(cluster: ClusterPlan, node: NodePlan): NodeState {
  const hns = winBridgeHns(cluster, node);
  return {
    sections: {
      ...commonSections(cluster, node),
      ...hns,
      ...hostSections(cluster, node, hns.hnsEndpoints.slice(1, 1 + node.pods.length)),
      ...switchSections(
        [{name: placeholderName, uplink: hostUplinkDescription, extensions: extensionsOf(node.release, 'vfp', false)}],
        node.random.for('switches'),
      ),
      ...serviceSections(
        node,
        [{...nssmService(proxyService, 150, ['kubelet']), process: 'kube-proxy.exe', threads: 15}],
        [],
      ),
      firewall: firewall(false, [kubeletRule]),
      drivers: {ovsext: {Installed: false, Inf: [], Signed: null}},
      files: winBridgeFiles(cluster, node),
      scheduledTasks: [
        {
          TaskName: routesTask,
          State: 'Ready',
          LastRunTime: nodeTime(after(node.bootedAt, 120 * second)),
          LastTaskResult: 0,
        },
      ],
      logs: winBridgeLogs(cluster, node),
    },
    errors: {ovs: withoutOvs},
  };
}

function hostSections(cluster: ClusterPlan, node: NodePlan, pods: readonly JsonObject[]): JsonObject {
  const {network, management} = switchedHost(node, {forwarding: true});
  addHostAdapter(network, node, 19);
  addPodAdapters(network, pods, 1500);
  for (const peer of nodesOf(cluster, name)) {
    if (peer !== node) network.route(peer.podCIDR, peer.address, management);
  }
  return network.sections();
}

/** The vNIC of the host endpoint. */
export function addHostAdapter(network: HostNetwork, node: NodePlan, index: number): void {
  const adapter = network.adapter({
    name: hostAdapterName,
    description: 'Hyper-V Virtual Ethernet Adapter #2',
    index,
    mac: hostMac(node),
    mtu: 1500,
    forwarding: true,
  });
  network.address(adapter, hostAddress(node), prefixLength(node.podCIDR), 'Manual');
}
