import {host} from '../../addresses.js';
import {kubeProxyStart} from '../../cluster/kube-proxy.js';
import {extensionsOf} from '../../node/hns.js';
import {HostNetwork} from '../../node/host-network.js';
import type {NodeState} from '../../node/state.js';
import {switchSections} from '../../node/switches.js';
import {commonSections, firewall, kubeletRule, serviceSections} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {flannelFiles, flannelLogs} from './files.js';
import {flannelHns, natSubnet} from './hns.js';
import {endpointName, managementName, podMac, port, uplinkMac, uplinkName} from './names.js';

const uplinkDescription = 'vmxnet3 Ethernet Adapter';

/** A healthy Windows node with Flannel's overlay: flanneld and kube-proxy in HostProcess pods, no OVS. */
export function flannelNode(cluster: ClusterPlan, node: NodePlan): NodeState {
  const {release} = node;
  return {
    sections: {
      ...commonSections(cluster, node),
      ...flannelHns(cluster, node),
      ...hostNetwork(node).sections(),
      ...switchSections(
        [
          {name: 'External', uplink: uplinkDescription, extensions: extensionsOf(release, 'vfp', false)},
          {name: 'nat', extensions: extensionsOf(release, 'none', false)},
        ],
        node.random.for('switches'),
      ),
      ...serviceSections(
        node,
        [],
        [
          {name: 'flanneld.exe', after: 151, threads: 14},
          {name: 'kube-proxy.exe', after: kubeProxyStart, threads: 15},
        ],
      ),
      firewall: firewall(true, [
        {
          DisplayName: `Overlay Traffic ${port} UDP`,
          Enabled: true,
          Direction: 'Inbound',
          Action: 'Allow',
          Protocol: 'UDP',
          LocalPort: String(port),
          Name: `OverlayTraffic${port}UDP`,
        },
        kubeletRule,
        {
          DisplayName: 'File and Printer Sharing (Echo Request - ICMPv4-In)',
          Enabled: true,
          Direction: 'Inbound',
          Action: 'Allow',
          Protocol: 'ICMPv4',
          LocalPort: 'Any',
          Name: 'FPS-ICMP4-ERQ-In',
        },
      ]),
      drivers: {ovsext: {Installed: false, Inf: [], Signed: null}},
      files: flannelFiles(cluster, node),
      logs: flannelLogs(cluster, node),
    },
    errors: {ovs: {kind: 'NotInstalled', message: 'ovs-vsctl.exe was not found'}},
  };
}

function hostNetwork(node: NodePlan): HostNetwork {
  const network = new HostNetwork(node.random.for('network'));
  const mac = uplinkMac(node);
  const {dhcp} = node;
  network.physical({name: uplinkName(node), description: uplinkDescription, index: 6, mac, mtu: 1500, dhcp}, true);
  const management = network.adapter({
    name: managementName(node),
    description: 'Hyper-V Virtual Ethernet Adapter',
    index: 16,
    mac,
    mtu: 1500,
    dhcp,
  });
  const nat = network.adapter({
    name: 'vEthernet (nat)',
    description: 'Hyper-V Virtual Ethernet Container Adapter',
    index: 31,
    mac: node.random.for('nat').mac('00:15:5d'),
    mtu: 1500,
  });
  for (const [number, pod] of node.pods.entries()) {
    const alias = `vEthernet (${endpointName(pod)})`;
    const podMacAddress = podMac(pod.address).replaceAll('-', ':').toLowerCase();
    const fields = {name: alias, description: '', index: 44 + number, mac: podMacAddress, mtu: 1450};
    network.adapter({...fields, elsewhere: true});
  }
  network.defaultRoute(management, node.gateway, !dhcp);
  network.address(management, node.address, node.prefix, dhcp ? 'Dhcp' : 'Manual');
  // For the cloud's metadata service, as start.ps1 adds it on any host.
  network.route('169.254.169.254/32', '0.0.0.0', management, 1);
  network.route('169.254.169.254/32', '0.0.0.0', management, 1, 'PersistentStore');
  network.address(nat, host(natSubnet, 1), 20, 'Manual');
  network.dns(management, [node.nameServer]);
  return network;
}
