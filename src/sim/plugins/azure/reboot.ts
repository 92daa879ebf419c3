import {editRows} from '../../node/edit.js';
import {writeFile, writeLog} from '../../node/files.js';
import {endProgram} from '../../node/programs.js';
import {type NodeState, setRows} from '../../node/state.js';
import {binary, log} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {before, day, hour, nodeTime, second} from '../../time.js';
import {cniTime} from './files.js';
import {cniLog, endpointName, lockFile, networkName, proxyLog, resetTask, version} from './names.js';

/**
 * The cleanup task at boot was disabled. So the state file outlives the network that it describes, and its lock
 * outlives the process that held it (Azure/azure-container-networking#283, #339).
 */
export function azureAfterReboot(cluster: ClusterPlan, node: NodePlan, state: NodeState, bootedAt: Date): void {
  const now = new Date();
  // The policy lists are lost with the network, and kube-proxy's start script waits for it.
  setRows(state, 'hnsPolicyLists', []);
  endProgram(state, 'kube-proxy.exe');
  editRows(
    state,
    'scheduledTasks',
    task => task.TaskName === resetTask,
    () => ({State: 'Disabled', LastRunTime: nodeTime(before(bootedAt, 13 * day))}),
  );
  editRows(
    state,
    'files',
    row => /\\(windowsnodereset\.log|hns\.pid)$/.test(String(row.Path)),
    () => ({LastWriteTime: nodeTime(before(bootedAt, 13 * day))}),
  );
  writeFile(state, binary(lockFile, before(bootedAt, 2 * hour), 0));
  const [pod] = node.pods;
  const at = cniTime(before(now, 19 * second));
  const id = pod ? endpointName(pod) : '';
  writeLog(
    state,
    log(cniLog, 520_081, before(now, 19 * second), [
      `${at} [cni-net] Plugin azure-vnet version ${version(cluster)}.`,
      `${at} [net] Creating endpoint ${id} in network ${networkName}.`,
      `${at} [net] Failed to create endpoint ${id}, err:hcnOpenNetwork failed in Win32: The network was not found. (0x803b0001) {"Success":false,"Error":"The network was not found. ","ErrorCode":2151350273}.`,
      `${at} [cni-net] ADD command failed: hnsCall failed in Win32: Element not found. (0x490)`,
    ]),
  );
  const waiting = `Waiting for Network [${networkName}] to be created . . .`;
  writeLog(state, log(proxyLog, 156_040, before(now, 6 * second), [waiting, waiting]));
}
