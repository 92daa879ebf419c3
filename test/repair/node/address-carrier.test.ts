import {describe, expect, test} from 'vitest';
import {carrierOf, isLastOnSwitch, isOvsOn, losesAddress, sitsOnNic} from '../../../src/repair/node/address-carrier.js';
import type {Network} from '../../../src/snapshot/hns.js';
import type {Raw, RawNode} from '../../checks/support.js';
import {but, drop} from '../scenes.js';
import {patient} from '../support.js';

// What carries the node address: a step that removes it cuts the node off.

const antrea = (change: (node: RawNode) => void = () => {}) => but(patient('01-antrea-healthy'), change).subject();
const carrier = (change?: (node: RawNode) => void) => carrierOf(antrea(change));
const own = (node: RawNode): Raw => node.sections.hnsNetworks.find((row: Raw) => row.Name === 'antrea-hnsnetwork');
const another = (rest: object) => (node: RawNode) =>
  node.sections.hnsNetworks.push({
    ...own(node),
    ID: '11111111-2222-3333-4444-555555555555',
    Name: 'other',
    LayeredOn: '99999999-2222-3333-4444-555555555555',
    ManagementIP: '10.99.0.5',
    ...rest,
  });
const names = (networks: readonly Network[] | undefined) => networks?.map(({name}) => name);

/** The address is on the NIC itself, as before any network. */
const onNic = (node: RawNode) => {
  for (const row of node.sections.netIPAddresses)
    if (row.InterfaceAlias === 'br-int') Object.assign(row, {InterfaceAlias: 'Ethernet0', InterfaceIndex: 4});
};

describe('the carrier of the node address', () => {
  test('is its adapter, with the NIC, the switch and the network under it', () => {
    const found = carrier();
    expect(found).toMatchObject({
      held: {ip: '10.21.40.61', adapter: 'br-int'},
      nic: 'Ethernet0',
      switched: true,
      switches: ['antrea-hnsnetwork'],
      throughOvs: true,
    });
    expect(names(found?.networks)).toEqual(['antrea-hnsnetwork']);
  });

  test('is unknown if no adapter has the address, or the addresses were not read', () => {
    expect(carrier(node => drop(node, 'netIPAddresses', row => row.IPAddress === '10.21.40.61'))).toBeUndefined();
    const unread = patient('01-antrea-healthy');
    unread.scenario.without('netIPAddresses');
    expect(carrierOf(unread.subject())).toBeUndefined();
  });

  test('is only the NIC if that has the address itself: its packets do not pass OVS', () => {
    const plain = carrier(node => {
      onNic(node);
      own(node).ManagementIP = '10.99.0.5';
    });
    expect(plain).toMatchObject({nic: 'Ethernet0', switched: false, throughOvs: false});
    expect(names(plain?.networks)).toEqual([]);
  });

  test('still includes a network that claims the address', () => {
    expect(names(carrier(onNic)?.networks)).toEqual(['antrea-hnsnetwork']);
  });

  test('includes other networks on the same NIC, and none on another NIC', () => {
    expect(names(carrier(another({}))?.networks)).toEqual(['antrea-hnsnetwork', 'other']);
    const second = (node: RawNode) => {
      another({NetworkAdapterName: 'Ethernet1'})(node);
      const [nic] = node.sections.netAdapters;
      node.sections.netAdapters.push({
        ...nic,
        Name: 'Ethernet1',
        InterfaceDescription: 'vmxnet3 Ethernet Adapter #2',
        InterfaceIndex: 9,
        InterfaceGuid: '{B1398215-B4B3-42A3-95BF-17560DC533F2}',
        MacAddress: '00-50-56-DA-D8-46',
      });
    };
    expect(names(carrier(second)?.networks)).toEqual(['antrea-hnsnetwork']);
  });

  test('includes a network that shares the switch of the one with the address', () => {
    const shared = carrier(node => {
      onNic(node);
      another({LayeredOn: own(node).LayeredOn})(node);
    });
    expect(names(shared?.networks)).toEqual(['antrea-hnsnetwork', 'other']);
  });

  test('includes no network without a NIC', () => {
    expect(names(carrier(another({Type: 'NAT', ManagementIP: '10.21.40.61'}))?.networks)).toEqual([
      'antrea-hnsnetwork',
    ]);
  });
});

