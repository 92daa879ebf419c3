import {describe, expect, test} from 'vitest';
import type {ClientStep, PlanStep} from '../../../src/model/step.js';
import {isUntouchable} from '../../../src/repair/node/ownership.js';
import {nodeViolations, violations} from '../../../src/repair/plan/refusals.js';
import type {Network} from '../../../src/snapshot/hns.js';
import {antreaAsService, bootedAgo, but, flannelAfterReboot, loseProcess, setFile} from '../scenes.js';
import {failing, order, patient} from '../support.js';

const hard = {level: 'hard'} as const;
/** FILETIME of five minutes before the snapshot of the Antrea case. */
const young = (Date.parse('2026-03-03T10:36:07Z') + 11_644_473_600_000) * 10_000;
const antrea = () => patient('01-antrea-healthy');
const flannel = () => patient('06-flannel-overlay-healthy', 'fl-win-a');
const agent = failing('ovs/gateway-port');

describe('foreign networks', () => {
  const named = (name: string, type = 'L2Bridge') => ({name, type}) as Network;

  test.each([
    named('nat', 'nat'),
    named('NAT', 'nat'),
    named('External'),
    named('ext'),
    named('BaseOVNKubernetesHybridOverlayNetwork', 'Overlay'),
    named('BaseOpenShiftNetwork', 'Overlay'),
    named('Default Switch', 'ICS'),
    named('78655d453ff194667b479debf1d68478ad39c40130f838a646180f1ad2cb9e47', 'nat'),
    named('WSL', 'ICS'),
  ])('are never changed: $name', network => {
    expect(isUntouchable(network)).toBe(true);
  });

  test.each(['azure', 'external-lb', 'extra', 'natural'])('are recognised by whole names: %s', name => {
    expect(isUntouchable(named(name))).toBe(false);
  });

  const foreign = {ID: '11111111-2222-3333-4444-555555555555', Name: 'customer-net', Type: 'L2Bridge', Subnets: []};
  const withForeign = () => but(flannel(), node => node.sections.hnsNetworks.push(foreign), 'fl-win-a');

  test('stay if a file says otherwise, with or without force', () => {
    const subject = withForeign().subject();
    const remove = (id: string, name: string): PlanStep => ({do: 'hns.removeNetwork', with: {id, name}});
    expect(nodeViolations(subject, [remove(foreign.ID, 'customer-net')])).toEqual([
      {reason: 'HNS network customer-net does not belong to Flannel and is not removed.', forcible: false},
    ]);
    expect(nodeViolations(subject, [remove('BA8FD740-E441-464E-98E9-919FA563A650', 'External')])).toHaveLength(1);
    expect(nodeViolations(subject, [remove('d6c45481-395b-4938-8085-7648934f83e2', 'flannel.4096')])).toEqual([]);
  });

  test('keep their switch and their NIC', () => {
    const shared = but(antrea(), node => {
      const own = node.sections.hnsNetworks.find(({Name}: {Name: string}) => Name === 'antrea-hnsnetwork');
      node.sections.hnsNetworks.push({...own, ...foreign, LayeredOn: own.LayeredOn, NetworkAdapterName: 'Ethernet0'});
    });
    expect(shared.reasons({...hard, force: true}, [])).toEqual([
      'HNS network customer-net also uses switch antrea-hnsnetwork, so the switch is not removed.',
      'Ethernet0 carries HNS network customer-net, so it stays bound to its switch.',
      'HNS network customer-net also uses switch antrea-hnsnetwork, so the switch is not removed.',
    ]);
    expect(antrea().outcome({...hard, force: true}, []).kind).toBe('plan');
  });

  test('keep their switch even if the network that it is named after is gone', () => {
    const left = but(antrea(), node => {
      const [own] = node.sections.vmSwitches.filter(({Name}: {Name: string}) => Name === 'antrea-hnsnetwork');
      const others = node.sections.hnsNetworks.filter(({Name}: {Name: string}) => Name !== 'antrea-hnsnetwork');
      node.sections.hnsNetworks = [...others, {...foreign, LayeredOn: own.Id}];
    });
    const remove: PlanStep = {do: 'vswitch.remove', with: {name: 'antrea-hnsnetwork'}};
    expect(nodeViolations(left.subject(), [remove]).map(({reason}) => reason)).toContain(
      'HNS network customer-net also uses switch antrea-hnsnetwork, so the switch is not removed.',
    );
  });
});

