import {isObject, type JsonObject, textAt} from '../json.js';
import {after, minute, nodeTime, second} from '../time.js';
import {changeRows, emptySet, tablesOf} from './ovs.js';
import {type NodeState, rows, setRows} from './state.js';
import {loseAdapters, loseSwitch, uplinkOf} from './switch.js';

/** OVS networks do not survive a reboot, although their flags do not say so (Antrea docs/windows.md "Known issues"). */
const lostAtBoot = new Set(['antrea-hnsnetwork', 'kube-ovn']);
const nonPersistent = 8;

const isLost = (network: JsonObject) =>
  network.Name !== 'nat' && (lostAtBoot.has(String(network.Name)) || (Number(network.Flags) & nonPersistent) !== 0);

/** Applies a reboot: non-persistent networks are lost, files on disk stay. */
export function rebootState(state: NodeState, bootedAt: Date): void {
  const networks = rows(state, 'hnsNetworks');
  const lost = networks.filter(isLost);
  const kept = networks.filter(network => !isLost(network));
  const lostLayers = lost.filter(network => !kept.some(other => other.LayeredOn === network.LayeredOn));

  loseNetworks(state, kept);
  for (const network of lostLayers) {
    const uplink = uplinkOf(state, network);
    if (uplink) loseSwitch(state, uplink);
  }
  staleOvs(state);
  restartServices(state, bootedAt);
  setBootTime(state, bootedAt);
}

function loseNetworks(state: NodeState, kept: readonly JsonObject[]): void {
  const isAttached = (endpoint: JsonObject) => Number(endpoint.State) >= 2;
  const isKept = (endpoint: JsonObject) =>
    kept.some(network => network.ID === endpoint.VirtualNetwork) && !isAttached(endpoint);
  // Only attached endpoints have a vNIC: the source VIP can have the same name as the uplink.
  const vnics = new Set(
    rows(state, 'hnsEndpoints')
      .filter(isAttached)
      .map(endpoint => `vEthernet (${endpoint.Name})`),
  );
  setRows(
    state,
    'hnsNetworks',
    kept.map(network => ({...network, CurrentEndpointCount: 0})),
  );
  setRows(state, 'hnsEndpoints', rows(state, 'hnsEndpoints').filter(isKept));
  loseAdapters(state, adapter => vnics.has(String(adapter.Name)));
}

/** conf.db is a file: its rows outlive the devices they name. */
function staleOvs(state: NodeState): void {
  const adapters = new Set(rows(state, 'netAdapters').map(adapter => adapter.Name));
  const tables = tablesOf(state.sections.ovs);
  changeRows(tables.Bridge, () => ({datapath_id: emptySet}));
  changeRows(tables.Interface, row => {
    const dead = {admin_state: emptySet, link_state: emptySet, mac_in_use: emptySet, mtu: emptySet, ifindex: emptySet};
    const idle = {...dead, statistics: ['map', []], link_speed: emptySet};
    if (row.type !== 'internal' && row.type !== '') return {...idle, ofport: emptySet};
    const exists = adapters.has(row.name);
    const error = exists ? emptySet : `could not open network device ${row.name} (No such device)`;
    return {...idle, error, ofport: -1};
  });
}

/** Services start after the boot. ovs-vswitchd fails on the stale rows, and so do the services that depend on it. */
function restartServices(state: NodeState, bootedAt: Date): void {
  const previous = Date.parse(textAt(state.sections.os, 'LastBootUpTime'));
  const shifted = (time: unknown) => nodeTime(after(bootedAt, Date.parse(String(time)) - previous));
  const broken = new Map<unknown, number>(
    tablesOf(state.sections.ovs).Bridge?.data.length ? [['ovs-vswitchd', 1067]] : [],
  );
  const services = rows(state, 'services').map(service => {
    const needs = Array.isArray(service.DependsOn) ? service.DependsOn : [];
    if (needs.some(name => broken.has(name))) broken.set(service.Name, 1068);
    const exit = broken.get(service.Name);
    if (exit === undefined) return {...service, StartedAt: service.StartedAt && shifted(service.StartedAt)};
    return {...service, State: 'Stopped', ProcessId: 0, ExitCode: exit, StartedAt: null};
  });
  const programs = new Set([...broken.keys()].flatMap(name => [`${name}.exe`, `${name}-daemon.exe`]));
  setRows(state, 'services', services);
  setRows(
    state,
    'processes',
    rows(state, 'processes')
      .filter(process => !programs.has(String(process.Name)))
      .map(process => ({...process, StartTime: shifted(process.StartTime)})),
  );
  if (isObject(state.sections.hnsService)) {
    state.sections.hnsService = {...state.sections.hnsService, StartedAt: shifted(state.sections.hnsService.StartedAt)};
  }
}

function setBootTime(state: NodeState, bootedAt: Date): void {
  const os = isObject(state.sections.os) ? state.sections.os : {};
  state.sections.os = {...os, LastBootUpTime: nodeTime(bootedAt)};
  const vswitchd = rows(state, 'services').find(service => service.Name === 'ovs-vswitchd');
  setRows(state, 'events', [
    serviceEvent(
      after(bootedAt, 29 * second),
      7036,
      'Information',
      'The Host Network Service service entered the running state.',
    ),
    ...(vswitchd?.State === 'Stopped'
      ? [
          serviceEvent(
            after(bootedAt, 49 * second),
            7034,
            'Error',
            `The ${vswitchd.DisplayName} service terminated unexpectedly.  It has done this 1 time(s).`,
          ),
        ]
      : []),
    ...rows(state, 'events').filter(event => Date.parse(String(event.TimeCreated)) > bootedAt.getTime() - 20 * minute),
  ]);
}

const serviceEvent = (time: Date, id: number, level: string, message: string): JsonObject => ({
  TimeCreated: nodeTime(time),
  LogName: 'System',
  ProviderName: 'Service Control Manager',
  Id: id,
  LevelDisplayName: level,
  Message: message,
});
