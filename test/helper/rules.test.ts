import {createHash} from 'node:crypto';
import {expect, it} from 'vitest';
import {plan as planSchema} from '../../src/model/plan.js';
import type {PlanStep} from '../../src/model/step.js';
import {refusalOf} from '../../src/repair/steps/all.js';
import type {NodeDump} from '../../src/snapshot/document.js';
import {patient} from '../repair/support.js';
import {nodeForEveryStep, ovsExtension} from './every-step.js';
import {withFunctions} from './functions.js';
import {planOf} from './plans.js';
import {ask, describeHelper, machineFor} from './powershell.js';
import {type Row, rows} from './state.js';

// The client and the node reject the same steps, each with its own rules.

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const id = '7A1C94B0-53B0-4E9A-9D0B-0F6A7C1D2E3F';
const services = [
  'hns',
  'kube-proxy',
  'ovsdb-server',
  'OVS-vswitchd',
  'antrea-agent',
  'lsass',
  'kubelet',
  'WinDefend',
  'ovs*',
];
const paths = [
  'C:\\var\\lib\\cni\\networks\\antrea\\10.124.1.14',
  'C:\\var\\lib\\cni\\..\\..\\Windows\\win.ini',
  'C:\\var\\lib\\cni-other\\a',
  'C:\\var\\lib\\cni\\a:stream',
  'C:\\etc\\cni\\net.d\\10-antrea.conflist',
  'C:\\run\\flannel\\subnet.env',
  'C:\\k\\hns.pid',
  'C:\\openvswitch\\var\\run\\openvswitch\\ovs-vswitchd.pid',
  'C:\\openvswitch\\etc\\openvswitch\\conf.db',
  'C:\\openvswitch\\etc\\openvswitch\\.conf.db.~lock~',
  'C:\\sourcevip\\sourceVip.json',
  'C:\\k\\azure-vnet.json',
  'C:\\Windows\\System32\\drivers\\etc\\hosts',
];
const rule = (name: string, protocol: 'TCP' | 'UDP', port: number): PlanStep => ({
  do: 'firewall.allow',
  with: {name, displayName: 'x', protocol, port},
});
const route = (destination: string, nextHop: string): PlanStep => ({
  do: 'route.add',
  with: {destination, nextHop, adapter: 'br-int'},
});

/** The network of the plugin in the case. */
const networkId = '372010D4-4E79-496C-8E2A-A800E56A9688';
const protectedNames = ['nat', 'NAT', 'Default Switch', 'BaseOVNKubernetesHybridOverlayNetwork', 'basement'];

const steps: PlanStep[] = [
  ...services.flatMap((name): PlanStep[] => [
    {do: 'service.stop', with: {name}},
    {do: 'service.start', with: {name}},
    {do: 'service.restart', with: {name}},
  ]),
  ...paths.map((path): PlanStep => ({do: 'file.remove', with: {path}})),
  ...[22, 179, 3389, 5985, 7471, 10250].map(port => rule(`kubectl-win-TCP-${port}`, 'TCP', port)),
  ...[53, 3389, 4789, 4790, 6081, 8472, 9898].map(port => rule(`kubectl-win-UDP-${port}`, 'UDP', port)),
  rule('*', 'UDP', 6081),
  rule('kubectl-win-UDP-*', 'UDP', 6081),
  rule('kubectl-win-udp-6081', 'UDP', 6081),
  ...['0.0.0.0/0', '0.0.0.0/1', '128.0.0.0/1', '10.0.0.0/7', '10.0.0.0/8', '10.124.1.0/24', '169.254.169.254/32'].map(
    destination => route(destination, '10.21.40.1'),
  ),
  ...['::/0', 'fd00::/15', 'fd00::/16', 'fd00:1::/64'].map(destination => route(destination, 'fd00::1')),
  ...['0.0.0.0', '127.0.0.1', '224.0.0.1', '255.255.255.255', '10.21.40.1'].map(hop => route('10.9.0.0/16', hop)),
  {do: 'registry.removeValue', with: {path: 'HKLM:\\Software\\Tigera\\Calico', name: 'LastBootTime'}},
  {do: 'registry.removeValue', with: {path: 'HKLM:\\Software\\Tigera\\Calico', name: 'Other'}},
  {do: 'registry.removeValue', with: {path: 'HKLM:\\SAM', name: 'LastBootTime'}},
  ...[...protectedNames, 'ext', 'antrea-hnsnetwork'].map(
    (name): PlanStep => ({do: 'hns.removeNetwork', with: {id: networkId, name}}),
  ),
  ...protectedNames.flatMap((name): PlanStep[] => [
    {do: 'vswitch.remove', with: {name}},
    {do: 'vnic.remove', with: {switchName: name, name: 'br-int'}},
    {do: 'vswitch.setExtension', with: {switchName: name, extensionId: ovsExtension, enabled: true}},
    {do: 'vswitch.setExtension', with: {switchName: name, extensionId: ovsExtension, enabled: false}},
  ]),
];