describe('steps from a file', () => {
  const subject = antrea().subject();
  const refused = (step: PlanStep) => nodeViolations(subject, [step]).length > 0;

  test('change only files that a CNI recreates', () => {
    const removes = (path: string) => refused({do: 'file.remove', with: {path}});
    expect(removes('C:\\Windows\\System32\\drivers\\etc\\hosts')).toBe(true);
    expect(removes('C:\\var\\lib\\cni\\..\\kubelet\\config.yaml')).toBe(true);
    expect(removes('C:\\k\\azure-vnet.json.lock')).toBe(false);
    expect(removes('C:\\var\\lib\\cni\\networks\\antrea\\10.124.1.14')).toBe(false);
  });

  test('change only services of the network', () => {
    const stops = (name: string) => refused({do: 'service.stop', with: {name}});
    expect(stops('WinRM')).toBe(true);
    expect(stops('kubelet')).toBe(true);
    expect(stops('ovs-vswitchd')).toBe(false);
    expect(stops('antrea-agent')).toBe(false);
  });

  test('change only the one registry value', () => {
    const removes = (path: string, name: string) => refused({do: 'registry.removeValue', with: {path, name}});
    expect(removes('HKLM:\\SYSTEM\\CurrentControlSet\\Services\\hns\\State', 'HNSControlFlag')).toBe(true);
    expect(removes('HKLM:\\Software\\Tigera\\Calico', 'LastBootTime')).toBe(false);
  });

  test('delete only bridges of the plugin', () => {
    const deletes = (bridge: string) => refused({do: 'ovs.deleteBridge', with: {bridge}});
    expect(deletes('br-customer')).toBe(true);
    expect(deletes('br-int')).toBe(false);
  });

  test('cordon, drain and restart pods only on this node', () => {
    const refusedOnClient = (step: ClientStep, place: 'before' | 'after' = 'before') =>
      violations(subject, {before: [], steps: [], after: [], remakes: [], forced: false, [place]: [step]}).length > 0;
    const {name} = subject.node;
    expect(refusedOnClient({do: 'node.cordon', with: {node: 'other'}})).toBe(true);
    expect(refusedOnClient({do: 'node.drain', with: {node: 'other', force: false}})).toBe(true);
    expect(refusedOnClient({do: 'node.uncordon', with: {node: 'other'}}, 'after')).toBe(true);
    expect(refusedOnClient({do: 'node.drain', with: {node: name, force: false}})).toBe(false);
    const deletes = (namespace: string, pod: string) =>
      refusedOnClient({do: 'pod.delete', with: {namespace, name: pod, awaits: true}}, 'after');
    const pods = subject.cluster?.all('Pod').filter(({spec}) => spec.nodeName !== undefined) ?? [];
    const here = pods.find(
      ({spec, metadata}) => spec.nodeName === name && /^antrea-agent/.test(metadata.name),
    )?.metadata;
    const elsewhere = pods.find(({spec}) => spec.nodeName !== name)?.metadata;
    expect(deletes(here?.namespace ?? '', here?.name ?? '')).toBe(false);
    expect(deletes(elsewhere?.namespace ?? '', elsewhere?.name ?? '')).toBe(true);
    expect(deletes('default', 'unknown')).toBe(true);
  });

  test('enable the OVS extension only on its own switch', () => {
    const turns = (switchName: string, enabled: boolean) =>
      refused({
        do: 'vswitch.setExtension',
        with: {switchName, extensionId: '583cc151-73ec-4a6a-8b47-578297ad7623', enabled},
      });
    expect(turns('nat', true)).toBe(true);
    expect(turns('nat', false)).toBe(false);
    expect(turns('antrea-hnsnetwork', true)).toBe(false);
  });

  test('leave an endpoint of the node itself alone', () => {
    const {node, ...rest} = patient('08-flannel-host-gw-after-reboot', 'hg-win-2').subject();
    const used = node.hnsEndpoints?.find(({name}) => name === 'cbr0_ep')?.id ?? '';
    expect(nodeViolations({node, ...rest}, [{do: 'hns.removeEndpoint', with: {id: used}}])).toHaveLength(1);
    const left = patient('08-flannel-host-gw-after-reboot', 'hg-win-1').subject();
    const stale = left.node.hnsEndpoints?.find(({name}) => name === 'cbr0_ep')?.id ?? '';
    expect(nodeViolations(left, [{do: 'hns.removeEndpoint', with: {id: stale}}])).toEqual([]);
  });
});

