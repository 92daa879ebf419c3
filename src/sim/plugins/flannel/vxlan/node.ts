import {host} from '../../../addresses.js';
import {kubeProxyStart} from '../../../cluster/kube-proxy.js';
import type {JsonObject} from '../../../json.js';
import {extensionsOf} from '../../../node/hns.js';
import type {NodeState} from '../../../node/state.js';
import {switchSections} from '../../../node/switches.js';
import {
  commonSections,
  firewall,
  kubeletRule,
  nssmService,
  type ServicePlan,
  serviceSections,
  withoutOvs,
} from '../../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../../plan.js';
import {addPodAdapters, hostUplinkDescription, overlayRule, switchedHost} from '../../host.js';
import {runsAsService} from '../../plugin.js';
import {agentService, proxyService} from '../names.js';
import {flannelFiles, flannelLogs} from './files.js';
import {flannelHns, natSubnet} from './hns.js';
import {name, networkName, podMtu, sourceVip} from './names.js';

/** A healthy Windows node with Flannel VXLAN: flanneld and kube-proxy in HostProcess pods or as services, no OVS. */
export function flannelNode(cluster: ClusterPlan, node: NodePlan): NodeState {
  const {release} = node;
  const hns = flannelHns(cluster, node);
  return {
    sections: {
      ...commonSections(cluster, node),
      ...hns,
      ...hostSections(node, hns.hnsEndpoints.slice(0, node.pods.length)),
      ...switchSections(
        [
          {name: 'External', uplink: hostUplinkDescription, extensions: extensionsOf(release, 'vfp', false)},
          {name: 'nat', extensions: extensionsOf(release, 'none', false)},
        ],
        node.random.for('switches'),
      ),
      ...(runsAsService(cluster, name)
        ? serviceSections(node, scriptServices(node), [])
        : serviceSections(
            node,
            [],
            [
              {name: 'flanneld.exe', after: 151, threads: 14},
              {name: 'kube-proxy.exe', after: kubeProxyStart, threads: 15},
            ],
          )),
      firewall: firewall(true, [overlayRule, kubeletRule, pingRule]),
      drivers: {ovsext: {Installed: false, Inf: [], Signed: null}},
      files: flannelFiles(cluster, node),
      logs: flannelLogs(cluster, node),
    },
    errors: {ovs: withoutOvs},
  };
}

/** As installed by setup_windowsnode.ps1; kubelet is a service on every node. */
const scriptServices = (node: NodePlan): ServicePlan[] => [
  {...nssmService(agentService, 151, ['kubelet']), process: 'flanneld.exe', threads: 14},
  {
    ...nssmService(proxyService, kubeProxyStart, ['kubelet']),
    process: 'kube-proxy.exe',
    threads: 15,
    wraps: {
      application: 'C:\\k\\kube-proxy.exe',
      arguments: `--v=4 --proxy-mode=kernelspace --hostname-override=${node.name} --kubeconfig=C:\\k\\kubeconfig --network-name=${networkName} --source-vip=${sourceVip(node)} --enable-dsr=false --feature-gates=WinOverlay=true --log-dir=C:\\k\\logs\\kubeproxy --logtostderr=false`,
    },
  },
];

const pingRule = {
  DisplayName: 'File and Printer Sharing (Echo Request - ICMPv4-In)',
  Enabled: true,
  Direction: 'Inbound',
  Action: 'Allow',
  Protocol: 'ICMPv4',
  LocalPort: 'Any',
  Name: 'FPS-ICMP4-ERQ-In',
};

function hostSections(node: NodePlan, pods: readonly JsonObject[]): JsonObject {
  const {network, management} = switchedHost(node);
  const nat = network.adapter({
    name: 'vEthernet (nat)',
    description: 'Hyper-V Virtual Ethernet Container Adapter',
    index: 31,
    mac: node.random.for('nat').mac('00:15:5d'),
    mtu: 1500,
  });
  addPodAdapters(network, pods, podMtu);
  // start.ps1 adds this route for the cloud metadata service on every host.
  network.route('169.254.169.254/32', '0.0.0.0', management, 1);
  network.route('169.254.169.254/32', '0.0.0.0', management, 1, 'PersistentStore');
  network.address(nat, host(natSubnet, 1), 20, 'Manual');
  return network.sections();
}
