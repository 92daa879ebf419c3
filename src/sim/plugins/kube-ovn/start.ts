import {appendLog} from '../../node/files.js';
import {HnsFactory} from '../../node/hns.js';
import {HostNetwork, type SimulatedAdapter} from '../../node/host-network.js';
import {addPort, changeRows, map, portNames, tablesOf} from '../../node/ovs.js';
import {endProgram, serviceRuns, startProgram} from '../../node/programs.js';
import {rows, setRows} from '../../node/state.js';
import {addNetwork, networkNamed} from '../../node/switch.js';
import {klogTime} from '../../time.js';
import type {Added, Started, Starting, WaitingPod} from '../plugin.js';
import {attach, freeOf, hasAddress, sandboxOf} from '../start.js';
import {
  controllerLog,
  daemonLog,
  gatewayName,
  hnsNetworkName,
  noDaemon,
  podMtu,
  podSubnet,
  portName,
  providerBridge,
  southbound,
  uplinkName,
  vswitchdLog,
} from './names.js';
import {addInternalPorts, kubeOvnNat, kubeOvnNetwork, podEndpoint} from './node.js';
import {kubeOvnTables, podPort, tunnelPorts} from './ovs.js';
import {onItsAdapter, tunnelEnd} from './tunnel-interface.js';

const program = 'kube-ovn-daemon.exe';

/** kube-ovn recreates what is missing (kube-ovn config_windows.go); ovn-controller then creates the tunnels. */
export function kubeOvnStart(given: Starting): Started {
  const starting = onItsAdapter(given);
  const {state, now, random} = starting;
  const why = obstacle(starting);
  if (why !== undefined) {
    endProgram(state, program);
    appendLog(state, daemonLog, now, `${klogTime(now, 'E')}    6120 ${why}`);
    return {ready: false, why};
  }
  const end = tunnelEnd(starting);
  if ('why' in end) {
    // nssm restarts it, but it fails again.
    endProgram(state, program);
    appendLog(state, daemonLog, now, `${klogTime(now, 'E')}    6120 config.go:265] ${end.why}`);
    return {ready: false, why: end.why};
  }
  if (!rows(state, 'processes').some(({Name}) => Name === program)) startProgram(state, program, now, 17, random);
  buildNetwork(starting, end.address);
  setEncapAddress(starting, end.address);
  appendLog(
    state,
    daemonLog,
    now,
    `${klogTime(now)}    6120 config.go:323] use ${end.address} on ${end.adapter} as tunnel address`,
    `${klogTime(now)}    6120 ovs_windows.go:288] wait ${gatewayName} gw ready`,
  );
  if (serviceRuns(state, 'ovn-controller')) makeTunnels(starting);
  return {ready: true};
}

function obstacle({node, state}: Starting): string | undefined {
  const down = ['ovsdb-server', 'ovs-vswitchd', 'kube-ovn'].find(service => !serviceRuns(state, service));
  if (down) return `${down} does not run`;
  if (networkNamed(state, hnsNetworkName)) return undefined;
  const uplink = uplinkName(node);
  const isTaken = rows(state, 'adapterBindings').some(
    row => row.Name === uplink && row.ComponentID === 'vms_pp' && row.Enabled === true,
  );
  // A switch without an HNS network on the adapter blocks a new network (hcsshim: E_INVALIDARG).
  if (isTaken)
    return `config_windows.go:77] failed to create hns network ${hnsNetworkName}: The parameter is incorrect. (0x57)`;
  if (!hasAddress(state, node.address)) return `config.go:291] iface ${uplink} has no valid IP address`;
  return undefined;
}

