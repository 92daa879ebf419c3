import {describe, expect, test} from 'vitest';
import type {NodeSubject} from '../../../src/model/check.js';
import type {PlanStep} from '../../../src/model/step.js';
import {nodeViolations} from '../../../src/repair/plan/refusals.js';
import {but, flannelAsService} from '../scenes.js';
import {patient} from '../support.js';

// What a plan from a file may never do, by step: the reason if it is refused, nothing if it is allowed.

const antrea = () => patient('01-antrea-healthy');
const subject = antrea().subject();
const why = (step: PlanStep, on: NodeSubject = subject) => nodeViolations(on, [step]).map(({reason}) => reason);

describe('route.add', () => {
  const add = (destination: string, nextHop: string) =>
    why({do: 'route.add', with: {destination, nextHop, adapter: 'antrea-gw0'}});

  test.each(['0.0.0.0/0', '128.0.0.0/1', '10.0.0.0/7', '::/0', 'fd00::/8', 'fd00::/15'])('never to %s', destination => {
    expect(add(destination, destination.includes(':') ? 'fd01::1' : '10.124.0.1')).toEqual([
      `A route to ${destination} has a wider prefix than a plan may add.`,
    ]);
  });

  test.each(['10.0.0.0/8', '10.124.0.0/24', '10.21.40.61/32', 'fd00::/16', 'fd00:1::/64'])(
    'may go to %s',
    destination => {
      expect(add(destination, destination.includes(':') ? 'fd01::1' : '10.124.0.1')).toEqual([]);
    },
  );

  test.each(['0.0.0.0', '127.0.0.1', '224.0.0.1', '229.1.1.1', '239.0.0.1', '255.255.255.255', '::', '::1'])(
    'never goes via %s',
    nextHop => {
      expect(add('10.124.0.0/24', nextHop)).toEqual([`${nextHop} is not a next hop.`]);
    },
  );

  test.each(['10.127.0.1', '220.0.0.1', '22.4.0.1', '203.0.113.1', '12.7.0.1', 'fd01::1'])('may go via %s', nextHop => {
    expect(add('10.124.0.0/24', nextHop)).toEqual([]);
  });
});

describe('firewall.allow', () => {
  const allow = (protocol: 'TCP' | 'UDP', port: number, name = `kubectl-win-${protocol}-${port}`) =>
    why({do: 'firewall.allow', with: {name, displayName: 'a test', protocol, port}});

  test.each([
    ['TCP', 7471],
    ['TCP', 10250],
    ['UDP', 4789],
    ['UDP', 4790],
    ['UDP', 6081],
    ['UDP', 8472],
    ['UDP', 9898],
  ] as const)('may open %s %i, only under its own name', (protocol, port) => {
    expect(allow(protocol, port)).toEqual([]);
    expect(allow(protocol, port, '*')).toEqual([
      `The firewall rule for ${protocol} ${port} does not have the name that kubectl win uses.`,
    ]);
  });

  test.each([
    ['TCP', 22],
    ['TCP', 3389],
    ['TCP', 5985],
    ['TCP', 4789],
    ['UDP', 10250],
  ] as const)('never opens %s %i', (protocol, port) => {
    expect(allow(protocol, port)).toEqual([
      `${protocol} ${port} is not a port of the kubelet or of a tunnel, so it is not opened.`,
    ]);
  });
});

describe('adapter.setBinding', () => {
  const bind = (adapter: string, componentId: 'vms_pp' | 'ms_tcpip', enabled: boolean) =>
    why({do: 'adapter.setBinding', with: {adapter, componentId, enabled}});

  test('keeps the NIC bound to the switch of a network that stays', () => {
    expect(bind('Ethernet0', 'vms_pp', false)).toEqual([
      'Ethernet0 carries HNS network antrea-hnsnetwork, so it stays bound to its switch.',
    ]);
  });

  test('may bind it to the switch, and enable and disable its own addresses', () => {
    expect(bind('Ethernet0', 'vms_pp', true)).toEqual([]);
    expect(bind('Ethernet0', 'ms_tcpip', true)).toEqual([]);
    expect(bind('Ethernet0', 'ms_tcpip', false)).toEqual([]);
  });

  test('may unbind another NIC, and the same one if its network is removed by the plan', () => {
    expect(bind('Ethernet1', 'vms_pp', false)).toEqual([]);
    const remove: PlanStep = {
      do: 'hns.removeNetwork',
      with: {id: '372010d4-4e79-496c-8e2a-a800e56a9688', name: 'antrea-hnsnetwork'},
    };
    const unbind: PlanStep = {
      do: 'adapter.setBinding',
      with: {adapter: 'Ethernet0', componentId: 'vms_pp', enabled: false},
    };
    expect(nodeViolations(subject, [remove, unbind])).toEqual([]);
  });
});

describe('hns.createExternal', () => {
  const create = (adapter: string, on: NodeSubject) => why({do: 'hns.createExternal', with: {adapter}}, on);
  const flannel = () => flannelAsService().subject();

  test('is only for plugins that use an External network', () => {
    expect(create('Ethernet0', subject)).toEqual(['Antrea on winapp-01 does not use a network External.']);
  });

  test('requires a physical adapter of the node', () => {
    const on = flannel();
    const nic = on.node.netAdapters?.find(({hardware}) => hardware)?.name ?? '';
    expect(create(nic, on)).toEqual([]);
    expect(create(nic.toUpperCase(), on)).toEqual([]);
    expect(create('Ethernet 9', on)).toEqual(['Adapter Ethernet 9 does not exist on fl-win-a.']);
    const virtual = on.node.netAdapters?.find(({name}) => /^vEthernet/.test(name))?.name ?? '';
    expect(create(virtual, on)).toEqual([`Adapter ${virtual} is virtual: the network requires a physical adapter.`]);
  });

  test('is refused if the adapters were not read', () => {
    const unread = flannelAsService();
    unread.scenario.without('netAdapters', {kind: 'AccessDenied', message: 'access denied'});
    expect(why({do: 'hns.createExternal', with: {adapter: 'Ethernet'}}, unread.subject())).toHaveLength(1);
  });
});

