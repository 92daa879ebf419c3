import type {PlanStep, StepName} from '../../src/model/step.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {nativeSections, nodeOf} from './powershell.js';
import {type Row, rows} from './state.js';

const oddName = `Ethernet "7"; $(New-Item executed) 'Netzwerk' №9`;
export const ovsExtension = '583CC151-73EC-4A6A-8B47-578297AD7623';
const uplink = 'Ethernet0';
export const deadMan = {
  address: '10.21.40.61',
  gateway: '10.21.40.1',
  apiServer: '10.21.40.11:6443',
  withinSeconds: 20,
};

/** An Antrea node on which every step has something to do. */
export function nodeForEveryStep(): NodeDump {
  const node = nodeOf('01-antrea-healthy');
  const add = (section: string, ...more: Row[]) => {
    node.sections[section] = [...rows(node, section), ...more];
  };
  const [endpoint] = rows(node, 'hnsEndpoints');
  add('hnsPolicyLists', {
    ID: '11111111-2222-4333-8444-555555555555',
    References: [`/endpoints/${String(endpoint?.ID)}`],
    Policies: [{Type: 'ELB', Protocol: 17, InternalPort: 53, ExternalPort: 53, VIPs: ['10.96.0.10']}],
    State: 2,
  });
  add('hnsEndpoints', {
    ID: 'AAAAAAAA-2222-4333-8444-555555555555',
    Name: 'leaked',
    VirtualNetwork: endpoint?.VirtualNetwork,
    VirtualNetworkName: 'antrea-hnsnetwork',
    IPAddress: '10.124.1.99',
    MacAddress: '00-15-5D-00-00-99',
    Policies: [],
    State: 4,
  });
  add('vmSwitches', {
    Name: 'orphan',
    Id: '99999999-0000-4000-8000-000000000000',
    SwitchType: 'Private',
    AllowManagementOS: false,
  });
  add('netAdapters', {
    ...rows(node, 'netAdapters')[0],
    Name: oddName,
    InterfaceIndex: 77,
    InterfaceDescription: 'odd',
    MacAddress: '00-50-56-00-00-77',
  });
  add('adapterBindings', {Name: oddName, ComponentID: 'ms_tcpip', Enabled: true});
  add('registry', {Path: 'HKLM:\\Software\\Tigera\\Calico', Name: 'LastBootTime', Value: '2/24/2026 3:12:40 AM'});
  // Its own agent, which has no dependents.
  add('services', {...rows(node, 'services').find(({Name}) => Name === 'kubelet'), Name: 'flanneld', DependsOn: []});
  const [nodeAddress] = rows(node, 'netIPAddresses').filter(({IPAddress}) => IPAddress === deadMan.address);
  add('netIPAddresses', {...nodeAddress, IPAddress: '10.21.40.200', PrefixOrigin: 'Manual'});
  return node;
}

const lease = 'C:\\var\\lib\\cni\\networks\\antrea\\10.124.1.14';

/** One step of each kind, in an order in which each has something to do. The network is interrupted and comes back. */
export function everyStep(node: NodeDump): PlanStep[] {
  return allSteps(node).filter(step => step.do !== 'ovs.deleteBridge' || nativeSections.length === 0);
}

type EveryStep = {[Name in StepName]: Omit<Extract<PlanStep, {do: Name}>, 'do'>};

export function allSteps(node: NodeDump): PlanStep[] {
  const network = rows(node, 'hnsNetworks').find(({Name}) => Name === 'antrea-hnsnetwork');
  const endpoints = rows(node, 'hnsEndpoints').map(({ID}) => String(ID));
  // Every step name is required here; the order is that of the plan.
  const all: EveryStep = {
    'service.stop': {with: {name: 'ovs-vswitchd'}},
    'ovs.deleteBridge': {with: {bridge: 'br-int'}},
    'hns.removePolicyLists': {with: {}},
    'hns.removeEndpoint': {with: {id: 'AAAAAAAA-2222-4333-8444-555555555555'}},
    'vswitch.setExtension': {with: {switchName: 'antrea-hnsnetwork', extensionId: ovsExtension, enabled: false}},
    'vnic.remove': {with: {switchName: 'antrea-hnsnetwork', name: 'br-int'}, cuts: true},
    'hns.removeNetwork': {with: {id: String(network?.ID), name: 'antrea-hnsnetwork', endpoints}, cuts: true},
    'vswitch.remove': {with: {name: 'orphan'}},
    'adapter.setBinding': {with: {adapter: oddName, componentId: 'ms_tcpip', enabled: false}},
    'ip.renew': {with: {adapter: uplink}, cuts: true},
    'ip.restore': {with: {from: 'br-int', to: uplink}, cuts: true},
    'file.remove': {with: {path: lease}},
    'registry.removeValue': {with: {path: 'HKLM:\\Software\\Tigera\\Calico', name: 'LastBootTime'}},
    'firewall.allow': {with: {name: 'kubectl-win-UDP-6081', displayName: 'Geneve', protocol: 'UDP', port: 6081}},
    'route.add': {with: {destination: '169.254.169.254/32', nextHop: '10.21.40.1', adapter: uplink}},
    'service.restart': {with: {name: 'flanneld'}},
    'service.start': {with: {name: 'ovs-vswitchd'}},
    'hns.createExternal': {with: {adapter: uplink}, cuts: true},
    'wait.until': {with: {until: 'address', address: deadMan.address}},
  };
  return Object.entries(all).map(([name, step]) => ({do: name, ...step}) as PlanStep);
}

/** The step of a kind, with the preceding steps that it needs to have something to do; without a reachability check. */
export function stepsFor(kind: StepName, node: NodeDump): PlanStep[] {
  const all = everyStep(node);
  const needs: Partial<Record<StepName, StepName[]>> = {
    'ip.renew': ['vnic.remove', 'hns.removeNetwork'],
    'ip.restore': ['vnic.remove', 'hns.removeNetwork', 'ip.renew'],
    'service.start': ['service.stop'],
  };
  const wanted = [...(needs[kind] ?? []), kind];
  const route: PlanStep = {
    do: 'route.add',
    with: {destination: '169.254.169.254/32', nextHop: '10.21.40.1', adapter: 'br-int'},
  };
  return all
    .filter(step => wanted.includes(step.do))
    .map(step => (step.do === 'route.add' ? route : {...step, cuts: false}));
}
