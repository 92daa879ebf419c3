import {editRows} from '../../node/edit.js';
import {writeLog} from '../../node/files.js';
import type {NodeState} from '../../node/state.js';
import {log} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, hour, minute, nodeTime, second} from '../../time.js';
import {controllerLog, daemonLog, gatewayName, providerBridge, vswitchdLog} from './names.js';

/** ovs-vswitchd fails on the stale bridges, and kube-ovn and ovn-controller depend on it. */
export function kubeOvnAfterReboot(_: ClusterPlan, __: NodePlan, state: NodeState, bootedAt: Date): void {
  editRows(
    state,
    'files',
    row => /\\(conf\.db|01-kube-ovn\.conflist)$/.test(String(row.Path)),
    () => ({LastWriteTime: nodeTime(before(bootedAt, 3 * hour))}),
  );
  editRows(
    state,
    'logs',
    row => row.Path === daemonLog || row.Path === controllerLog,
    () => ({LastWriteTime: nodeTime(before(bootedAt, minute))}),
  );
  const stamp = (seconds: number) => after(bootedAt, seconds * second).toISOString();
  const gone = ['br-int', providerBridge, gatewayName];
  writeLog(
    state,
    log(vswitchdLog, 512_330, after(bootedAt, 48 * second), [
      `${stamp(47)}|00001|vlog|INFO|opened log file ${vswitchdLog}`,
      `${stamp(47)}|00002|ovs_numa|INFO|Discovered 0 NUMA nodes and 0 CPU cores`,
      ...gone.map(
        (device, index) =>
          `${stamp(48)}|${String(9 + index).padStart(5, '0')}|bridge|WARN|could not open network device ${device} (No such device)`,
      ),
    ]),
  );
}