describe('running pods', () => {
  test('block the removal of their network, unless forced, and then the plan lists them', () => {
    expect(antrea().reasons(hard, [failing('hns/subnet')])).toEqual([
      'Running pods would lose their network: shop/storefront-s949w5skg-hg6j7, shop/invoicer-nw95fjvg9-n84km.',
    ]);
    const plan = antrea().plan({...hard, force: true}, [failing('hns/subnet')]);
    expect(plan.loses.map(({pod}) => pod)).toEqual(['storefront-s949w5skg-hg6j7', 'invoicer-nw95fjvg9-n84km']);
    expect(plan.forced).toBe(true);
  });

  test('do not block after they have completed', () => {
    const scene = antrea();
    scene.scenario.object('Pod', /^(storefront|invoicer)/, object => {
      object.status.phase = 'Succeeded';
    });
    expect(scene.plan(hard, [failing('hns/subnet')]).loses).toEqual([]);
  });

  test('do not block if a drain evicts them, and their endpoints must then be gone', () => {
    const plan = antrea().plan({...hard, drain: true}, [failing('hns/subnet')]);
    expect(order(plan).slice(0, 2)).toEqual(['node.cordon winapp-01', 'node.drain winapp-01']);
    expect(plan.steps.find(step => step.do === 'hns.removeNetwork')?.with).not.toHaveProperty('endpoints');
    expect(plan.loses).toEqual([]);
  });

  test.each([
    ['a DaemonSet', [{kind: 'DaemonSet', name: 'logger'}]],
    ['nothing', []],
  ])('block despite a drain if they are created by %s', (_, ownerReferences) => {
    const scene = antrea();
    scene.scenario.object('Pod', /^storefront/, object => {
      object.metadata.ownerReferences = ownerReferences;
    });
    expect(scene.reasons({...hard, drain: true}, [failing('hns/subnet')])).toEqual([
      'Running pods would lose their network: shop/storefront-s949w5skg-hg6j7.',
    ]);
  });

  test('without a controller are not deleted: nothing would recreate them', () => {
    const scene = antrea();
    scene.scenario.object('Pod', /^storefront/, object => {
      object.metadata.ownerReferences = [];
    });
    const plan = scene.plan({...hard, force: true}, []);
    expect(order(plan)).not.toContainEqual(expect.stringContaining('storefront'));
    expect(plan.notes).toContainEqual(expect.stringContaining('shop/storefront-s949w5skg-hg6j7 has no controller'));
  });
});

describe('endpoints', () => {
  const orphan = {
    ID: '22222222-3333-4444-5555-666666666666',
    Name: 'gone-1a2b3c',
    VirtualNetwork: '372010D4-4E79-496C-8E2A-A800E56A9688',
    VirtualNetworkName: 'antrea-hnsnetwork',
    IPAddress: '10.124.1.99',
    State: 3,
    SharedContainers: ['ff'.repeat(32)],
    CreateProcessingStartTime: 134100000000000000,
  };
  const withOrphan = (rest: object = {}) =>
    but(antrea(), node => node.sections.hnsEndpoints.push({...orphan, ...rest}));
  const leaked = [failing('hns/leaked-endpoints')];

  test('of a deleted pod are removed', () => {
    expect(order(withOrphan().plan({}, leaked))).toEqual([`hns.removeEndpoint ${orphan.ID}`]);
  });

  test.each([
    ['is new', {CreateProcessingStartTime: young}],
    ['has no known age and may be in use', {CreateProcessingStartTime: undefined}],
    ['has the address of a pod', {IPAddress: '10.124.1.14'}],
    ['has the node address', {IPAddress: '10.124.1.1'}],
    ['is a remote endpoint', {IsRemoteEndpoint: true}],
    ['is on a foreign network', {VirtualNetwork: '3BF8BFEF-4D7E-4FA4-8ADB-8E600FBC26E2'}],
  ])('stay if one %s', (_, rest) => {
    expect(withOrphan(rest).outcome({}, leaked).kind).toBe('nothing');
  });

  test.each([
    ['stay while a starting pod may own them', '2025-01-01T00:00:00Z', 'nothing'],
    ['are removed although a starting pod is newer than they are', '2026-03-03T10:00:00Z', 'plan'],
  ])('%s', (_, creationTimestamp, kind) => {
    const scene = withOrphan();
    scene.scenario.object('Pod', /^storefront/, object => {
      delete object.status.podIP;
      delete object.status.podIPs;
      object.metadata.creationTimestamp = creationTimestamp;
    });
    expect(scene.outcome({}, leaked).kind).toBe(kind);
  });

  test('with an unknown owner block the removal of their network', () => {
    const scene = withOrphan({CreateProcessingStartTime: young});
    expect(scene.reasons({...hard, drain: true}, [failing('hns/subnet')])).toEqual([
      expect.stringContaining('gone-1a2b3c (it is less than 10 minutes old)'),
    ]);
    expect(withOrphan().outcome({...hard, drain: true}, [failing('hns/subnet')]).kind).toBe('plan');
  });
});