function buildNetwork({cluster, node, state, now, random}: Starting, address: string): void {
  if (!networkNamed(state, hnsNetworkName)) {
    const factory = new HnsFactory(node.release, random.for('hns'));
    addNetwork(state, kubeOvnNetwork(factory, cluster, {...node, address}, now), random, providerBridge);
  }
  const network = new HostNetwork(random.for('ports'), state);
  const uplink = network.named(uplinkName(node));
  const provider = network.named(providerBridge);
  if (!uplink || !provider) return;
  const next = network.nextIndex();
  const present = {bridge: network.named('br-int'), gateway: network.named(gatewayName)};
  const ports: {bridge: SimulatedAdapter; gateway: SimulatedAdapter} =
    present.bridge && present.gateway
      ? {bridge: present.bridge, gateway: present.gateway}
      : addInternalPorts(cluster, node, network, {bridge: next, gateway: next + 1});
  Object.assign(state.sections, network.sections());
  const others = rows(state, 'netNats').filter(nat => nat.Name !== hnsNetworkName);
  setRows(state, 'netNats', [...others, kubeOvnNat(cluster)]);
  if (portNames(state.sections.ovs).includes(providerBridge)) return;
  const adapters = {uplink, provider, ...ports, pods: new Map<string, SimulatedAdapter>()};
  state.sections.ovs = kubeOvnTables(cluster, {...node, pods: []}, adapters, false);
  const added = `bridge ${providerBridge}: added interface ${uplink.name} on port 1`;
  appendLog(state, vswitchdLog, now, `${now.toISOString()}|00031|bridge|INFO|${added}`);
}

function setEncapAddress({state}: Starting, address: string): void {
  changeRows(tablesOf(state.sections.ovs).Open_vSwitch, ({external_ids}) => {
    const [, pairs] = Array.isArray(external_ids) ? external_ids : [];
    const entries = Object.fromEntries(Array.isArray(pairs) ? (pairs as [string, string][]) : []);
    return {external_ids: map({...entries, 'ovn-encap-ip': address})};
  });
}

function makeTunnels({cluster, node, state, now, random}: Starting): void {
  const present = new Set(portNames(state.sections.ovs));
  const missing = tunnelPorts(cluster, node).filter(port => !present.has(port.name));
  for (const port of missing) addPort(tablesOf(state.sections.ovs), 'br-int', port, random.for(port.name));
  if (!rows(state, 'processes').some(({Name}) => Name === 'ovn-controller.exe'))
    startProgram(state, 'ovn-controller.exe', now, 3, random);
  appendLog(
    state,
    controllerLog,
    now,
    `${now.toISOString()}|00004|reconnect|INFO|tcp:127.0.0.1:6640: connected`,
    `${now.toISOString()}|00011|reconnect|INFO|tcp:${southbound(cluster)}:6642: connected`,
  );
}

/** The daemon serves the CNI plugin, and waits until ovn-controller has installed the port. */
export function addKubeOvnPod(starting: Starting, waiting: WaitingPod): Added {
  const {cluster, node, state, now, random} = starting;
  const network = networkNamed(state, hnsNetworkName);
  const serves = rows(state, 'processes').some(({Name}) => Name === program);
  if (!network || !serves || !serviceRuns(state, 'ovn-controller')) return {ready: false, why: noDaemon};
  // The controller assigns addresses for all nodes; here each node takes new ones from a separate range.
  const pod = sandboxOf(starting, waiting, () => freeOf(state, node, podSubnet(cluster), 1_000 + 100 * node.number));
  if (!pod) return {ready: false, why: 'plugin type="kube-ovn" failed (add): AddressOutOfRange'};
  const factory = new HnsFactory(node.release, random.for(pod.sandbox));
  attach(starting, factory.endpoint(now, network, podEndpoint(cluster, pod)), podMtu);
  const vnic = new HostNetwork(random, state).named(`vEthernet (${portName(pod)})`);
  const port = podPort(pod, portNames(state.sections.ovs).length, vnic?.index ?? 0);
  addPort(tablesOf(state.sections.ovs), 'br-int', port, random.for(port.name));
  appendLog(
    state,
    controllerLog,
    now,
    `${now.toISOString()}|00083|binding|INFO|Claiming lport ${pod.name}.${pod.namespace} for this chassis.`,
  );
  return {ready: true, pod};
}
