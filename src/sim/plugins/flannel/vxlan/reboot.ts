import {writeLog} from '../../../node/files.js';
import {endProgram} from '../../../node/programs.js';
import type {NodeState} from '../../../node/state.js';
import {log} from '../../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../../plan.js';
import {after, before, klogTime, second} from '../../../time.js';
import {writtenAtStart} from '../files.js';
import {agentLog, proxyLog} from '../names.js';
import {networkName, port, vni} from './names.js';

/**
 * flanneld requested its network while HNS was starting and never got an answer: it sets no time limit, and HNS can
 * leave a call unanswered (antrea-io/antrea#4702). kube-proxy's start script waits for the network.
 */
export function flannelAfterReboot(cluster: ClusterPlan, node: NodePlan, state: NodeState, bootedAt: Date): void {
  const at = (seconds: number) => klogTime(after(bootedAt, seconds * second));
  endProgram(state, 'kube-proxy.exe');
  writtenAtStart(state, after(bootedAt, 146 * second));
  writeLog(
    state,
    log(agentLog(cluster), 1_304, after(bootedAt, 154 * second), [
      `${at(152)}    3916 main.go:211] CLI flags config: {kubeSubnetMgr:true iface:[${node.address}] netConfPath:/etc/kube-flannel/net-conf.json}`,
      `${at(153)}    3916 vxlan_windows.go:128] VXLAN config: Name=${networkName} MacPrefix=0E-2A VNI=${vni} Port=${port} GBP=false DirectRouting=false`,
      `${at(154)}    3916 device_windows.go:98] Attempting to create HostComputeNetwork &{ ${networkName} Overlay [] {[]} { [] [] []} [{Static [{${node.podCIDR} [[123 34 84 121 112 101 34 58 34 86 83 73 68 34`,
    ]),
  );
  const waiting = `Waiting for Network [${networkName}] to be created . . .`;
  writeLog(state, log(proxyLog(cluster), 41_208, before(new Date(), 4 * second), [waiting, waiting]));
}
