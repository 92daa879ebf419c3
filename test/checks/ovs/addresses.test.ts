import {describe, expect, it} from 'vitest';
import {healthy, type Scenario, scenario} from '../support.js';
import {removeRow, setRootId, setRow} from './tables.js';

const localIp = (ip: string) => ({
  options: [
    'map',
    [
      ['local_ip', ip],
      ['key', 'flow'],
      ['remote_ip', 'flow'],
    ],
  ],
});

const annotate = (node: Scenario, annotations: Record<string, string>) =>
  node.object('Node', /^(winapp|kovn-win)/, ({metadata}) => Object.assign(metadata.annotations, annotations));

describe('ovs/gateway-port', () => {
  it('finds a gateway with the address of another pod CIDR', () => {
    const moved = healthy('01-antrea-healthy').object('Node', 'winapp-01', ({spec}) => {
      spec.podCIDR = '10.124.7.0/24';
      spec.podCIDRs = ['10.124.7.0/24'];
    });
    expect(moved.failures('ovs/gateway-port')).toEqual([expect.stringContaining('10.124.1.1 instead of 10.124.7.1')]);
  });

  it('finds ovn0 without the address that Kube-OVN gave the node', () => {
    const moved = annotate(healthy('04-kube-ovn-healthy'), {'ovn.kubernetes.io/ip_address': '100.64.0.9'});
    expect(moved.failures('ovs/gateway-port')).toEqual([expect.stringContaining('100.64.0.9')]);
  });

  it('finds an adapter that is down, and one that is missing', () => {
    const down = healthy('01-antrea-healthy').section('netAdapters', adapters => {
      adapters.find(({Name}: {Name: string}) => Name === 'antrea-gw0').Status = 2;
    });
    expect(down.failures('ovs/gateway-port')).toEqual([expect.stringContaining('antrea-gw0 is down')]);
    const missing = healthy('04-kube-ovn-healthy').node(({sections}) => {
      sections.netAdapters = sections.netAdapters.filter(({Name}: {Name: string}) => Name !== 'ovn0');
    });
    expect(missing.failures('ovs/gateway-port')).toEqual([expect.stringContaining('Adapter ovn0 does not exist')]);
  });

  it('uses the IPv4 part of a dual-stack annotation and pod CIDR', () => {
    const both = annotate(healthy('04-kube-ovn-healthy'), {
      'ovn.kubernetes.io/ip_address': 'fd00:100:64::3,100.64.0.3',
    });
    expect(both.outcomes('ovs/gateway-port')).toEqual(['pass']);
    const dual = healthy('01-antrea-healthy').object('Node', 'winapp-01', ({spec}) => {
      spec.podCIDRs = ['fd00:10:124:1::/64', '10.124.1.0/24'];
      spec.podCIDR = 'fd00:10:124:1::/64';
    });
    expect(dual.outcomes('ovs/gateway-port')).toEqual(['pass']);
  });

  it('the address is undetermined without the Node object', () => {
    const alone = healthy('01-antrea-healthy').removeObjects(({kind}) => kind === 'Node');
    expect(alone.outcomes('ovs/gateway-port')).toEqual(['unknown']);
  });

  it('leaves a missing network to its own check', () => {
    expect(scenario('02-antrea-after-reboot').outcomes('ovs/gateway-port')).toEqual(['skipped']);
  });
});

describe('ovs/tunnel-port', () => {
  it("finds Antrea's tunnel on an address that the node no longer has", () => {
    const moved = healthy('01-antrea-healthy').section('ovs', ovs =>
      setRow(ovs, 'Interface', 'antrea-tun0', localIp('10.21.40.99')),
    );
    const [finding] = moved.verdicts('ovs/tunnel-port');
    expect(finding?.message).toContain('10.21.40.99');
    expect(finding?.remedy).toMatchObject({
      kind: 'manual',
      steps: ['kubectl -n kube-system delete pod antrea-agent-windows-kfkbc'],
    });
  });

  it('expects the transport address if Antrea has a separate one', () => {
    const other = annotate(healthy('01-antrea-healthy'), {'node.antrea.io/transport-addresses': '10.30.0.61'});
    expect(other.outcomes('ovs/tunnel-port')).toEqual(['fail']);
    const right = other.section('ovs', ovs => setRow(ovs, 'Interface', 'antrea-tun0', localIp('10.30.0.61')));
    expect(right.outcomes('ovs/tunnel-port')).toEqual(['pass']);
  });

  it('does not guess if a transport interface is set and its address is not published', () => {
    const unpublished = healthy('01-antrea-healthy').object('ConfigMap', 'antrea-windows-config', ({data}) => {
      data['antrea-agent.conf'] = data['antrea-agent.conf'].replace(
        '#transportInterface:',
        'transportInterface: Ethernet1',
      );
    });
    expect(unpublished.outcomes('ovs/tunnel-port')).toEqual(['unknown']);
  });

  it('finds a missing tunnel port, and requires none without encapsulation', () => {
    const missing = healthy('01-antrea-healthy').section('ovs', ovs => removeRow(ovs, 'Port', 'antrea-tun0'));
    expect(missing.outcomes('ovs/tunnel-port')).toEqual(['fail']);
    const direct = missing.object('ConfigMap', 'antrea-windows-config', ({data}) => {
      data['antrea-agent.conf'] += 'trafficEncapMode: noEncap\n';
    });
    expect(direct.outcomes('ovs/tunnel-port')).toEqual(['skipped']);
  });

  it("finds Kube-OVN's tunnel address on another NIC than the annotation names", () => {
    const wrong = healthy('04-kube-ovn-healthy').section('ovs', ovs => setRootId(ovs, 'ovn-encap-ip', '172.20.5.31'));
    expect(wrong.failures('ovs/tunnel-port')).toEqual([expect.stringContaining('172.20.5.31')]);
  });

  it('expects the address of a NIC under the network on br-provider', () => {
    expect(healthy('04-kube-ovn-healthy').outcomes('ovs/tunnel-port')).toEqual(['pass']);
  });

  it('expects the node address without an annotation', () => {
    const plain = healthy('04-kube-ovn-healthy').object('Node', 'kovn-win-1', ({metadata}) => {
      delete metadata.annotations['ovn.kubernetes.io/tunnel_interface'];
    });
    expect(plain.outcomes('ovs/tunnel-port')).toEqual(['pass']);
    const moved = plain.section('ovs', ovs => setRootId(ovs, 'ovn-encap-ip', '192.168.96.77'));
    expect(moved.outcomes('ovs/tunnel-port')).toEqual(['fail']);
  });

  it('accepts several tunnel addresses if one is correct', () => {
    const several = healthy('04-kube-ovn-healthy').section('ovs', ovs =>
      setRootId(ovs, 'ovn-encap-ip', '192.168.96.31,172.20.5.31'),
    );
    expect(several.outcomes('ovs/tunnel-port')).toEqual(['pass']);
  });

  it('finds a tunnel adapter without a usable address', () => {
    const bare = annotate(healthy('04-kube-ovn-healthy'), {'ovn.kubernetes.io/tunnel_interface': 'Ethernet0'}).section(
      'netIPAddresses',
      addresses => {
        addresses.find(
          ({InterfaceAlias, AddressFamily}: Record<string, string>) =>
            InterfaceAlias === 'Ethernet0' && AddressFamily === 'IPv4',
        ).IPAddress = '169.254.9.9';
      },
    );
    expect(bare.failures('ovs/tunnel-port')).toEqual([expect.stringContaining('no usable IPv4 address')]);
  });
});
