import {host} from '../../addresses.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {nodesOf, setting} from '../plugin.js';

export const name = 'kube-ovn';
export const hnsNetworkName = 'kube-ovn';
export const gatewayName = 'ovn0';
export const providerBridge = 'br-provider';
export const tunnelAnnotation = 'ovn.kubernetes.io/tunnel_interface';
export const daemonLog = 'C:\\kube-ovn\\log\\kube-ovn-cni.log';
export const controllerLog = 'C:\\ovn\\var\\log\\ovn-controller.log';
/** As installed by the MSI of Open vSwitch (openvswitch/ovs, windows/ovs-windows-installer/Product.wxs). */
export const ovsHome = 'C:\\Program Files\\Open vSwitch';
export const ovsRunFolder = 'C:\\ProgramData\\openvswitch';
export const ovsDatabase = `${ovsHome}\\conf\\conf.db`;
export const vswitchdLog = `${ovsHome}\\logs\\ovs-vswitchd.log`;
/** 1500 minus the Geneve overhead that Kube-OVN assumes. */
export const podMtu = 1400;

const version = (cluster: ClusterPlan) => setting(cluster, name, 'version', 'v1.14.4');
export const image = (cluster: ClusterPlan) => `docker.io/kubeovn/kube-ovn:${version(cluster)}`;
/** The node of ovn-central, with OVN's databases. */
export const central = (cluster: ClusterPlan) => nodesOf(cluster, name).find(({os}) => os === 'linux');
export const southbound = (cluster: ClusterPlan) => central(cluster)?.address ?? cluster.apiServer;
/** Pods of all nodes share one subnet. */
export const podSubnet = (cluster: ClusterPlan) => setting(cluster, name, 'subnet', cluster.podNetwork);
export const joinSubnet = (cluster: ClusterPlan) => setting(cluster, name, 'joinSubnet', '100.64.0.0/16');
export const uplinkName = (node: NodePlan) => node.adapter ?? 'Ethernet0';
export const uplinkMac = (node: NodePlan) => node.random.for('uplink').mac('00:50:56');
/** The tunnel endpoint of a node: the annotation can name an adapter other than the one with the node's address. */
export const tunnelAddress = ({entry, otherAdapters, address}: NodePlan) => {
  const named = entry.annotations[tunnelAnnotation];
  return otherAdapters.find(other => other.name === named)?.address ?? address;
};
export const chassis = (node: NodePlan) => node.random.for('chassis').uuid();
export const joinAddress = (cluster: ClusterPlan, node: NodePlan) => host(joinSubnet(cluster), 2 + node.number);
export const joinMac = (node: NodePlan) => node.random.for('join').mac('00:00:00');
export const podAddress = (cluster: ClusterPlan, pod: PodPlan) => host(podSubnet(cluster), 21 + pod.overall);
export const podMac = (pod: PodPlan) => pod.random.for('mac').mac('00:00:00');
/** The OVS port and HNS endpoint of a pod: the start of its sandbox ID. */
export const portName = (pod: PodPlan) => pod.sandbox.slice(0, 12);
export const prefixOf = (subnet: string) => Number(subnet.split('/')[1]);

export const noDaemon =
  'plugin type="kube-ovn" failed (add): RPC failed; request ip return 500: open \\\\.\\pipe\\kube-ovn-daemon: The system cannot find the file specified.';
