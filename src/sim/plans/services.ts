import {isObject, type JsonObject, listAt} from '../json.js';
import {addRows, editRows, removeRows} from '../node/edit.js';
import {writeFile} from '../node/files.js';
import {commandLineOf} from '../node/programs.js';
import {type NodeState, rows} from '../node/state.js';
import {file} from '../node/windows.js';
import {nodeTime} from '../time.js';
import {type Host, StepError, same} from './step.js';

/** Programs whose name differs from that of their service. */
const programs: Record<string, string> = {
  hns: 'svchost.exe',
  'kube-ovn': 'kube-ovn-daemon.exe',
  kubeproxy: 'kube-proxy.exe',
};
const programOf = (service: string): string => programs[service.toLowerCase()] ?? `${service}.exe`;

/** Starts stopped services in order, each as a new process. */
export function startServices(host: Host, names: readonly string[]): void {
  for (const name of names) {
    const service = demandService(host.state, name);
    if (service.State !== 'Running') start(host, service);
  }
}

/** As Start-Service and Stop-Service fail. */
function demandService(state: NodeState, name: string): JsonObject {
  const service = rows(state, 'services').find(row => same(row.Name, name));
  if (!service) throw new StepError('Failed', `Cannot find any service with service name '${name}'.`);
  return service;
}

function start({state, now, random}: Host, service: JsonObject): void {
  const name = String(service.Name);
  const needed = listAt(service, 'DependsOn').find(other =>
    rows(state, 'services').some(row => same(row.Name, other) && row.State !== 'Running'),
  );
  if (needed !== undefined) {
    throw new StepError('Failed', `Service '${name}' cannot be started: service '${needed}', which it needs, is down.`);
  }
  if (!canRun(state, name)) {
    throw new StepError('Failed', `Service '${name}' cannot be started: it exited.`);
  }
  const startedAt = nodeTime(now);
  const id = 4 * random.int(1300, 15_000);
  editRows(
    state,
    'services',
    row => row === service,
    () => ({State: 'Running', ExitCode: 0, ProcessId: id, StartedAt: startedAt}),
  );
  const program = programOf(name);
  const isHns = same(name, 'hns');
  removeRows(state, 'processes', row => (isHns ? row.Service === 'hns' : same(row.Name, program)));
  const process = {Name: program, ProcessId: id, StartTime: startedAt, ThreadCount: 8};
  addRows(state, 'processes', {...process, ...(isHns && {Service: 'hns'}), ...commandLineOf(program)});
  if (isHns && isObject(state.sections.hnsService)) {
    Object.assign(state.sections.hnsService, {ProcessId: id, StartedAt: startedAt, ThreadCount: 8});
  }
  const runDir = isObject(state.sections.ovs) ? state.sections.ovs.RunDir : undefined;
  if (/^ovs/.test(name) && runDir) writeFile(state, file(`${runDir}\\${name}.pid`, now, `${id}\r\n`));
}

/** ovs-vswitchd cannot start while its database has a bridge without a switch (antrea docs/windows.md). */
function canRun(state: NodeState, name: string): boolean {
  if (!same(name, 'ovs-vswitchd') || !isObject(state.sections.ovs)) return true;
  const hasBridges = listAt(state.sections.ovs, 'Tables', 'Bridge', 'data').length > 0;
  return !hasBridges || rows(state, 'vmSwitches').some(row => row.SwitchType === 'External');
}

/** Stops a service and its dependents. */
export function stopServices(state: NodeState, name: string): void {
  demandService(state, name);
  const isMeant = (row: JsonObject) =>
    same(row.Name, name) || listAt(row, 'DependsOn').some(needed => same(needed, name));
  const stopped = rows(state, 'services').filter(row => isMeant(row) && row.State === 'Running');
  const ended = new Set(stopped.map(({ProcessId}) => ProcessId));
  const names = new Set(stopped.map(row => programOf(String(row.Name)).toLowerCase()));
  editRows(
    state,
    'services',
    row => stopped.includes(row),
    () => ({State: 'Stopped', ProcessId: 0, StartedAt: null}),
  );
  // An nssm service and its program are two processes that end together.
  removeRows(
    state,
    'processes',
    row => ended.has(row.ProcessId) || (row.Service === undefined && names.has(String(row.Name).toLowerCase())),
  );
}