/** Values that are invalid for the type of a parameter. */
const malformed = [
  {do: 'route.add', with: {destination: '10.1.0.0/33', nextHop: '10.0.0.1', adapter: 'x'}},
  {do: 'route.add', with: {destination: '10.1.0.0/16', nextHop: '10.1', adapter: 'x'}},
  {do: 'route.add', with: {destination: '10.1.0.0/16', nextHop: 'fe80::1%4', adapter: 'x'}},
  {do: 'service.stop', with: {name: 'hns'}, timeoutSeconds: 901},
  {do: 'service.stop', with: {name: 'hns'}, timeoutSeconds: 0},
  {do: 'service.stop', with: {name: 'hns'}, why: 'x'.repeat(501)},
  {do: 'hns.removeNetwork', with: {id: 'x', name: 'n'}},
  {do: 'service.stop', with: {name: 'a\u0007'}},
];

/** Whether the node accepts each step, according to the helper's own functions, in one PowerShell. */
function takenByNode(all: readonly object[]): boolean[] {
  const script = `foreach ($step in $given) { try { Assert-PlanStep -Step $step -Where 'Step'; 'true' } catch { 'false' } }`;
  return withFunctions(script, all).map(line => line === 'true');
}

describeHelper('the rules of the client and of the node', () => {
  it('reject and accept the same steps', () => {
    const subject = patient('01-antrea-healthy').subject();
    const client = steps.map(step => refusalOf(step, subject, subject.node.hnsNetworks ?? []) === undefined);
    const node = takenByNode(steps);
    // A plan of another plugin may name its agent and files; the node knows all plugins.
    const stricter = steps.filter((_, index) => client[index] && !node[index]);
    expect(stricter).toEqual([]);
    const laxer = steps.filter((_, index) => !client[index] && node[index]);
    expect(laxer).toEqual([]);
  });

  it('reject the same values', () => {
    const base = {apiVersion: 'kubectl-win/v1', kind: 'Plan', id: id.toLowerCase(), node: 'win-1', title: 't'};
    const client = malformed.map(
      step => planSchema.safeParse({...base, createdAt: '2026-03-03T10:41:07Z', steps: [step]}).success,
    );
    expect(client).toEqual(malformed.map(() => false));
    expect(takenByNode(malformed)).toEqual(client);
  });
});

/** What the node says to a step in the current state of a node. */
async function checkedBy(node: NodeDump, checked: readonly PlanStep[]): Promise<string[]> {
  const machine = machineFor(node);
  try {
    const {text: plan, hash} = planOf(checked);
    const {messages} = await ask(machine, {protocol: 1, request: 'plan.check', deadlineMs: 120_000, plan, hash});
    const line = messages[1] as {check?: {outcome: string; message: string}[]};
    return (line.check ?? []).map(({outcome, message}) => `${outcome}: ${message}`);
  } finally {
    await machine.dispose();
  }
}

