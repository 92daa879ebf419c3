import {describe, expect, it} from 'vitest';
import {type NodeModel, nodeModelOf} from '../../src/snapshot/node.js';

function read(sections: Record<string, unknown>, errors: NodeModel['errors'] = {}): NodeModel {
  return nodeModelOf('win-1', {sections, errors: errors as Record<string, {kind: string; message: string}>});
}

describe('an unreadable section', () => {
  it('keeps the reason of the helper', () => {
    const node = read({}, {ovs: {kind: 'NotInstalled', message: 'ovs-vsctl.exe was not found'}});
    expect(node.ovs).toBeUndefined();
    expect(node.errors.ovs).toEqual({kind: 'NotInstalled', message: 'ovs-vsctl.exe was not found'});
  });

  it('reports what was unexpected, and does not affect others', () => {
    const node = read({os: {BuildNumber: 'twenty'}, netNats: [{Name: 'antrea-nat', Active: true}]});
    expect(node.os).toBeUndefined();
    expect(node.errors.os?.message).toMatch(/section os has an unexpected format: BuildNumber/);
    expect(node.netNats).toEqual([{name: 'antrea-nat', prefix: undefined, active: true}]);
  });

  it('is missing if it was not collected', () => {
    expect(read({}).errors).toEqual({});
  });

  it('is an error if it is both a section and an error', () => {
    const node = read({hnsNetworks: []}, {hnsNetworks: {kind: 'Timeout', message: 'no answer'}});
    expect(node.hnsNetworks).toBeUndefined();
  });
});

describe('unexpected Windows formats', () => {
  it.each([
    ['one object', {Name: 'nat'}, ['nat']],
    ['a list', [{Name: 'nat'}, {Name: 'kube-ovn'}], ['nat', 'kube-ovn']],
    ['null', null, []],
    ['an empty object', {}, []],
    ['empty text', '', []],
    ['a list with a hole', [null, {Name: 'nat'}], ['nat']],
  ])('reads %s instead of a list', (_, data, names) => {
    expect(read({netNats: data}).netNats?.map(({name}) => name)).toEqual(names);
  });

  it.each([
    ['ISO 8601 with offset', '2026-03-06T07:49:51+01:00'],
    ['/Date(…)/', '/Date(1772779791000)/'],
    ['/Date(…)/ with an offset', '/Date(1772779791000+0100)/'],
    ['/Date(…)/ still escaped', '\\/Date(1772779791000)\\/'],
    [
      'the object of ConvertTo-Json',
      {value: '/Date(1772779791000)/', DisplayHint: 2, DateTime: 'Freitag, 6. März 2026'},
    ],
    ['a Date of a YAML reader', new Date('2026-03-06T06:49:51Z')],
  ])('reads a time written as %s', (_, time) => {
    expect(read({os: {BuildNumber: '20348', LastBootUpTime: time}}).os?.bootedAt).toBe(Date.UTC(2026, 2, 6, 6, 49, 51));
  });

  it('reads numbers as text and flags as words', () => {
    const node = read({
      os: {BuildNumber: '17763', UBR: '6532'},
      netAdapters: [{Name: 'Ethernet', Virtual: 'False', HardwareInterface: 'True', MtuSize: '1500'}],
    });
    expect(node.os).toMatchObject({build: 17763, revision: 6532});
    expect(node.netAdapters?.[0]).toMatchObject({virtual: false, hardware: true, mtu: 1500});
  });

  it('treats null and empty text as absent', () => {
    const node = read({files: [{Path: 'C:\\k\\azure-vnet.json', Exists: false, Length: null, LastWriteTime: ''}]});
    expect(node.files).toEqual([
      {path: 'C:\\k\\azure-vnet.json', exists: false, length: undefined, writtenAt: undefined, content: undefined},
    ]);
  });

  it('rejects an unreadable value instead of treating it as absent', () => {
    expect(read({os: {BuildNumber: '20348', LastBootUpTime: 'yesterday'}}).errors.os?.message).toContain(
      'expected a time, found "yesterday"',
    );
  });

  it('names the place of an unreadable value', () => {
    const {errors} = read({
      netRoutes: [{DestinationPrefix: '0.0.0.0/0'}, {DestinationPrefix: '10.0.0.0/8', RouteMetric: 'low'}],
    });
    expect(errors.netRoutes?.message).toContain('1.RouteMetric: expected a number, found "low"');
  });

  it('rejects an OVS table without headings or with a missing cell', () => {
    const table = {headings: ['name'], data: [['br-int']]};
    const tables = {Open_vSwitch: table, Port: table, Interface: table};
    expect(read({ovs: {Tables: {...tables, Bridge: {data: [['br-int']]}}}}).errors.ovs?.message).toContain('headings');
    expect(read({ovs: {Tables: {...tables, Bridge: {headings: ['name'], data: [null]}}}}).errors.ovs).toBeDefined();
  });

  it('treats empty text as no enumeration value', () => {
    expect(read({services: [{Name: 'hns', State: 'Running', StartMode: ''}]}).services?.[0]?.startMode).not.toBe(
      'Boot',
    );
  });

  it('reads port pools of HNS with and without the enclosing list', () => {
    const allocation = {RequiresHostPortReservation: true, PortRanges: [{}, {}]};
    const held = [{onHost: true, ranges: 2}];
    expect(read({hnsPortPools: [{PortPoolAllocations: [allocation]}]}).hnsPortPools).toEqual(held);
    expect(read({hnsPortPools: [allocation]}).hnsPortPools).toEqual(held);
  });

  it('ignores unknown properties', () => {
    expect(read({netNats: [{Name: 'nat', PSComputerName: 'x', Nested: {deep: [1]}}]}).netNats).toHaveLength(1);
  });
});

