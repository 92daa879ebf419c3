import {kubeProxyStart} from '../../../cluster/kube-proxy.js';
import type {JsonObject} from '../../../json.js';
import {extensionsOf} from '../../../node/hns.js';
import type {HostNetwork, SimulatedAdapter} from '../../../node/host-network.js';
import type {NodeState} from '../../../node/state.js';
import {switchSections} from '../../../node/switches.js';
import {commonSections, firewall, kubeletRule, serviceSections, withoutOvs} from '../../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../../plan.js';
import {addPodAdapters, hostUplinkDescription, prefixLength, switchedHost} from '../../host.js';
import {nodesOf} from '../../plugin.js';
import {hostGwFiles, hostGwLogs} from './files.js';
import {hostGwHns} from './hns.js';
import {hostAdapterName, hostAddress, name, networkName} from './names.js';

/** A healthy Windows node with Flannel host-gw: pod traffic is routed between nodes without encapsulation. */
export function hostGwNode(cluster: ClusterPlan, node: NodePlan): NodeState {
  const hns = hostGwHns(cluster, node);
  return {
    sections: {
      ...commonSections(cluster, node),
      ...hns,
      ...hostSections(cluster, node, hns.hnsEndpoints),
      ...switchSections(
        [{name: networkName, uplink: hostUplinkDescription, extensions: extensionsOf(node.release, 'vfp', false)}],
        node.random.for('switches'),
      ),
      ...serviceSections(
        node,
        [],
        [
          {name: 'flanneld.exe', after: 196, threads: 14},
          {name: 'kube-proxy.exe', after: kubeProxyStart + 35, threads: 15},
        ],
      ),
      firewall: firewall(false, [kubeletRule]),
      drivers: {ovsext: {Installed: false, Inf: [], Signed: null}},
      files: hostGwFiles(cluster, node),
      logs: hostGwLogs(cluster, node),
    },
    errors: {ovs: withoutOvs},
  };
}

function hostSections(cluster: ClusterPlan, node: NodePlan, endpoints: readonly JsonObject[]): JsonObject {
  const {network, management} = switchedHost(node, {forwarding: true});
  const [own, ...others] = endpoints;
  addHostAdapter(network, node, String(own?.MacAddress).replaceAll('-', ':').toLowerCase(), 20);
  addPodAdapters(network, others.slice(0, node.pods.length), 1500);
  addPeerRoutes(network, management, cluster, node);
  return network.sections();
}

/** The vNIC of the host endpoint. */
export function addHostAdapter(network: HostNetwork, node: NodePlan, mac: string, index: number): void {
  const adapter = network.adapter({
    name: hostAdapterName,
    description: 'Hyper-V Virtual Ethernet Adapter #2',
    index,
    mac,
    mtu: 1500,
    forwarding: true,
  });
  network.address(adapter, hostAddress(node), prefixLength(node.podCIDR), 'Manual');
}

/** One route per peer, through its node. */
export function addPeerRoutes(
  network: HostNetwork,
  management: SimulatedAdapter,
  cluster: ClusterPlan,
  node: NodePlan,
): void {
  for (const peer of nodesOf(cluster, name)) {
    if (peer !== node) network.route(peer.podCIDR, peer.address, management);
  }
}
