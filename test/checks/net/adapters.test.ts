import {describe, expect, it} from 'vitest';
import {healthy, type Raw, scenario} from '../support.js';

const antrea = '01-antrea-healthy';
const flannel = '06-flannel-overlay-healthy';
const hostGw = '08-flannel-host-gw-after-reboot';

describe('net/orphan-switch-binding', () => {
  const id = 'net/orphan-switch-binding';
  const orphaned = () =>
    scenario('02-antrea-after-reboot').section('adapterBindings', bindings => {
      for (const binding of bindings) binding.Enabled = binding.ComponentID === 'vms_pp';
    });

  it('finds a NIC that is bound to a switch that is gone', () => {
    const [found] = orphaned().verdicts(id);
    expect(found).toMatchObject({outcome: 'fail', remedy: {cutsNetwork: true}});
    expect(found?.message).toMatch(/^Ethernet0 is bound to a virtual switch that does not exist/);
  });

  it('finds it without Hyper-V too', () => {
    const bare = orphaned().without('vmSwitches', {kind: 'NotInstalled', message: 'no Hyper-V'});
    expect(bare.failures(id)).toHaveLength(1);
  });

  it('does not suspect a NIC of a team, which no switch names', () => {
    const team = orphaned().section('vmSwitches', switches => {
      switches.push({Name: 'team', SwitchType: 'External', NetAdapterInterfaceDescription: 'Teamed-Interface'});
    });
    expect(team.outcomes(id)).toEqual(['pass']);
  });

  it('does not suspect a NIC under a network that does not name it', () => {
    expect(healthy('09-calico-vxlan-healthy').without('vmSwitches').failures(id)).toEqual([]);
  });

  it('cannot tell where neither switches nor networks were read', () => {
    expect(orphaned().without('vmSwitches').without('hnsNetworks').outcomes(id)).toEqual(['unknown']);
  });

  it('finds the switch of Azure even while HNS does not answer', () => {
    expect(scenario('14-hns-not-answering').outcomes(id)).toEqual(['pass']);
  });
});

describe('net/mtu', () => {
  const id = 'net/mtu';
  const pods = ({Name}: Raw) => Name.startsWith('vEthernet (') && /_flannel/.test(Name);

  it('finds pods whose packets do not fit into the tunnel', () => {
    const big = healthy(flannel).node(node => {
      for (const adapter of node.sections.netAdapters.filter(pods)) adapter.MtuSize = 1500;
    }, 'fl-win-a');
    const [found] = big.verdicts(id).filter(({outcome}) => outcome === 'fail');
    expect(found).toMatchObject({node: 'fl-win-a', severity: 'warning'});
    expect(found?.message).toMatch(/2 adapters of pods may send packets of 1500 bytes, but only 1450 fit/);
  });

  it('finds a gateway of Antrea that is too big for a smaller NIC', () => {
    const small = healthy(antrea).section('netAdapters', adapters => {
      adapters.find(({Name}: Raw) => Name === 'Ethernet0').MtuSize = 1450;
    });
    expect(small.failures(id)).toHaveLength(1);
  });

  it('is content with jumbo frames, and with pods that use less than they may', () => {
    const jumbo = healthy(antrea).section('netAdapters', adapters => {
      adapters.find(({Name}: Raw) => Name === 'Ethernet0').MtuSize = 9000;
    });
    expect(jumbo.outcomes(id)).toEqual(['pass']);
  });

  it("does not measure the node's own adapter, which kube-proxy's source VIP is named after", () => {
    expect(healthy(flannel).failures(id)).toEqual([]);
  });

  it('is not for plugins without a tunnel', () => {
    expect(scenario(hostGw).outcomes(id)).toEqual(['skipped', 'skipped']);
  });
});

describe('net/forwarding', () => {
  const id = 'net/forwarding';
  const turnOff = (name: string) => (interfaces: Raw[]) => {
    for (const one of interfaces) if (one.InterfaceAlias === name) one.Forwarding = 'Disabled';
  };

  it.each(['antrea-gw0', 'br-int'])('finds %s of Antrea that does not forward', name => {
    const off = healthy(antrea).section('netIPInterfaces', turnOff(name));
    const [found] = off.verdicts(id);
    expect(found).toMatchObject({
      outcome: 'fail',
      remedy: {steps: [`Set-NetIPInterface -InterfaceAlias '${name}' -AddressFamily IPv4 -Forwarding Enabled`]},
    });
  });

  it.each(['vEthernet (Ethernet0)', 'vEthernet (cbr0_ep)'])(
    'finds %s of Flannel host-gw that does not forward',
    name => {
      const off = scenario(hostGw).section('netIPInterfaces', turnOff(name), 'hg-win-2');
      expect(off.failures(id)).toHaveLength(1);
    },
  );

  it('does not ask it of IPv6, nor of other adapters', () => {
    expect(healthy(antrea).outcomes(id)).toEqual(['pass']);
    expect(scenario(hostGw).failures(id)).toEqual([]);
  });

  it('does not ask it of overlays', () => {
    expect(healthy(flannel).outcomes(id)).toEqual(['skipped', 'skipped']);
  });

  it('does not pass where Windows does not say', () => {
    const silent = healthy(antrea).section('netIPInterfaces', interfaces => {
      for (const one of interfaces) delete one.Forwarding;
    });
    expect(silent.outcomes(id)).toEqual(['unknown']);
  });
});
