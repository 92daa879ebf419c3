import {createHash} from 'node:crypto';
import {hexAddress, host, parseSubnet} from '../../addresses.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {setting} from '../plugin.js';

export const name = 'calico';
export const networkName = 'Calico';
export const placeholderName = 'External';
export const hostEndpointName = 'Calico_ep';
export const agentSet = 'calico-node-windows';
export const vni = 4096;
/** 1500 minus the VXLAN overhead. */
export const podMtu = 1450;
export const blockSize = 26;

export const bootKey = {Path: 'HKLM:\\Software\\Tigera\\Calico', Name: 'LastBootTime'};
export const nodeNameFile = 'C:\\CalicoWindows\\nodename';
export const nodeLog = `C:\\var\\log\\pods\\calico-system_${agentSet}\\node\\0.log`;
export const felixLog = `C:\\var\\log\\pods\\calico-system_${agentSet}\\felix\\0.log`;
export const proxyLog = 'C:\\var\\log\\pods\\kube-system_kube-proxy-windows\\kube-proxy\\0.log';

export const macAnnotation = 'projectcalico.org/VXLANTunnelMACAddr';

export const version = (cluster: ClusterPlan) => setting(cluster, name, 'version', 'v3.29.1');
export const windowsImage = (cluster: ClusterPlan) => `docker.io/calico/node-windows:${version(cluster)}`;
export const cniImage = (cluster: ClusterPlan) => `docker.io/calico/cni-windows:${version(cluster)}`;

/** The address block that Calico assigned to a node. Calico does not use the pod CIDR; here the block is inside it. */
export const block = (node: NodePlan) => `${parseSubnet(node.podCIDR).network}/${blockSize}`;
export const tunnelAddress = (node: NodePlan) => host(block(node), node.os === 'windows' ? 1 : 0);
/** The source VIP of kube-proxy. */
export const hostAddress = (node: NodePlan) => host(block(node), 2);
export const podAddress = (node: NodePlan, pod: PodPlan) => host(block(node), 5 + pod.number);
export const podMac = (address: string) => `0E-2A-${hexAddress(address, '-')}`;
export const endpointName = (pod: PodPlan) => `${pod.sandbox}_${networkName}`;

/** Assigned by HNS on Windows; on Linux Felix derives it from the node name (calico felix/calc/vxlan_resolver.go). */
export function routerMac(node: NodePlan): string {
  if (node.os === 'windows') return node.random.for('vtep').mac('00:15:5d');
  const digest = createHash('sha1').update(node.name).digest('hex').slice(0, 10);
  return ['66', ...(digest.match(/../g) ?? [])].join(':');
}

/** The boot time as Calico stores it (calico.psm1): general date format of the Windows culture, local time. */
export function bootNote(bootedAt: Date): string {
  const hours = bootedAt.getUTCHours();
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${bootedAt.getUTCMonth() + 1}/${bootedAt.getUTCDate()}/${bootedAt.getUTCFullYear()}`;
  const time = `${hours % 12 || 12}:${two(bootedAt.getUTCMinutes())}:${two(bootedAt.getUTCSeconds())}`;
  return `${date} ${time} ${hours < 12 ? 'AM' : 'PM'}`;
}

export const notInitialised =
  'plugin type="calico" failed (add): stat /var/lib/calico/nodename: no such file or directory: check that the calico/node container is running and has mounted /var/lib/calico/';