describe('a number instead of a name', () => {
  it('reads adapters and addresses', () => {
    const node = read({
      netAdapters: [{Name: 'Ethernet', Status: 1}],
      netIPAddresses: [
        {InterfaceAlias: 'Ethernet', IPAddress: '10.0.0.4', AddressFamily: 2, PrefixOrigin: 3, AddressState: 4},
      ],
    });
    expect(node.netAdapters?.[0]?.status).toBe('Up');
    expect(node.netIPAddresses?.[0]).toMatchObject({family: 'IPv4', origin: 'Dhcp', state: 'Preferred'});
  });

  it('reads services, tasks, switches and their extensions', () => {
    const node = read({
      services: [{Name: 'hns', State: 4, StartMode: 3}],
      scheduledTasks: [{TaskName: 'k8s-restart-job', State: 1}],
      vmSwitches: [{Name: 'ext', SwitchType: 2}],
      vmSwitchExtensions: [{Id: 'x', Enabled: 'True', ExtensionType: 3}],
    });
    expect(node.services?.[0]).toMatchObject({state: 'Running', startMode: 'Manual'});
    expect(node.scheduledTasks?.[0]?.state).toBe('Disabled');
    expect(node.vmSwitches?.[0]?.type).toBe('External');
    expect(node.vmSwitchExtensions?.[0]?.type).toBe('Forwarding');
  });

  it('reads the store of a route', () => {
    const node = read({
      netRoutes: [
        {DestinationPrefix: '0.0.0.0/0', Store: 0},
        {DestinationPrefix: '0.0.0.0/0', Store: 1},
      ],
    });
    expect(node.netRoutes?.map(({persistent}) => persistent)).toEqual([true, false]);
  });

  it('reads firewall rules, where 2 is off, and profiles, where 2 is "not configured" and thus on', () => {
    const node = read({
      firewall: {
        Profiles: [
          {Name: 'Domain', Enabled: 0},
          {Name: 'Public', Enabled: 2},
        ],
        Rules: [
          {Enabled: 2, Direction: 1, Action: 2, Protocol: 17, LocalPort: 4789},
          {Enabled: 1, Direction: 2, Action: 4, Protocol: 'TCP', LocalPort: ['80', '443']},
        ],
      },
    });
    expect(node.firewall?.profiles.map(({enabled}) => enabled)).toEqual([false, true]);
    expect(node.firewall?.rules).toMatchObject([
      {enabled: false, direction: 'Inbound', action: 'Allow', protocol: 'UDP', localPort: '4789'},
      {enabled: true, direction: 'Outbound', action: 'Block', protocol: 'TCP', localPort: '80,443'},
    ]);
  });
});

describe('normalised notation', () => {
  it('compares MAC addresses, GUIDs and process names', () => {
    const node = read({
      netAdapters: [
        {Name: 'a', MacAddress: '00-15-5D-0A-1B-2C', InterfaceGuid: '{B1398215-B4B3-42A3-95BF-17560DC533F1}'},
        {Name: 'b', MacAddress: '00:15:5d:0a:1b:2c', InterfaceGuid: 'b1398215-b4b3-42a3-95bf-17560dc533f1'},
        {Name: 'c', MacAddress: '00155D0A1B2C'},
      ],
      processes: [{Name: 'Flanneld.EXE', ProcessId: 4}],
    });
    expect(new Set(node.netAdapters?.map(({mac}) => mac))).toEqual(new Set(['00:15:5d:0a:1b:2c']));
    expect(node.netAdapters?.[0]?.guid).toBe(node.netAdapters?.[1]?.guid);
    expect(node.processes?.[0]?.name).toBe('flanneld');
  });

  it('removes the zone from a link-local IPv6 address', () => {
    const node = read({netIPAddresses: [{InterfaceAlias: 'Ethernet', IPAddress: 'fe80::1%14'}]});
    expect(node.netIPAddresses?.[0]).toMatchObject({ip: 'fe80::1', family: 'IPv6'});
  });
});