describe('a node', () => {
  test('that is still settling is left alone, unless forced', () => {
    const young = () => but(antrea(), node => bootedAgo(node, 2));
    expect(young().reasons({}, [agent])).toEqual(['winapp-01 is still settling (the node booted 2 min ago).']);
    expect(young().outcome({force: true}, [agent]).kind).toBe('plan');
    expect(but(antrea(), node => bootedAgo(node, 6)).outcome({}, [agent]).kind).toBe('plan');
  });

  test('with an unknown plugin is left alone, with or without force', () => {
    const scene = patient('13-win-bridge-outbound-nat');
    but(scene, node => {
      node.sections.files = [];
      node.sections.hnsNetworks = [];
    });
    expect(scene.reasons({force: true}, [failing('kube-proxy/dns-load-balancer')])).toEqual([
      expect.stringContaining('was not recognised'),
    ]);
  });

  test('with two plugins is left alone, unless told which one stays', () => {
    const both = () =>
      but(
        flannel(),
        node => {
          const [external] = node.sections.hnsNetworks;
          node.sections.hnsNetworks.push({...external, ID: '33333333-2222-3333-4444-555555555555', Name: 'Calico'});
        },
        'fl-win-a',
      );
    expect(both().reasons({}, [failing('tunnel/vtep-mac')])).toEqual([
      expect.stringContaining('traces of Flannel and Calico'),
    ]);
    expect(both().plan({plugin: 'flannel'}, [failing('tunnel/vtep-mac')]).plugin).toBe('flannel');
    expect(both().reasons({plugin: 'antrea'}, [failing('tunnel/vtep-mac')])).toEqual([
      'fl-win-a has no traces of antrea.',
    ]);
    expect(flannel().outcome({}, [failing('tunnel/vtep-mac')]).kind).toBe('plan');
  });

  const unfinished = (state: string) => ({
    id: '0d4f3a52-6a3b-4f0e-9f41-3f6f0a4f7b11',
    state,
    title: 'Antrea on winapp-01: restart',
    createdAt: '2026-03-01T00:00:00Z',
    steps: 5,
    done: 2,
    lastSeq: 7,
  });

  test('with an unfinished plan is left alone, with the next steps', () => {
    const scene = () =>
      but(antrea(), node => {
        node.sections.plans = [unfinished('interrupted')];
      });
    expect(scene().outcome({}, [agent])).toMatchObject({
      kind: 'refused',
      reasons: [
        {
          reason: expect.stringContaining('it is interrupted, 2 of 5 steps done'),
          next: expect.stringMatching(/--resume.*--rollback/),
        },
      ],
    });
    expect(scene().outcome({force: true}, [agent]).kind).toBe('plan');
    const ended = but(antrea(), node => {
      node.sections.plans = [unfinished('succeeded'), unfinished('rolledBack')];
    });
    expect(ended.outcome({}, [agent]).kind).toBe('plan');
  });

  test('with a running plan is left alone, with or without force', () => {
    const scene = but(antrea(), node => {
      node.sections.plans = [unfinished('running')];
    });
    expect(scene.reasons({force: true}, [agent])).toEqual([expect.stringContaining('is running')]);
  });

  test.each(['hnsNetworks', 'services'])('is left alone if %s could not be read', section => {
    const scene = antrea();
    scene.scenario.without(section, {kind: 'AccessDenied', message: 'access denied'});
    expect(scene.reasons({force: true}, [agent])).toEqual([`A soft plan is not possible: ${section}: access denied.`]);
  });

  test('is left alone only for what the level needs', () => {
    const scene = antrea();
    scene.scenario.without('files');
    expect(scene.outcome({}, [agent]).kind).toBe('plan');
    expect(scene.reasons({}, [failing('cni/host-local-leases')])).toEqual([
      'A medium plan is not possible: files: no answer.',
    ]);
  });

  test('is left alone if the cluster was not read: the owners of pods are then unknown', () => {
    const scene = antrea();
    const {cluster: _, ...subject} = scene.subject();
    expect(subject.plugin.name).toBe('antrea');
    scene.scenario.document.cluster.objects = [];
    Reflect.deleteProperty(scene.scenario.document, 'cluster');
    expect(scene.reasons({force: true}, [agent])).toContain('A soft plan is not possible: the cluster was not read.');
  });

  test('that cannot reach the API server now is not interrupted: it could not determine its recovery', () => {
    const cutOff = but(patient('03-antrea-ovs-extension-off'), node => {
      for (const probe of node.sections.probes) if (probe.Target.endsWith(':6443')) probe.Ok = false;
    });
    expect(cutOff.reasons({force: true}, [failing('ovs/extension')])).toEqual([
      expect.stringContaining('cannot reach the API server'),
    ]);
    const plan = patient('03-antrea-ovs-extension-off').plan({apiServer: 'api.example.com:443'}, [
      failing('ovs/extension'),
    ]);
    expect(plan.deadMan?.apiServer).toBe('api.example.com:443');
  });

  test('whose gateway does not answer pings does not need to reach it afterwards', () => {
    const scene = but(patient('03-antrea-ovs-extension-off'), node => {
      for (const probe of node.sections.probes) if (probe.Kind === 'icmp') probe.Ok = false;
    });
    expect(scene.plan({}, [failing('ovs/extension')]).deadMan).not.toHaveProperty('gateway');
  });

  test('with a static address gets it back', () => {
    const fixed = but(antrea(), node => {
      for (const row of node.sections.netIPAddresses) if (row.InterfaceAlias === 'br-int') row.PrefixOrigin = 'Manual';
    });
    const plan = fixed.plan({...hard, force: true}, []);
    expect(order(plan)).toContain('! ip.restore br-int -> Ethernet0');
    expect(order(plan)).not.toContainEqual(expect.stringContaining('ip.renew'));
    expect(plan.uplink).toMatchObject({address: '10.21.40.61', prefixLength: 24, static: true, gateway: '10.21.40.1'});
    expect(plan.notes).toContainEqual(expect.stringContaining('10.21.40.61/24 (gateway 10.21.40.1) is static'));
  });

  test('with manually added routes gets them back, or they are reported', () => {
    const route = {DestinationPrefix: '10.99.0.0/16', NextHop: '10.21.40.7', RouteMetric: 1, Store: 'PersistentStore'};
    const added = (scene: ReturnType<typeof patient>) =>
      but(scene, node => node.sections.netRoutes.push({...route, InterfaceAlias: 'br-int', InterfaceIndex: 14}));
    expect(added(antrea()).plan({...hard, force: true}, []).notes).toContainEqual(
      expect.stringContaining('10.99.0.0/16'),
    );
    expect(order(added(antreaAsService('01-antrea-healthy')).plan({...hard, force: true}, []))).toContain(
      'route.add 10.99.0.0/16',
    );
  });

  test('that the user cordoned stays cordoned', () => {
    const scene = antrea();
    scene.scenario.object('Node', 'winapp-01', object => {
      object.spec.unschedulable = true;
    });
    expect(order(scene.plan({...hard, force: true}, []))).not.toContainEqual(expect.stringContaining('cordon'));
  });
});

describe('names from a node', () => {
  test('that a plan cannot contain are refused, not passed on', () => {
    const scene = but(
      flannelAfterReboot(),
      node =>
        setFile(node, 'C:\\var\\lib\\cni\\networks\\bad\u0007name\\10.244.1.77', {
          Content: `${'cd'.repeat(32)}\r\neth0`,
        }),
      'fl-win-a',
    );
    expect(scene.reasons({}, [failing('cni/host-local-leases')])).toEqual([
      expect.stringContaining('a name or value that a plan cannot contain'),
    ]);
  });

  test('do not break a plan if they are only unusual', () => {
    const scene = but(antrea(), node => {
      for (const row of node.sections.netAdapters) if (row.Name === 'Ethernet0') row.Name = 'Кабель \'eins\' & "zwei"';
      for (const row of node.sections.adapterBindings) row.Name = 'Кабель \'eins\' & "zwei"';
      for (const row of node.sections.hnsNetworks)
        if (row.NetworkAdapterName) row.NetworkAdapterName = 'Кабель \'eins\' & "zwei"';
      loseProcess(node, 'none');
    });
    expect(order(scene.plan({...hard, force: true}, []))).toContain('! ip.renew Кабель \'eins\' & "zwei"');
  });
});