test.each([
  ['Overlay', true],
  ['l2bridge', true],
  ['L2Tunnel', true],
  ['Transparent', true],
  ['NAT', false],
  ['ICS', false],
  ['Private', false],
  ['OverlayX', false],
  ['XOverlay', false],
])('a network of type %s is on a NIC: %s', (type, expected) => {
  expect(sitsOnNic({type} as Network)).toBe(expected);
});

describe('OVS on a switch', () => {
  const isOn = (change: (node: RawNode) => void, name = 'antrea-hnsnetwork') => isOvsOn(antrea(change).node, name);
  const ovs = '583CC151-73EC-4A6A-8B47-578297AD7623';
  const onSwitch = (enabled: boolean) => (node: RawNode) => {
    for (const row of node.sections.vmSwitchExtensions)
      if (row.Id === ovs && row.SwitchName === 'antrea-hnsnetwork') row.Enabled = enabled;
  };
  const inHns = (enabled: boolean) => (node: RawNode) => {
    for (const row of own(node).Extensions) row.IsEnabled = row.Id === ovs ? enabled : !enabled;
  };
  const notRead = (node: RawNode) => {
    delete node.sections.vmSwitchExtensions;
  };
  const both =
    (...changes: ((node: RawNode) => void)[]) =>
    (node: RawNode) => {
      for (const change of changes) change(node);
    };

  test('is what the switch reports, regardless of HNS', () => {
    expect(isOn(both(onSwitch(true), inHns(false)))).toBe(true);
    expect(isOn(both(onSwitch(false), inHns(true)))).toBe(false);
    expect(isOn(onSwitch(true), 'nat')).toBe(false);
  });

  test('is what HNS reports if the switch was not read', () => {
    expect(isOn(both(notRead, inHns(true)))).toBe(true);
    expect(isOn(both(notRead, inHns(false)))).toBe(false);
    expect(isOn(both(notRead, inHns(true)), 'nat')).toBe(false);
    expect(isOn(both(notRead, inHns(true)), 'unknown')).toBe(false);
  });
});

describe('the node loses its address', () => {
  const network = (subject: ReturnType<typeof antrea>, name: string) => {
    const found = subject.node.hnsNetworks?.find(its => its.name === name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };

  test('with the network that carries it, and not with another', () => {
    const subject = antrea();
    const its = carrierOf(subject);
    expect(losesAddress(its, [network(subject, 'antrea-hnsnetwork')])).toBe(true);
    expect(losesAddress(its, [network(subject, 'nat')])).toBe(false);
    expect(losesAddress(its, [])).toBe(false);
  });

  test('with the last network on the switch, not before', () => {
    const subject = antrea(node => another({LayeredOn: own(node).LayeredOn})(node));
    const its = carrierOf(subject);
    const [one, two] = [network(subject, 'antrea-hnsnetwork'), network(subject, 'other')];
    expect(losesAddress(its, [one])).toBe(false);
    expect(losesAddress(its, [two])).toBe(false);
    expect(losesAddress(its, [one, two])).toBe(true);
    expect(isLastOnSwitch(subject.node, one)).toBe(false);
    const alone = antrea();
    expect(isLastOnSwitch(alone.node, network(alone, 'antrea-hnsnetwork'))).toBe(true);
  });

  test('with any network on a NIC, if its carrier is unknown', () => {
    const subject = antrea();
    const [one, nat] = [network(subject, 'antrea-hnsnetwork'), network(subject, 'nat')];
    expect(losesAddress(undefined, [nat])).toBe(false);
    expect(losesAddress(undefined, [nat, one])).toBe(true);
  });
});