describe('hns.removeNetwork', () => {
  const remove = (id: string, name: string, on = subject) => why({do: 'hns.removeNetwork', with: {id, name}}, on);
  const own = '372010D4-4E79-496C-8E2A-A800E56A9688';

  test('requires the ID and the name of one network', () => {
    expect(remove(own, 'antrea-hnsnetwork')).toEqual([]);
    expect(remove(own, 'nat')).toHaveLength(1);
    const other = '99999999-4e79-496c-8e2a-a800e56a9688';
    expect(remove(other, 'antrea-hnsnetwork')).toEqual([
      `HNS network antrea-hnsnetwork with id ${other} does not exist on winapp-01.`,
    ]);
  });

  test('is refused if the networks were not read', () => {
    const unread = antrea();
    unread.scenario.without('hnsNetworks', {kind: 'AccessDenied', message: 'access denied'});
    expect(remove(own, 'antrea-hnsnetwork', unread.subject())).toHaveLength(1);
  });
});

describe('hns.removeEndpoint', () => {
  const remove = (id: string, on: NodeSubject) => why({do: 'hns.removeEndpoint', with: {id}}, on);
  const id = '22222222-3333-4444-5555-666666666666';
  const withEndpoint = (rest: object) =>
    but(antrea(), node =>
      node.sections.hnsEndpoints.push({
        ID: id,
        Name: 'left-1a2b3c',
        VirtualNetwork: '372010D4-4E79-496C-8E2A-A800E56A9688',
        IPAddress: '10.124.1.99',
        State: 3,
        ...rest,
      }),
    ).subject();

  test('is refused for a missing or unread endpoint', () => {
    expect(remove(id, subject)).toEqual([`HNS endpoint ${id} does not exist on winapp-01.`]);
    const unread = antrea();
    unread.scenario.without('hnsEndpoints', {kind: 'AccessDenied', message: 'access denied'});
    expect(remove(id, unread.subject())).toHaveLength(1);
  });

  test('is allowed on its own network, and if the network is gone', () => {
    expect(remove(id, withEndpoint({}))).toEqual([]);
    expect(remove(id, withEndpoint({VirtualNetwork: '99999999-4e79-496c-8e2a-a800e56a9688'}))).toEqual([]);
  });

  test('is refused on a foreign network', () => {
    const nat = subject.node.hnsNetworks?.find(({name}) => name === 'nat')?.id;
    expect(remove(id, withEndpoint({VirtualNetwork: nat}))).toEqual([
      'HNS endpoint left-1a2b3c is on nat, which does not belong to Antrea.',
    ]);
  });

  test('is refused for a remote endpoint', () => {
    expect(remove(id, withEndpoint({IsRemoteEndpoint: true}))).toEqual([
      'HNS endpoint left-1a2b3c is in use by winapp-01 itself and is not removed.',
    ]);
  });
});

describe('service.stop', () => {
  const stop = (name: string) => why({do: 'service.stop', with: {name}});

  test.each([
    'hns',
    'HNS',
    'kube-proxy',
    'kubeproxy',
    'ovsdb-server',
    'ovs-vswitchd',
    'ovn-controller',
    'Antrea-Agent',
  ])('may stop %s', name => {
    expect(stop(name)).toEqual([]);
  });

  test.each(['kubelet', 'containerd', 'WinRM', 'vmcompute', 'hnsd', 'my-hns', 'ovs-vswitchd2', 'x-kube-proxy'])(
    'never stops %s',
    name => {
      expect(stop(name)).toEqual([`Service ${name} is not part of the pod network, so it is not changed.`]);
    },
  );
});

describe('file.remove', () => {
  const remove = (path: string) => why({do: 'file.remove', with: {path}});

  test.each([
    'C:\\k\\sourcevip.json',
    'C:\\openvswitch\\etc\\openvswitch\\conf.db',
    'c:\\sourcevip\\sourceVip.json',
    'C:\\openvswitch\\var\\run\\openvswitch\\ovsdb-server.pid',
  ])('may remove %s', path => {
    expect(remove(path)).toEqual([]);
  });

  test.each([
    'C:\\k\\config',
    'C:\\openvswitch\\etc\\openvswitch\\conf.db.bak',
    'C:\\backup\\c:\\sourcevip\\sourceVip.json',
    'C:\\sourcevip\\*',
    'C:\\var\\lib\\cni\\..\\..\\x',
    'C:\\var\\lib\\cni',
    'C:\\var\\lib\\cni\\state:stream',
  ])('never removes %s', path => {
    expect(remove(path)).toEqual([`${path} is not recreated by a CNI plugin and is not removed.`]);
  });
});

test('registry.removeValue removes only the value with that name and path', () => {
  const remove = (path: string, name: string) => why({do: 'registry.removeValue', with: {path, name}}).length;
  expect(remove('HKLM:\\Software\\Tigera\\Calico', 'LastBootTime')).toBe(0);
  expect(remove('HKLM:\\Software\\Tigera\\Calico', 'Other')).toBe(1);
  expect(remove('HKLM:\\Software\\Other', 'LastBootTime')).toBe(1);
});
