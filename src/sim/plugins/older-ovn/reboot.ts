import {editRows} from '../../node/edit.js';
import {writeFile, writeLog} from '../../node/files.js';
import {HostNetwork} from '../../node/host-network.js';
import {changeRows, tablesOf} from '../../node/ovs.js';
import {endProgram, startProgram} from '../../node/programs.js';
import {type NodeState, rows} from '../../node/state.js';
import {file, log} from '../../node/windows.js';
import type {ClusterPlan, NodePlan} from '../../plan.js';
import {after, before, minute, nodeTime, second} from '../../time.js';
import {hostUplinkName} from '../host.js';
import {
  agentLog,
  controllerLog,
  managementPort,
  ovsRunFolder,
  portName,
  program,
  uplinkBridge,
  vswitchdLog,
} from './names.js';
import {olderOvnTables} from './ovs.js';

const vswitchd = 'ovs-vswitchd.exe';

/**
 * The network exists again. ovs-vswitchd started before HNS had its switch, exited, and was restarted by the Service
 * Control Manager; its dependents ovn-controller and the agent were not. The pods' ports name vNICs that are gone.
 */
export function olderOvnAfterReboot(cluster: ClusterPlan, node: NodePlan, state: NodeState, bootedAt: Date): void {
  const at = after(bootedAt, 70 * second);
  endProgram(state, program);
  startProgram(state, vswitchd, at, 4, node.random.for('after boot'));
  const id = rows(state, 'processes').find(({Name}) => Name === vswitchd)?.ProcessId;
  editRows(
    state,
    'services',
    row => row.Name === 'ovs-vswitchd',
    () => ({State: 'Running', ProcessId: id, ExitCode: 0, StartedAt: nodeTime(at)}),
  );
  writeFile(state, file(`${ovsRunFolder}\\ovs-vswitchd.pid`, at, `${id}\r\n`));
  const network = new HostNetwork(node.random.for('ports'), state);
  const [uplink, host, bridge, management] = [
    hostUplinkName(node),
    uplinkBridge(node),
    'br-int',
    managementPort(node),
  ].map(name => network.named(name));
  if (uplink && host && bridge && management)
    state.sections.ovs = olderOvnTables(cluster, node, {uplink, host, bridge, management, pods: new Map()});
  const gone = node.pods.map(portName);
  changeRows(tablesOf(state.sections.ovs).Interface, ({name}) =>
    gone.includes(String(name))
      ? {error: `could not open network device ${name} (No such device)`, ofport: -1, ifindex: ['set', []]}
      : {},
  );
  editRows(
    state,
    'logs',
    row => row.Path === agentLog || row.Path === controllerLog,
    () => ({LastWriteTime: nodeTime(before(bootedAt, minute))}),
  );
  const stamp = (seconds: number) => after(bootedAt, seconds * second).toISOString();
  writeLog(
    state,
    log(vswitchdLog, 61_204, at, [
      `${stamp(70)}|00001|vlog|INFO|opened log file ${vswitchdLog}`,
      ...gone.map(
        (device, index) =>
          `${stamp(71)}|${String(9 + index).padStart(5, '0')}|bridge|WARN|could not open network device ${device} (No such device)`,
      ),
    ]),
  );
}
