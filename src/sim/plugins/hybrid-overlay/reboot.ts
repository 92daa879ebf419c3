import {writeLog} from '../../node/files.js';
import {endProgram} from '../../node/programs.js';
import type {NodeState} from '../../node/state.js';
import {log} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, klogTime, second} from '../../time.js';
import {creatingLine} from './files.js';
import {agentLog, networkName, proxyLog} from './names.js';

/**
 * The agent requested its network while HNS was starting and never got an answer: it sets no time limit, and HNS can
 * leave a call unanswered (antrea-io/antrea#4702). kube-proxy's start script waits for the network.
 */
export function hybridAfterReboot(_: ClusterPlan, node: NodePlan, state: NodeState, bootedAt: Date): void {
  const at = (seconds: number) => klogTime(after(bootedAt, seconds * second));
  endProgram(state, 'kube-proxy.exe');
  writeLog(
    state,
    log(agentLog, 2_211, after(bootedAt, 132 * second), [
      `${at(131)}    3184 node.go:141] Starting Hybrid Overlay Node Controller`,
      `${at(132)}    3184 ${creatingLine(node)}`,
      `${at(132)}    3184 ho_node_windows.go:291] Network creation may take up to a minute to complete...`,
    ]),
  );
  const waiting = `Waiting for Network [${networkName}] to be created . . .`;
  writeLog(state, log(proxyLog, 40_118, before(new Date(), 4 * second), [waiting, waiting]));
}