describeHelper('the rules of the node that depend on its state', () => {
  const add = (node: NodeDump, section: string, ...more: Row[]) => {
    node.sections[section] = [...rows(node, section), ...more];
  };
  const idOf = (index: number) => `AAAAAAAA-0000-4000-8000-00000000000${index}`;

  it('let a plan remove networks of plugins, and of those called External only the one of Flannel', async () => {
    const networks = [
      {
        Name: 'External',
        Type: 'Overlay',
        Subnets: [{AddressPrefix: '192.168.255.0/30', GatewayAddress: '192.168.255.1'}],
      },
      {Name: 'External', Type: 'Overlay', Subnets: [{AddressPrefix: '10.1.0.0/16', GatewayAddress: '10.1.0.1'}]},
      {Name: 'external', Type: 'Transparent', Subnets: []},
      {Name: 'WSL', Type: 'ICS', Subnets: []},
      {Name: 'docker1', Type: 'nat', Subnets: []},
      {Name: 'vxlan0', Type: 'Overlay', Subnets: []},
    ];
    const node = nodeForEveryStep();
    add(node, 'hnsNetworks', ...networks.map((network, index) => ({ID: idOf(index), ...network})));
    const removals = networks.map(
      ({Name: name}, index): PlanStep => ({do: 'hns.removeNetwork', with: {id: idOf(index), name}}),
    );
    expect(await checkedBy(node, removals)).toEqual([
      'ready: HNS network External of type Overlay exists.',
      'blocked: HNS network External does not belong to a network plugin and is not removed.',
      'blocked: HNS network external does not belong to a network plugin and is not removed.',
      'blocked: HNS network WSL does not belong to a network plugin and is not removed.',
      'blocked: HNS network docker1 does not belong to a network plugin and is not removed.',
      'ready: HNS network vxlan0 of type Overlay exists.',
    ]);
  });

  it('keep endpoints of other networks, of other nodes and of the node itself', async () => {
    const node = nodeForEveryStep();
    add(node, 'hnsNetworks', {ID: idOf(9), Name: 'nat', Type: 'nat', Subnets: []});
    const own = {VirtualNetwork: networkId, VirtualNetworkName: 'antrea-hnsnetwork', Policies: []};
    const endpoints: Row[] = [
      {
        ...own,
        Name: 'container',
        VirtualNetwork: idOf(9),
        VirtualNetworkName: 'nat',
        IPAddress: '172.28.96.7',
        State: 2,
      },
      {...own, Name: 'elsewhere', IPAddress: '10.124.2.5', IsRemoteEndpoint: true, State: 1},
      {...own, Name: 'gateway', IPAddress: '10.124.1.1', State: 3},
      {...own, Name: 'detached', IPAddress: '10.124.1.1', State: 1},
      {...own, Name: 'left', VirtualNetwork: idOf(8), IPAddress: '10.9.0.2', State: 1},
    ];
    add(node, 'hnsEndpoints', ...endpoints.map((endpoint, index) => ({ID: idOf(index), ...endpoint})));
    const removals = endpoints.map((_, index): PlanStep => ({do: 'hns.removeEndpoint', with: {id: idOf(index)}}));
    expect(await checkedBy(node, removals)).toEqual([
      'blocked: HNS endpoint container is on nat, which does not belong to a network plugin, and is not removed.',
      'blocked: HNS endpoint elsewhere is in use by the node itself and is not removed.',
      'blocked: HNS endpoint gateway is in use by the node itself and is not removed.',
      'ready: HNS endpoint detached exists.',
      'ready: HNS endpoint left exists.',
    ]);
  });

  it('keep a NIC bound to its switch while it carries a network', async () => {
    const release: PlanStep = {
      do: 'adapter.setBinding',
      with: {adapter: 'Ethernet0', componentId: 'vms_pp', enabled: false},
    };
    const node = nodeForEveryStep();
    expect(await checkedBy(node, [release])).toEqual([
      'blocked: Adapter Ethernet0 carries HNS network antrea-hnsnetwork, so it stays bound to its switch.',
    ]);
    node.sections.hnsNetworks = [];
    expect(await checkedBy(node, [release])).toEqual(['ready: Binding vms_pp of adapter Ethernet0 is enabled: True.']);
  });

  it('know the bridges of plugins by their names, and those of Antrea by its mark', () => {
    const marked = [{settings: {external_ids: ['map', [['antrea-type', 'uplink']]]}}];
    const bridges = [
      {name: 'br-int', ports: []},
      {name: 'vEthernet (Ethernet0)', ports: []},
      {name: 'custom', ports: marked},
      {name: 'custom', ports: []},
    ];
    const script = 'foreach ($bridge in $given) { [string](Test-PluginBridge -Bridge $bridge) }';
    expect(withFunctions(script, bridges)).toEqual(['True', 'True', 'True', 'False']);
  });
});

describeHelper('a plan is bound to its node', () => {
  const isTaken = async (node: string, own: string) => {
    const machine = machineFor(nodeForEveryStep());
    try {
      const text = JSON.stringify({...JSON.parse(planOf([{do: 'ip.renew', with: {adapter: 'x'}}]).text), node});
      const request = {protocol: 1, request: 'plan.check', deadlineMs: 120_000, plan: text, hash: sha256(text)};
      const {messages} = await ask(machine, request, {environment: {KUBECTL_WIN_NODE: own}});
      return messages.find(({type}) => type === 'error') ?? 'taken';
    } finally {
      await machine.dispose();
    }
  };

  it.each([
    ['win-1', 'win-1', undefined],
    ['win-2', 'win-1', 'The plan is for node win-2, not for win-1.'],
    ['win-1', '', 'KUBECTL_WIN_NODE is not set: whether the plan is for this node is unknown.'],
    ['WIN-1', 'WIN-1', "'node' is not the name of a node in Kubernetes."],
    ['../win-1', '../win-1', "'node' is not the name of a node in Kubernetes."],
  ])('one for %s on %s', async (node, own, message) => {
    const answer = await isTaken(node, own);
    expect(answer).toEqual(message === undefined ? 'taken' : {type: 'error', kind: 'BadRequest', message});
  });
});
