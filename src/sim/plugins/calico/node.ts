import {kubeProxyStart} from '../../cluster/kube-proxy.js';
import {type JsonObject, listAt} from '../../json.js';
import {extensionsOf} from '../../node/hns.js';
import type {NodeState} from '../../node/state.js';
import {switchSections} from '../../node/switches.js';
import {commonSections, firewall, kubeletRule, serviceSections, withoutOvs} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {addPodAdapters, hostUplinkDescription, overlayRule, switchedHost} from '../host.js';
import {calicoFiles, calicoLogs} from './files.js';
import {calicoHns} from './hns.js';
import {bootKey, bootNote, placeholderName, podMtu} from './names.js';

/** A healthy Windows node with Calico VXLAN, all in HostProcess pods, no OVS. */
export function calicoNode(cluster: ClusterPlan, node: NodePlan): NodeState {
  const common = commonSections(cluster, node);
  const hns = calicoHns(cluster, node);
  return {
    sections: {
      ...common,
      ...hns,
      ...hostSections(node, hns.hnsEndpoints.slice(1, 1 + node.pods.length)),
      ...switchSections(
        [{name: placeholderName, uplink: hostUplinkDescription, extensions: extensionsOf(node.release, 'vfp', false)}],
        node.random.for('switches'),
      ),
      ...serviceSections(
        node,
        [],
        [
          {name: 'calico-node.exe', after: 207, threads: 19},
          {name: 'calico.exe', after: 208, threads: 9},
          {name: 'kube-proxy.exe', after: kubeProxyStart + 24, threads: 15},
        ],
      ),
      firewall: firewall(true, [overlayRule, kubeletRule]),
      drivers: {ovsext: {Installed: false, Inf: [], Signed: null}},
      registry: [...listAt(common, 'registry'), {...bootKey, Value: bootNote(node.bootedAt)}],
      files: calicoFiles(cluster, node),
      logs: calicoLogs(cluster, node),
    },
    errors: {ovs: withoutOvs},
  };
}

function hostSections(node: NodePlan, pods: readonly JsonObject[]): JsonObject {
  const {network} = switchedHost(node);
  addPodAdapters(network, pods, podMtu);
  return network.sections();
}
