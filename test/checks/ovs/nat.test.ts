import {describe, expect, it} from 'vitest';
import {healthy, scenario} from '../support.js';

const named = (name: string) => (nat: {Name: string}) => nat.Name === name;

describe('net/nat', () => {
  it('finds the missing NAT of the pods, and how to recreate it', () => {
    const broken = healthy('01-antrea-healthy').section('netNats', nats => nats.splice(0, 1));
    const [finding] = broken.verdicts('net/nat');
    expect(finding?.message).toContain('NAT antrea-nat for 10.124.1.0/24 does not exist');
    expect(finding?.remedy).toMatchObject({steps: ['kubectl -n kube-system delete pod antrea-agent-windows-kfkbc']});
  });

  it('finds a NAT for another pod CIDR', () => {
    const broken = healthy('01-antrea-healthy').section('netNats', nats => {
      nats.find(named('antrea-nat')).InternalIPInterfaceAddressPrefix = '10.124.9.0/24';
    });
    expect(broken.failures('net/nat')).toEqual([
      'The prefix of NAT antrea-nat is 10.124.9.0/24 instead of 10.124.1.0/24.',
    ]);
  });

  it('finds another NAT that overlaps, and quotes its name', () => {
    const broken = healthy('04-kube-ovn-healthy').section('netNats', nats => {
      nats.push({Name: "lab's nat", InternalIPInterfaceAddressPrefix: '100.64.8.0/24', Active: true});
    });
    const [finding] = broken.verdicts('net/nat');
    expect(finding?.message).toContain('100.64.8.0/24');
    expect(finding?.remedy).toMatchObject({
      steps: ["Remove-NetNat -Name 'lab''s nat' -Confirm:$false", "Restart-Service 'kube-ovn'"],
    });
  });

  it('allows other NATs for other addresses, and any notation of a prefix', () => {
    const fine = healthy('04-kube-ovn-healthy').section('netNats', nats => {
      nats[0].InternalIPInterfaceAddressPrefix = '100.64.0.1/16';
      nats.push({Name: 'docker', InternalIPInterfaceAddressPrefix: '172.22.0.0/20', Active: true});
    });
    expect(fine.outcomes('net/nat')).toEqual(['pass']);
  });

  it('requires the NAT of node ports only if Antrea proxies all Services', () => {
    const without = healthy('01-antrea-healthy').section('netNats', nats => nats.splice(1, 1));
    expect(without.failures('net/nat')).toEqual([expect.stringContaining('antrea-nat-nodeport')]);
    const withKubeProxy = without.object('ConfigMap', 'antrea-windows-config', ({data}) => {
      data['antrea-agent.conf'] = data['antrea-agent.conf'].replace('proxyAll: true', 'proxyAll: false');
    });
    expect(withKubeProxy.outcomes('net/nat')).toEqual(['pass']);
  });

  it('requires no NAT if pods keep their addresses', () => {
    const routed = healthy('01-antrea-healthy')
      .section('netNats', nats => nats.splice(0, 1))
      .object('ConfigMap', 'antrea-windows-config', ({data}) => {
        data['antrea-agent.conf'] += 'trafficEncapMode: noEncap\nnoSNAT: true\n';
      });
    expect(routed.outcomes('net/nat')).toEqual(['pass']);
  });

  it('requires no NAT before the network exists', () => {
    const early = scenario('02-antrea-after-reboot').section('netNats', nats => nats.splice(0));
    expect(early.outcomes('net/nat')).toEqual(['skipped', 'skipped']);
  });

  it('names what prevents the agent from creating its NAT', () => {
    const blocked = healthy('01-antrea-healthy').section('netNats', nats => {
      nats[0].Name = 'left over';
    });
    expect(blocked.failures('net/nat')).toEqual([
      'NAT left over (10.124.1.0/24) overlaps 10.124.1.0/24, which prevents the agent from creating NAT antrea-nat.',
    ]);
  });

  it('does not apply to plugins without NAT', () => {
    expect(healthy('09-calico-vxlan-healthy').outcomes('net/nat')).toEqual(['skipped', 'skipped']);
  });
});
