import {host} from '../../addresses.js';
import type {ClusterPlan, NodePlan, PodPlan} from '../../plan.js';
import {runsAsService, setting} from '../plugin.js';

export const name = 'antrea';
export const uplinkName = (node: NodePlan) => node.adapter ?? 'Ethernet0';
export const bridgeName = 'br-int';
export const gatewayName = 'antrea-gw0';
/** The service that antrea-service.exe installs. */
export const agentService = 'antrea-agent';
/** The installation folder in the documentation; Antrea_Home points to it. */
export const home = 'C:\\antrea';
export const agentKubeconfig = `${home}\\antrea-agent.kubeconfig`;
export const agentLog = (cluster: ClusterPlan) =>
  runsAsService(cluster, name) ? `${home}\\logs\\antrea-agent.log` : 'C:\\var\\log\\antrea\\antrea-agent.log';
export const agentSet = 'antrea-agent-windows';
export const hnsNetworkName = 'antrea-hnsnetwork';
/** The next hop of Service traffic from the host. */
export const virtualServiceIP = '169.254.0.253';
export const virtualNodePortIP = '169.254.0.252';

export const version = (cluster: ClusterPlan) => setting(cluster, name, 'version', 'v2.2.0');
/** Whether OVS runs in the agent's pod (antrea-windows-with-ovs.yml) or as Windows services. */
export const hasOvsInPod = (cluster: ClusterPlan) => setting(cluster, name, 'ovs', 'services') === 'pod';
export const windowsImage = (cluster: ClusterPlan) => `antrea/antrea-windows:${version(cluster)}`;
/** The optional startup task that cleans up at every boot. */
export const bootTask = 'PrepareAntreaAgent';
export const ovsPrograms = ['ovsdb-server.exe', 'ovs-vswitchd.exe'] as const;
export const ovsLogs = (cluster: ClusterPlan) =>
  hasOvsInPod(cluster) ? 'C:\\var\\log\\antrea\\openvswitch' : 'C:\\openvswitch\\var\\log\\openvswitch';
export const vswitchdLog = (cluster: ClusterPlan) => `${ovsLogs(cluster)}\\ovs-vswitchd.log`;
export const podAddress = (node: NodePlan, pod: PodPlan) => host(node.podCIDR, 14 + pod.number);
export const podMac = (pod: PodPlan) => pod.random.for('mac').mac('00:15:5d');
export const uplinkMac = (node: NodePlan) => node.random.for('uplink').mac('00:50:56');
/** The OVS port and HNS endpoint of a pod: the start of its name and six hex digits. */
export const portName = (pod: PodPlan) => `${pod.name.slice(0, 8)}-${pod.random.for('port').hex(6)}`;
export const agentPodName = (node: NodePlan) => {
  const set = node.os === 'windows' ? 'antrea-agent-windows' : 'antrea-agent';
  return `${set}-${node.random.for(`ds/kube-system/${set}`).suffix(5)}`;
};

export const cniConfig = `{
  "cniVersion": "0.3.0",
  "name": "antrea",
  "plugins": [
    {
      "type": "antrea",
      "ipam": {
        "type": "host-local"
      },
      "capabilities": {
        "dns": true
      }
    }
  ]
}`;

export const noAgent =
  'plugin type="antrea" failed (add): rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing open \\\\.\\pipe\\cnisock: The system cannot find the file specified."';
