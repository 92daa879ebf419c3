import {removeRows} from '../../node/edit.js';
import {appendLog} from '../../node/files.js';
import {HnsFactory} from '../../node/hns.js';
import {HostNetwork} from '../../node/host-network.js';
import {addPort, portNames, tablesOf} from '../../node/ovs.js';
import {endProgram, serviceRuns, startProgram} from '../../node/programs.js';
import {networkNamed} from '../../node/switch.js';
import {removePort} from '../../plans/ovs-rows.js';
import {klogTime} from '../../time.js';
import type {Added, Started, Starting, WaitingPod} from '../plugin.js';
import {attach, freeOf, hasAddress, sandboxOf} from '../start.js';
import {missingNetwork} from './files.js';
import {
  agentLog,
  agentService,
  controllerLog,
  networkName,
  notConfigured,
  podMtu,
  portName,
  program,
  uplinkBridge,
} from './names.js';
import {podEndpoint} from './node.js';
import {podPort} from './ovs.js';

/** ovnkube and ovn-controller need existing objects: neither creates the network or the uplink bridge. */
export function olderOvnStart(starting: Starting): Started {
  const {cluster, node, state, now, random} = starting;
  const why = obstacle(starting);
  if (why !== undefined) {
    endProgram(state, program);
    appendLog(state, agentLog, now, `${klogTime(now, 'F')}    5012 ovnkube.go:119] ${why}`);
    return {ready: false, why};
  }
  startProgram(state, program, now, 19, random);
  appendLog(
    state,
    agentLog,
    now,
    `${klogTime(now)}    5012 node.go:181] Node ${node.name} ready for ovn initialization with subnet ${node.podCIDR}`,
  );
  appendLog(
    state,
    controllerLog,
    now,
    `${now.toISOString()}|00011|reconnect|INFO|tcp:${cluster.apiServer}:6642: connected`,
  );
  return {ready: true};
}

function obstacle({node, state}: Starting): string | undefined {
  const down = ['ovsdb-server', 'ovs-vswitchd', 'ovn-controller', agentService].find(name => !serviceRuns(state, name));
  if (down) return `${down} does not run`;
  if (!networkNamed(state, networkName)) return missingNetwork;
  return hasAddress(state, node.address) ? undefined : `failed to get interface ${uplinkBridge(node)}`;
}

/** The CNI program creates the endpoint, then the OVS port of the same name. */
export function addOlderOvnPod(starting: Starting, waiting: WaitingPod): Added {
  const {cluster, node, state, now, random} = starting;
  const network = networkNamed(state, networkName);
  const runs = ['ovs-vswitchd', 'ovn-controller', agentService].every(name => serviceRuns(state, name));
  if (!network || !runs) return {ready: false, why: notConfigured};
  const pod = sandboxOf(starting, waiting, () => freeOf(state, node, node.podCIDR, 3));
  if (!pod)
    return {ready: false, why: 'plugin type="ovn-k8s-cni-overlay.exe" failed (add): failed to get pod annotation'};
  removeRows(state, 'hnsEndpoints', ({Name}) => Name === portName(pod));
  const factory = new HnsFactory(node.release, random.for(pod.sandbox));
  attach(starting, factory.endpoint(now, network, podEndpoint(cluster, node, pod)), podMtu);
  const vnic = new HostNetwork(random, state).named(`vEthernet (${portName(pod)})`);
  const tables = tablesOf(state.sections.ovs);
  const port = podPort(pod, portNames(state.sections.ovs).length, vnic?.index ?? 0);
  // A row left by the pod's previous sandbox is reused.
  removePort(state, port.name);
  addPort(tables, 'br-int', port, random.for(port.name));
  return {ready: true, pod};
}
