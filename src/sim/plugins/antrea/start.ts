import {isObject, listAt} from '../../json.js';
import {editRows} from '../../node/edit.js';
import {appendLog, writeLog} from '../../node/files.js';
import {HnsFactory} from '../../node/hns.js';
import {HostNetwork} from '../../node/host-network.js';
import {addPort, portNames, tablesOf} from '../../node/ovs.js';
import {endProgram, serviceRuns, startProgram} from '../../node/programs.js';
import {type NodeState, rows, setRows} from '../../node/state.js';
import {addNetwork, networkNamed, uplinkOf} from '../../node/switch.js';
import {log} from '../../node/windows.js';
import {klogTime, nodeTime} from '../../time.js';
import {exhausted, freeAddress, lease} from '../host-local.js';
import type {Added, Started, Starting, WaitingPod} from '../plugin.js';
import {attach, hasAddress, sandboxOf} from '../start.js';
import {
  agentLog,
  bridgeName,
  gatewayName,
  hasOvsInPod,
  hnsNetworkName,
  name,
  noAgent,
  ovsPrograms,
  portName,
  uplinkName,
  vswitchdLog,
} from './names.js';
import {addGateway, antreaNats, antreaNetwork, antreaRules, podEndpoint, podMtu} from './node.js';
import {antreaOvs, podPort} from './ovs.js';

const program = 'antrea-agent.exe';

/** Requires OVS, then creates the network, the bridge on its switch, and the gateway (antrea agent_windows.go). */
export function antreaStart(starting: Starting): Started {
  const {node, state, now, random} = starting;
  startProgram(state, program, now, 22, random);
  if (hasOvsInPod(starting.cluster)) startOvs(starting);
  writtenAtStart(state, now);
  const say = (level: string, ...lines: string[]) =>
    writeLog(
      state,
      log(
        agentLog(starting.cluster),
        4_096,
        now,
        lines.map(line => `${klogTime(now, level)}    4304 ${line}`),
      ),
    );
  const why = obstacle(starting);
  if (why !== undefined) {
    say('E', why);
    return {ready: false, why};
  }
  const network = networkNamed(state, hnsNetworkName);
  if (!network) {
    addNetwork(state, antreaNetwork(new HnsFactory(node.release, random.for('hns')), node, now), random, bridgeName);
  }
  buildHost(starting);
  say(
    'I',
    `net_windows.go:146] "Created HNSNetwork" name="${hnsNetworkName}" id="${networkNamed(state, hnsNetworkName)?.ID}"`,
    'agent.go:1020] "Setting Node MTU" MTU=1450',
  );
  return {ready: true};
}

/** The pod's second container. ovs-vswitchd exits if its bridge has no switch. */
function startOvs({state, now, random}: Starting): void {
  const isStale = portNames(state.sections.ovs).length > 0 && !networkNamed(state, hnsNetworkName);
  for (const ovs of ovsPrograms)
    if (ovs === 'ovs-vswitchd.exe' && isStale) endProgram(state, ovs);
    else startProgram(state, ovs, now, 5, random);
}

/** What blocks the agent, in the wording of its log. */
function obstacle({cluster, node, state}: Starting): string | undefined {
  const down = hasOvsInPod(cluster)
    ? undefined
    : ['ovsdb-server', 'ovs-vswitchd'].find(service => !serviceRuns(state, service));
  if (down) return `ovs_client.go:88] Not connected yet, will try again: ${down} does not run`;
  if (networkNamed(state, hnsNetworkName)) return undefined;
  if (portNames(state.sections.ovs).length > 0)
    return `agent.go:247] Failed to prepare OVS bridge: ${bridgeName} is in OVSDB without its HNS network`;
  const uplink = uplinkName(node);
  const isTaken = rows(state, 'adapterBindings').some(
    row => row.Name === uplink && row.ComponentID === 'vms_pp' && row.Enabled === true,
  );
  const isLeft = rows(state, 'vmSwitches').some(row => row.Name === hnsNetworkName);
  if (isTaken || isLeft) return `agent.go:247] uplink "${uplink}" is not a physical adapter`;
  if (!hasAddress(state, node.address))
    return `agent.go:247] no interface has the address of the Node, ${node.address}`;
  return undefined;
}

/** Files that the init container of the pod writes at every start. */
function writtenAtStart(state: NodeState, now: Date): void {
  editRows(
    state,
    'files',
    row => /\\(10-antrea\.conflist|antrea\.exe|host-local\.exe|antctl\.exe)$/.test(String(row.Path)),
    () => ({LastWriteTime: nodeTime(now)}),
  );
}

/** The bridge with the uplink and the node's address, the gateway, NAT, and firewall rules. */
function buildHost({cluster, node, state, now, random}: Starting): void {
  const network = new HostNetwork(random.for('gateway'), state);
  const uplinkRow = uplinkOf(state, networkNamed(state, hnsNetworkName) ?? {});
  const uplink = network.named(String(uplinkRow?.Name));
  const bridge = network.named(bridgeName);
  if (!uplink || !bridge) return;
  network.forward(bridge);
  const gateway = network.named(gatewayName) ?? addGateway(cluster, node, network, network.nextIndex());
  Object.assign(state.sections, network.sections());
  setRows(state, 'netNats', [
    ...rows(state, 'netNats').filter(nat => !String(nat.Name).startsWith('antrea-nat')),
    ...antreaNats(node),
  ]);
  const {firewall} = state.sections;
  const kept = listAt(firewall, 'Rules').filter(
    rule => isObject(rule) && !antreaRules.some(({DisplayName}) => DisplayName === rule.DisplayName),
  );
  state.sections.firewall = {...(isObject(firewall) && firewall), Rules: [...antreaRules, ...kept]};
  if (portNames(state.sections.ovs).includes(bridgeName)) return;
  state.sections.ovs = antreaOvs({...node, pods: []}, {uplink, bridge, gateway, pods: new Map()});
  const added = `bridge|INFO|bridge ${bridgeName}: added interface ${uplink.name} on port 32770`;
  appendLog(state, vswitchdLog(cluster), now, `${now.toISOString()}|00031|${added}`);
}

/** The agent serves the CNI plugin: adds an endpoint, a port of the same name on the bridge, and a lease. */
export function addAntreaPod(starting: Starting, waiting: WaitingPod): Added {
  const {cluster, node, state, now, random} = starting;
  const network = networkNamed(state, hnsNetworkName);
  const serves = rows(state, 'processes').some(({Name}) => Name === program);
  if (!network || !serves || !portNames(state.sections.ovs).includes(bridgeName)) return {ready: false, why: noAgent};
  const pod = sandboxOf(starting, waiting, () => freeAddress(state, name, node, 2));
  if (!pod) return {ready: false, why: exhausted('antrea', name, node.podCIDR)};
  const factory = new HnsFactory(node.release, random.for(pod.sandbox));
  attach(starting, factory.endpoint(now, network, podEndpoint(cluster, node, pod)), podMtu);
  const vnic = new HostNetwork(random, state).named(`vEthernet (${portName(pod)})`);
  const tables = tablesOf(state.sections.ovs);
  const number = portNames(state.sections.ovs).length;
  addPort(tables, bridgeName, podPort(pod, number, vnic?.index ?? 0, podMtu), random.for(portName(pod)));
  lease(state, name, pod);
  return {ready: true, pod};
}
