import {describe, expect, it} from 'vitest';
import {candidatesOf} from '../../../src/services/tunnel/adapter-candidates.js';
import type {Scenario} from '../../checks/support.js';
import {adapter, address, kubeOvn, seen, uninstalled} from './support.js';

const candidate = (scenario: Scenario, name: string) => candidatesOf(seen(scenario)).find(its => its.name === name);

describe('the usable adapters', () => {
  it('shows name, address, speed, state and what uses an adapter', () => {
    expect(candidate(kubeOvn(), 'Ethernet0')).toMatchObject({
      status: 'Up',
      speed: '10 Gbps',
      mtu: 1500,
      tunnelAddress: '172.20.5.31',
      usedFor: [],
      unsuitable: undefined,
    });
  });

  it('finds the addresses of the uplink on its bridge, as the daemon does', () => {
    expect(candidate(kubeOvn(), 'Ethernet1')).toMatchObject({
      holder: 'br-provider',
      tunnelAddress: '192.168.96.31',
      usedFor: ['node address', 'HNS network kube-ovn', 'default route'],
      unsuitable: undefined,
    });
  });

  it('finds them on the adapter itself before the first start', () => {
    expect(candidate(uninstalled(kubeOvn()), 'Ethernet1')).toMatchObject({
      holder: 'Ethernet1',
      tunnelAddress: '192.168.96.31',
      usedFor: ['node address', 'default route'],
      unsuitable: undefined,
    });
  });

  it('sorts tunnel-capable ones first and virtual ones last', () => {
    const names = candidatesOf(seen(adapter(kubeOvn(), 'Ethernet0', row => (row.Status = 'Down')))).map(
      ({name}) => name,
    );
    expect(names.slice(0, 2)).toEqual(['Ethernet1', 'Ethernet0']);
    expect(names.at(-1)).toMatch(/^vEthernet/);
  });
});

describe('an adapter that cannot carry tunnels, with the reason', () => {
  it.each([
    ['is down', adapter(kubeOvn(), 'Ethernet0', row => (row.Status = 'Down')), 'it is down'],
    ['does not say whether it is up', adapter(kubeOvn(), 'Ethernet0', row => delete row.Status), /does not report/],
    ['has no address', address(kubeOvn(), 'Ethernet0', undefined), 'it has no IPv4 address'],
    [
      'has an address it gave itself',
      address(kubeOvn(), 'Ethernet0', {IPAddress: '169.254.7.9'}),
      /169\.254\.7\.9.*APIPA/,
    ],
    ['has a /32', address(kubeOvn(), 'Ethernet0', {PrefixLength: 32}), /a \/32, which kube-ovn ignores/],
    [
      'has the address of another machine',
      address(kubeOvn(), 'Ethernet0', {AddressState: 'Duplicate'}),
      /is duplicate/,
    ],
  ])('that %s', (_, scenario, reason) => {
    expect(candidate(scenario, 'Ethernet0')?.unsuitable).toMatch(reason);
  });

  it("that belongs to a pod, with the pod's name", () => {
    expect(candidate(kubeOvn(), 'vEthernet (21ede65f4220)')?.unsuitable).toMatch(/^it belongs to pod \S+\/\S+$/);
  });

  it('that belongs to the plugin, with the NIC under it', () => {
    expect(candidate(kubeOvn(), 'br-provider')?.unsuitable).toBe('managed by Kube-OVN; the NIC under it is Ethernet1');
    expect(candidate(kubeOvn(), 'br-int')?.unsuitable).toBe('managed by Kube-OVN');
    expect(candidate(kubeOvn(), 'ovn0')?.unsuitable).toBe('managed by Kube-OVN');
  });

  it('that belongs to another plugin', () => {
    const nat = {Name: 'vEthernet (nat)', Status: 'Up', ComponentID: 'vms_mp', InterfaceIndex: 60};
    const scenario = kubeOvn().section('netAdapters', rows => rows.push(nat));
    expect(candidate(scenario, 'vEthernet (nat)')?.unsuitable).toMatch(/virtual adapter of a switch/);
  });

  it('whose addresses moved to a foreign switch', () => {
    const scenario = kubeOvn().node(({sections}) => {
      const nic = sections.netAdapters.find((row: {Name: string}) => row.Name === 'Ethernet0');
      sections.netAdapters.push({...nic, Name: 'vEthernet (Lab)', InterfaceIndex: 61, ComponentID: 'vms_mp'});
    });
    expect(candidate(address(scenario, 'Ethernet0', undefined), 'Ethernet0')?.unsuitable).toBe(
      'it has no IPv4 address: a switch is on it, and its addresses are on vEthernet (Lab)',
    );
  });

  it('but not a NIC team, which is virtual but not a vNIC', () => {
    const scenario = adapter(kubeOvn(), 'Ethernet0', row =>
      Object.assign(row, {Virtual: true, ComponentID: 'ms_implat'}),
    );
    expect(candidate(scenario, 'Ethernet0')?.unsuitable).toBeUndefined();
  });
});
