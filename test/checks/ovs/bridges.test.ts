import {describe, expect, it} from 'vitest';
import {healthy, type Scenario, scenario} from '../support.js';
import {removeRow} from './tables.js';

/** A boot removes the network and leaves the rows. */
const rebooted = (node: Scenario, network: string) =>
  node.node(({sections}) => {
    sections.hnsNetworks = sections.hnsNetworks.filter(({Name}: {Name: string}) => Name !== network);
    sections.vmSwitches = sections.vmSwitches.filter(({Name}: {Name: string}) => Name !== network);
  });

describe('ovs/bridges', () => {
  it('names the bridge that is missing for Antrea', () => {
    const broken = healthy('01-antrea-healthy').section('ovs', ovs => removeRow(ovs, 'Bridge', 'br-int'));
    expect(broken.failures('ovs/bridges')).toEqual([expect.stringContaining('no bridge br-int')]);
  });

  it('requires both bridges of Kube-OVN', () => {
    const broken = healthy('04-kube-ovn-healthy').section('ovs', ovs => removeRow(ovs, 'Bridge', 'br-provider'));
    expect(broken.failures('ovs/bridges')).toEqual([expect.stringContaining('no bridge br-provider')]);
  });

  it('reads the bridge name from the Antrea configuration', () => {
    const renamed = healthy('01-antrea-healthy').object('ConfigMap', 'antrea-windows-config', ({data}) => {
      data['antrea-agent.conf'] = data['antrea-agent.conf'].replace('#ovsBridge: br-int', 'ovsBridge: br-lab');
    });
    expect(renamed.failures('ovs/bridges')).toEqual([expect.stringContaining('br-lab')]);
  });

  it('waits for the agent after a boot', () => {
    const booting = healthy('01-antrea-healthy')
      .section('ovs', ovs => removeRow(ovs, 'Bridge', 'br-int'))
      .section('os', os => {
        os.LastBootUpTime = os.SystemTime;
      });
    expect(booting.outcomes('ovs/bridges')).toEqual(['info']);
  });

  it('is undetermined when OVS does not answer', () => {
    expect(healthy('01-antrea-healthy').without('ovs').outcomes('ovs/bridges')).toEqual(['unknown']);
  });
});

describe('ovs/stale-bridge', () => {
  it('names the bridge that a reboot left and the network that is missing', () => {
    const [finding] = scenario('02-antrea-after-reboot').verdicts('ovs/stale-bridge');
    expect(finding?.message).toBe(
      'Bridge br-int is in the OVS database, but HNS network antrea-hnsnetwork does not exist.',
    );
    expect(finding?.remedy).toEqual({kind: 'command', command: 'kubectl win cleanup win-blue', cutsNetwork: false});
    expect(finding?.evidence).toContainEqual(
      expect.objectContaining({object: 'Interface br-int', seen: expect.stringContaining('No such device')}),
    );
  });

  it('is one finding for both bridges of Kube-OVN', () => {
    const broken = rebooted(healthy('04-kube-ovn-healthy'), 'kube-ovn');
    expect(broken.failures('ovs/stale-bridge')).toEqual([
      'Bridges br-int and br-provider are in the OVS database, but HNS network kube-ovn does not exist.',
    ]);
  });

  it('passes while the switch still exists', () => {
    const half = healthy('04-kube-ovn-healthy').section('hnsNetworks', networks => networks.splice(0));
    expect(half.outcomes('ovs/stale-bridge')).toEqual(['pass']);
  });

  it('allows the agent time after the boot while ovs-vswitchd runs', () => {
    const booting = rebooted(healthy('04-kube-ovn-healthy'), 'kube-ovn').section('os', os => {
      os.LastBootUpTime = os.SystemTime;
    });
    expect(booting.outcomes('ovs/stale-bridge')).toEqual(['info']);
  });

  it('does not wait for an ovs-vswitchd that failed on the rows', () => {
    const booting = scenario('02-antrea-after-reboot').section('os', os => {
      os.LastBootUpTime = os.SystemTime;
    });
    expect(booting.outcomes('ovs/stale-bridge')).toEqual(['fail']);
  });

  it('explains the stopped daemon', () => {
    const [services] = scenario('02-antrea-after-reboot').verdicts('ovs/services');
    expect(services?.causedBy).toContain('ovs/stale-bridge');
  });
});
