import {host} from '../../addresses.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {managementName} from '../host.js';
import {setting} from '../plugin.js';

export const name = 'older-ovn';
export const namespace = 'ovn-kubernetes';
/** Created once by a script (ovn-kubernetes contrib/roles/windows); with KB4482887 it survives a reboot. */
export const networkName = 'external';
export const agentService = 'ovn-kubernetes-node';
export const program = 'ovnkube.exe';
export const home = 'C:\\kubernetes';
export const agentLog = `${home}\\ovn-kubernetes-node.log`;
/** As installed by the Cloudbase MSI. */
export const ovsHome = 'C:\\Program Files\\Cloudbase Solutions\\Open vSwitch';
export const ovsRunFolder = 'C:\\ProgramData\\openvswitch';
export const ovsDatabase = `${ovsHome}\\conf\\conf.db`;
export const vswitchdLog = `${ovsHome}\\logs\\ovs-vswitchd.log`;
export const controllerLog = `${ovsHome}\\logs\\ovn-controller.log`;
/** 1500 minus the Geneve overhead that it assumes. */
export const podMtu = 1400;
export const subnetAnnotation = 'ovn_host_subnet';

export const image = (cluster: ClusterPlan) =>
  `docker.io/ovnkube/ovn-daemonset:${setting(cluster, name, 'version', 'v0.3.0')}`;
export const chassis = (node: NodePlan) => node.random.for('chassis').uuid();
/** The uplink bridge has the name of the adapter with the node's address. */
export const uplinkBridge = managementName;
/** The host's port to the pods (ovn-kubernetes util.GetK8sMgmtIntfName). */
export const managementPort = (node: NodePlan) => `k8s-${node.name.slice(0, 11)}`;
export const managementAddress = (node: NodePlan) => host(node.podCIDR, 2);
export const managementMac = (node: NodePlan) => node.random.for('management').mac('0a:00:00');
export const podAddress = (node: NodePlan, pod: PodPlan) => host(node.podCIDR, 3 + pod.number);
export const podMac = (pod: PodPlan) => pod.random.for('mac').mac('0a:00:00');
/** The logical port, OVS port and HNS endpoint of a pod have the same name (ovn-kubernetes cni/helper_windows.go). */
export const portName = (pod: Pick<PodPlan, 'name' | 'namespace'>) => `${pod.namespace}_${pod.name}`;

export const notConfigured =
  'plugin type="ovn-k8s-cni-overlay.exe" failed (add): CNI request failed with status 400: failure in plugging pod interface: ovs-vsctl: unix:C:/ProgramData/openvswitch/db.sock: database connection failed';
