import {timestamp} from '../../api/object.js';
import type {World} from '../../events/world.js';
import {isObject, listAt} from '../../json.js';
import {removeRows} from '../../node/edit.js';
import {type NodeState, rows, setRows} from '../../node/state.js';
import {log, startKubelet} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, hour, klogTime, minute, nodeTime, second} from '../../time.js';
import {agentLog, bootTask, version, vswitchdLog} from './names.js';

/** The node has no startup cleanup: StartKubelet.ps1 does not call Prepare-AntreaAgent.ps1. */
export function antreaAfterReboot(cluster: ClusterPlan, node: NodePlan, state: NodeState, bootedAt: Date): void {
  const agentStart = after(bootedAt, 17 * minute + 49 * second);
  removeRows(state, 'scheduledTasks', ({TaskName}) => TaskName === bootTask);
  setRows(
    state,
    'processes',
    rows(state, 'processes').map(process =>
      process.Name === 'antrea-agent.exe' ? {...process, StartTime: nodeTime(agentStart)} : process,
    ),
  );
  setRows(
    state,
    'files',
    rows(state, 'files')
      .filter(file => !String(file.Path).endsWith('Prepare-AntreaAgent.ps1'))
      .map(file => {
        const path = String(file.Path);
        if (path.endsWith('StartKubelet.ps1')) return startKubelet(node);
        if (path.endsWith('conf.db')) return {...file, LastWriteTime: nodeTime(before(bootedAt, 3 * hour))};
        if (path.endsWith('ovsdb-server.pid')) return {...file, LastWriteTime: nodeTime(after(bootedAt, 41 * second))};
        const byAgent = /\\(10-antrea\.conflist|antrea\.exe|host-local\.exe|antctl\.exe)$/.test(path);
        return byAgent ? {...file, LastWriteTime: nodeTime(agentStart)} : file;
      }),
  );
  const gone = ['br-int', 'antrea-gw0'];
  const stamp = (seconds: number) => after(bootedAt, seconds * second).toISOString();
  const now = new Date();
  setRows(state, 'logs', [
    log(agentLog(cluster), 688_809, before(now, 6 * second), [
      `${klogTime(agentStart)}    5128 agent.go:112] "Starting Antrea agent" version="${version(cluster)}"`,
      `${klogTime(agentStart)}    5128 ovs_client.go:70] Connecting to OVSDB at address \\\\.\\pipe\\C:openvswitchvarrunopenvswitchdb.sock`,
      ...[1, 3, 6].map(
        seconds =>
          `${klogTime(after(agentStart, seconds * second))}    5128 ovs_client.go:88] Not connected yet, will try again in ${seconds + 1}s`,
      ),
    ]),
    log(vswitchdLog(cluster), 675_879, after(bootedAt, 48 * second), [
      `${stamp(47)}|00001|vlog|INFO|opened log file ${vswitchdLog(cluster).replaceAll('\\', '/')}`,
      `${stamp(47)}|00002|ovs_numa|INFO|Discovered 0 NUMA nodes and 0 CPU cores`,
      `${stamp(47)}|00004|reconnect|INFO|unix:C:/openvswitch/var/run/openvswitch/db.sock: connected`,
      ...gone.map(
        (name, index) =>
          `${stamp(48)}|${String(9 + index).padStart(5, '0')}|bridge|WARN|could not open network device ${name} (No such device)`,
      ),
    ]),
    ...rows(state, 'logs').filter(entry => entry.Path !== agentLog(cluster) && entry.Path !== vswitchdLog(cluster)),
  ]);
}

/** The agent's status object is older than the boot. */
export function clusterAfterAntreaReboot({store}: World, node: NodePlan, bootedAt: Date): void {
  const type = store.typeOf({apiVersion: 'crd.antrea.io/v1beta1', kind: 'AntreaAgentInfo'});
  const info = type && store.find(type, undefined, node.name);
  if (type && info) {
    const heard = timestamp(before(bootedAt, 52 * second));
    const agentConditions = listAt(info, 'agentConditions').map(condition => ({
      ...(isObject(condition) && condition),
      lastHeartbeatTime: heard,
    }));
    store.update(type, {...info, agentConditions});
  }
}
