import {describe, expect, it} from 'vitest';
import {adapterNamed, isVirtual, nicOf, nicUnder} from '../../../src/checks/net/adapters.js';
import type {Network} from '../../../src/snapshot/hns.js';
import type {NodeModel} from '../../../src/snapshot/node.js';
import type {Adapter} from '../../../src/snapshot/sections.js';
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

  it('finds a NIC that is bound to a switch that no longer exists', () => {
    const [found] = orphaned().verdicts(id);
    expect(found).toMatchObject({outcome: 'fail', remedy: {cutsNetwork: true}});
    expect(found?.message).toMatch(/^Ethernet0 is bound to a virtual switch that does not exist/);
  });

  it('also finds it without Hyper-V', () => {
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

  it('is undetermined if neither switches nor networks were read', () => {
    expect(orphaned().without('vmSwitches').without('hnsNetworks').outcomes(id)).toEqual(['unknown']);
  });

  it('is undetermined if only the networks were not read, because its repair interrupts the network', () => {
    expect(orphaned().without('hnsNetworks').outcomes(id)).toEqual(['unknown']);
  });

  it('does not suspect a NIC that a switch of any type names', () => {
    const switched = (SwitchType: string | undefined, NetAdapterInterfaceDescription: string) =>
      orphaned().section('vmSwitches', switches => {
        switches.push({Name: 'own', SwitchType, NetAdapterInterfaceDescription});
      });
    expect(switched('External', 'vmxnet3 Ethernet Adapter').outcomes(id)).toEqual(['pass']);
    expect(switched(undefined, 'vmxnet3 Ethernet Adapter').outcomes(id)).toEqual(['pass']);
    expect(switched('Internal', 'vmxnet3 Ethernet Adapter').outcomes(id)).toEqual(['fail']);
  });

  it('suspects a NIC while a switch is on another one', () => {
    const other = orphaned()
      .section('netAdapters', adapters => adapters.push({...adapters[0], Name: 'Ethernet1', ...second}))
      .section('vmSwitches', switches => {
        switches.push({
          Name: 'own',
          SwitchType: 'External',
          NetAdapterInterfaceDescription: second.InterfaceDescription,
        });
      });
    expect(other.failures(id)).toHaveLength(1);
  });

  const second = {
    InterfaceDescription: 'vmxnet3 Ethernet Adapter #2',
    InterfaceIndex: 9,
    InterfaceGuid: '{B1398215-B4B3-42A3-95BF-17560DC533F2}',
    MacAddress: '00-50-56-DA-D8-46',
  };
  const withNetwork = (rest: object) =>
    orphaned().section('hnsNetworks', networks => {
      networks.push({ID: '11111111-2222-3333-4444-555555555555', Name: 'one', Subnets: [], ...rest});
    });

  it.each(['Overlay', 'L2Bridge', 'L2Tunnel', 'Transparent'])('does not suspect a NIC under a network: %s', Type => {
    expect(withNetwork({Type, NetworkAdapterName: 'Ethernet0'}).outcomes(id)).toEqual(['pass']);
  });

  it('suspects no NIC while the adapter of a network is unknown', () => {
    expect(withNetwork({Type: 'Overlay'}).outcomes(id)).toEqual(['pass']);
    expect(withNetwork({Type: 'NAT'}).outcomes(id)).toEqual(['fail']);
    expect(withNetwork({Type: 'Overlay', NetworkAdapterName: 'Ethernet7'}).outcomes(id)).toEqual(['fail']);
  });

  it('does not suspect a NIC whose virtual adapter is up', () => {
    const virtual = (Status: string) =>
      orphaned().section('netAdapters', adapters => {
        const [nic] = adapters;
        adapters.push({
          ...nic,
          Name: 'vEthernet (Ethernet0)',
          InterfaceDescription: 'Hyper-V Virtual Ethernet Adapter',
          InterfaceIndex: 30,
          ComponentID: 'vms_mp',
          Status,
        });
      });
    expect(virtual('Up').outcomes(id)).toEqual(['pass']);
    expect(virtual('Disconnected').outcomes(id)).toEqual(['fail']);
  });

  it('finds the Azure switch even if HNS does not answer', () => {
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
    expect(found?.message).toMatch(/2 pod adapters may send packets of 1500 bytes, but only 1450 fit/);
  });

  it('finds an Antrea gateway whose MTU is too large for the NIC', () => {
    const small = healthy(antrea).section('netAdapters', adapters => {
      adapters.find(({Name}: Raw) => Name === 'Ethernet0').MtuSize = 1450;
    });
    expect(small.failures(id)).toHaveLength(1);
  });

  it('accepts jumbo frames, and pods with a smaller MTU', () => {
    const jumbo = healthy(antrea).section('netAdapters', adapters => {
      adapters.find(({Name}: Raw) => Name === 'Ethernet0').MtuSize = 9000;
    });
    expect(jumbo.outcomes(id)).toEqual(['pass']);
  });

  it("does not check the node's own adapter, which has the name of kube-proxy's source VIP", () => {
    expect(healthy(flannel).failures(id)).toEqual([]);
  });

  it('does not apply to plugins without a tunnel', () => {
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

  it('does not require it of IPv6 or of other adapters', () => {
    expect(healthy(antrea).outcomes(id)).toEqual(['pass']);
    expect(scenario(hostGw).failures(id)).toEqual([]);
  });

  it('does not require it of overlays', () => {
    expect(healthy(flannel).outcomes(id)).toEqual(['skipped', 'skipped']);
  });

  it('does not pass if Windows does not report it', () => {
    const silent = healthy(antrea).section('netIPInterfaces', interfaces => {
      for (const one of interfaces) delete one.Forwarding;
    });
    expect(silent.outcomes(id)).toEqual(['unknown']);
  });
});

describe('adapters', () => {
  const adapter = (name: string, rest: Partial<Adapter> = {}) => ({name, ...rest}) as Adapter;
  const nodeWith = (...netAdapters: Adapter[]) => ({netAdapters}) as unknown as NodeModel;

  it.each([
    [adapter('Ethernet', {component: 'vms_mp'}), true],
    [adapter('vEthernet (x)', {component: 'pci\\ven_15ad', description: 'Hyper-V Virtual Ethernet Adapter'}), false],
    [adapter('vEthernet (Ethernet)'), true],
    [adapter('br-int'), true],
    [adapter('br-provider'), true],
    [adapter('antrea-gw0', {description: 'Hyper-V Virtual Ethernet Adapter #2'}), true],
    [adapter('Ethernet', {description: 'My Hyper-V Virtual Ethernet'}), false],
    [adapter('br-internal'), false],
    [adapter('my vEthernet (x)'), false],
    [adapter('Ethernet'), false],
  ])('are virtual by driver or, if that is unknown, by name: %j', (its, expected) => {
    expect(isVirtual(its)).toBe(expected);
  });

  const nic = adapter('Ethernet0', {index: 4, mac: '00-50-56-da-d8-45'});
  const other = adapter('Ethernet1', {index: 5, mac: '00-50-56-da-d8-46'});

  it('are found by their index before their name', () => {
    const node = nodeWith(nic, other);
    expect(adapterNamed(node, 'Ethernet0', 5)).toBe(other);
    expect(adapterNamed(node, 'ethernet1')).toBe(other);
    expect(adapterNamed(node, 'Ethernet1', 77)).toBe(other);
    expect(adapterNamed(nodeWith(adapter('no index'), nic), undefined)).toBeUndefined();
  });

  it('represent the NIC with their MAC, or the one in their name', () => {
    const node = nodeWith(adapter('blank', {mac: ''}), other, nic);
    const virtual = (name: string, mac?: string) =>
      adapter(name, {component: 'vms_mp', ...(mac !== undefined && {mac})});
    expect(nicUnder(node, virtual('br-int', nic.mac))).toBe(nic);
    expect(nicUnder(node, virtual('vEthernet (Ethernet1)', nic.mac))).toBe(nic);
    expect(nicUnder(node, virtual('vEthernet (Ethernet1)', '00-00-00-00-00-01'))).toBe(other);
    expect(nicUnder(node, virtual('vEthernet (ethernet1) 12', ''))).toBe(other);
    expect(nicUnder(node, virtual('vEthernet (Ethernet1) x'))).toBeUndefined();
    expect(nicUnder(node, virtual('my vEthernet (Ethernet1)'))).toBeUndefined();
    expect(nicUnder(node, virtual('br-int', ''))).toBeUndefined();
    expect(nicUnder(node, nic)).toBe(nic);
    expect(nicUnder(node, undefined)).toBeUndefined();
  });

  it('belong to a network by its adapter, or by its management address', () => {
    const node = {
      netAdapters: [nic, other],
      netIPAddresses: [{ip: '10.0.0.9', adapter: 'Ethernet1', index: 5}],
    } as unknown as NodeModel;
    const network = (rest: Partial<Network>) => ({name: 'n', type: 'Overlay', extensions: [], ...rest}) as Network;
    expect(nicOf(node, network({adapterName: 'Ethernet0', managementIp: '10.0.0.9'}))).toBe(nic);
    expect(nicOf(node, network({managementIp: '10.0.0.9'}))).toBe(other);
    expect(nicOf(node, network({managementIp: '10.0.0.8'}))).toBeUndefined();
    expect(nicOf(node, network({}))).toBeUndefined();
  });
});

describe('the packets of pods', () => {
  const id = 'net/mtu';
  const podAdapter = ({Name}: Raw) => /^vEthernet \(2781ca/.test(Name);
  const sized = (change: (adapters: Raw[]) => void) =>
    healthy(flannel)
      .section('netAdapters', change)
      .verdicts(id)
      .find(({node}) => node === 'fl-win-a');

  it('are reported with the adapter and the NIC', () => {
    const found = sized(adapters => {
      adapters.find(podAdapter).MtuSize = 1451;
    });
    expect(found).toMatchObject({
      outcome: 'fail',
      message: expect.stringMatching(
        /_flannel\.4096\) may send packets of 1451 bytes, but only 1450 fit into a vxlan packet on Ethernet/,
      ),
      evidence: [
        {object: expect.stringMatching(/2781ca/), seen: 1451, expected: 'at most 1450'},
        {object: 'Ethernet', seen: 1500},
      ],
      remedy: {steps: [expect.stringContaining('to 1450 or less')]},
    });
  });

  it('are undetermined where Windows does not tell an MTU', () => {
    const pods = sized(adapters => {
      for (const adapter of adapters) if (/_flannel/.test(adapter.Name)) delete adapter.MtuSize;
    });
    expect(pods?.outcome).toBe('unknown');
    const one = sized(adapters => {
      delete adapters.find(podAdapter).MtuSize;
    });
    expect(one?.outcome).toBe('pass');
    const nic = sized(adapters => {
      delete adapters.find(({Name}: Raw) => Name === 'Ethernet').MtuSize;
    });
    expect(nic?.outcome).toBe('unknown');
  });

  it('are those of the adapters of pods alone, which are known by name or by MAC address', () => {
    const other = (change: object) =>
      sized(adapters => {
        Object.assign(adapters.find(podAdapter), {Name: 'vEthernet (x)', MtuSize: 1500, ...change});
      })?.outcome;
    expect(other({})).toBe('fail');
    expect(other({MacAddress: '0E-2A-0A-F4-01-99'})).toBe('pass');
    expect(other({MacAddress: ''})).toBe('pass');
    expect(other({ComponentID: 'pci\\ven_15ad'})).toBe('pass');
  });

  it('do not matter before there is a network', () => {
    const none = healthy(flannel).section('hnsNetworks', networks => networks.splice(0));
    expect(none.verdicts(id).find(({node}) => node === 'fl-win-a')?.outcome).toBe('skipped');
  });

  it('may have the header of Geneve alone, though Antrea takes off more', () => {
    const mtu = (size: number) =>
      healthy(antrea)
        .section('netAdapters', adapters => {
          adapters.find(({Name}: Raw) => Name === 'antrea-gw0').MtuSize = size;
        })
        .outcomes(id);
    expect(mtu(1442)).toEqual(['pass']);
    expect(mtu(1501)).toEqual(['fail']);
  });
});

describe('adapters that should forward', () => {
  const id = 'net/forwarding';

  it('are reported one by one, also where another one is silent', () => {
    const both = healthy(antrea).section('netIPInterfaces', interfaces => {
      for (const one of interfaces) {
        if (one.InterfaceAlias === 'br-int') one.Forwarding = 'Disabled';
        if (one.InterfaceAlias === 'antrea-gw0') delete one.Forwarding;
      }
    });
    expect(both.verdicts(id)).toMatchObject([
      {outcome: 'fail', evidence: [{object: 'br-int', seen: 'Disabled', expected: 'Enabled'}]},
    ]);
  });

  it('are not asked for before they exist', () => {
    const none = healthy(antrea).section('netIPInterfaces', interfaces => interfaces.splice(0));
    expect(none.outcomes(id)).toEqual(['skipped']);
    const noNetwork = scenario(hostGw).section('hnsNetworks', networks => networks.splice(0), 'hg-win-2');
    expect(noNetwork.verdicts(id).find(({node}) => node === 'hg-win-2')?.outcome).toBe('skipped');
  });
});
