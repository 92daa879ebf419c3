import {describe, expect, it} from 'vitest';
import {healthy, scenario} from '../support.js';

const ovs = /^583CC151/i;
const vfp = /^(E9B59CFA|F74F241B)/i;

interface Row {
  SwitchName: string;
  Id: string;
  Enabled: boolean | string;
  Running: boolean;
}

const rows = (switchName: string, id: RegExp, change: (row: Row) => void) => (all: Row[]) => {
  for (const row of all.filter(its => its.SwitchName === switchName && id.test(its.Id))) change(row);
};

const inHns = (id: RegExp, enabled: boolean) => (networks: {Extensions: {Id: string; IsEnabled: boolean}[]}[]) => {
  for (const {Extensions} of networks.slice(0, 1))
    for (const extension of Extensions.filter(({Id}) => id.test(Id))) extension.IsEnabled = enabled;
};

describe('ovs/extension', () => {
  it('finds an extension that runs but is not enabled', () => {
    const [finding] = scenario('03-antrea-ovs-extension-off').verdicts('ovs/extension');
    expect(finding).toMatchObject({outcome: 'fail', remedy: {cutsNetwork: true}});
    expect(finding?.message).toContain('antrea-hnsnetwork');
  });

  it('finds an extension whose driver does not run', () => {
    const stopped = healthy('04-kube-ovn-healthy').section(
      'vmSwitchExtensions',
      rows('kube-ovn', ovs, row => {
        row.Running = false;
      }),
    );
    expect(stopped.failures('ovs/extension')).toEqual([expect.stringContaining('driver is not running')]);
  });

  it('trusts the switch over HNS, which was wrong on 1803', () => {
    const lying = healthy('01-antrea-healthy').section('hnsNetworks', inHns(ovs, false));
    expect(lying.outcomes('ovs/extension')).toEqual(['pass']);
  });

  it('uses HNS if the switch cannot be read', () => {
    const readable = healthy('01-antrea-healthy').without('vmSwitchExtensions');
    expect(readable.outcomes('ovs/extension')).toEqual(['pass']);
    expect(readable.section('hnsNetworks', inHns(ovs, false)).outcomes('ovs/extension')).toEqual(['fail']);
  });

  it('is undetermined if neither the switch nor HNS lists an extension, and fails if others are listed', () => {
    const listed = (Extensions: object[]) =>
      healthy('01-antrea-healthy')
        .without('vmSwitchExtensions')
        .section('hnsNetworks', ([first]) => Object.assign(first, {Extensions}));
    expect(listed([]).outcomes('ovs/extension')).toEqual(['unknown']);
    const capture = {Id: '430BDADD-BAB0-41AB-A369-94B67FA5BE0A', IsEnabled: true, Name: 'Microsoft NDIS Capture'};
    expect(listed([capture]).failures('ovs/extension')).toEqual([expect.stringContaining('has no OVS extension')]);
  });

  it('does not trust HNS of 1803 alone', () => {
    const old = healthy('01-antrea-healthy')
      .without('vmSwitchExtensions')
      .section('hnsNetworks', inHns(ovs, false))
      .section('os', os => {
        os.BuildNumber = '17134';
      });
    expect(old.outcomes('ovs/extension')).toEqual(['unknown']);
  });

  it('recognises the extension by ID, with any name and notation', () => {
    const renamed = healthy('01-antrea-healthy').section('vmSwitchExtensions', all => {
      for (const row of all.filter(({Id}: Row) => ovs.test(Id))) {
        row.Name = 'Cloudbase Open vSwitch Extension';
        row.Id = `{${row.Id.toLowerCase()}}`;
      }
    });
    expect(renamed.outcomes('ovs/extension')).toEqual(['pass']);
  });

  it('recognises the switch by ID if its name is missing', () => {
    const unnamed = scenario('03-antrea-ovs-extension-off')
      .section('vmSwitchExtensions', all => {
        for (const row of all) row.SwitchName = null;
      })
      .section('hnsNetworks', inHns(ovs, true));
    expect(unnamed.outcomes('ovs/extension')).toEqual(['fail']);
  });

  it('waits while a node that has just booted settles', () => {
    const booting = scenario('03-antrea-ovs-extension-off').section('os', os => {
      os.LastBootUpTime = os.SystemTime;
    });
    expect(booting.outcomes('ovs/extension')).toEqual(['info']);
  });

  it('leaves a missing network to its own check', () => {
    expect(scenario('02-antrea-after-reboot').outcomes('ovs/extension')).toEqual(['skipped']);
  });
});

describe('hns/two-extensions', () => {
  const on = (row: Row) => {
    row.Enabled = true;
  };

  it('finds OVS enabled on the NAT switch', () => {
    const broken = healthy('01-antrea-healthy').section('vmSwitchExtensions', rows('nat', ovs, on));
    expect(broken.failures('hns/two-extensions')).toEqual([expect.stringContaining('switch nat')]);
  });

  it('finds OVS enabled on a second switch', () => {
    const broken = healthy('01-antrea-healthy').section('vmSwitchExtensions', all => {
      const row = all.find(({SwitchName, Id}: Row) => SwitchName === 'antrea-hnsnetwork' && ovs.test(Id));
      all.push({...row, SwitchName: 'lab', SwitchId: '00000000-0000-0000-0000-00000000000a'});
    });
    expect(broken.failures('hns/two-extensions')).toEqual([expect.stringContaining('antrea-hnsnetwork and lab')]);
  });

  it('finds OVS and VFP on one switch', () => {
    const broken = healthy('04-kube-ovn-healthy').section('vmSwitchExtensions', rows('kube-ovn', vfp, on));
    expect(broken.failures('hns/two-extensions')).toEqual([expect.stringContaining('Two forwarding extensions')]);
  });

  it('uses HNS if the switches cannot be read', () => {
    const unread = healthy('04-kube-ovn-healthy').without('vmSwitchExtensions');
    expect(unread.outcomes('hns/two-extensions')).toEqual(['pass']);
    expect(unread.section('hnsNetworks', inHns(vfp, true)).outcomes('hns/two-extensions')).toEqual(['fail']);
  });

  it('counts networks that share a switch once', () => {
    const sharing = healthy('01-antrea-healthy')
      .without('vmSwitchExtensions')
      .section('hnsNetworks', networks => {
        networks.push({...networks[0], ID: '00000000-0000-0000-0000-00000000000b', Name: 'second'});
      });
    expect(sharing.outcomes('hns/two-extensions')).toEqual(['pass']);
  });

  it('allows NDIS capture beside OVS, because it does not forward', () => {
    expect(healthy('01-antrea-healthy').outcomes('hns/two-extensions')).toEqual(['pass']);
  });

  it('is undetermined if neither switches nor networks were read', () => {
    const unread = healthy('04-kube-ovn-healthy').without('vmSwitchExtensions').without('hnsNetworks');
    expect(unread.outcomes('hns/two-extensions')).toEqual(['unknown']);
  });

  it('names the extensions, and only the switches that have any', () => {
    const [found] = healthy('04-kube-ovn-healthy')
      .section('vmSwitchExtensions', rows('kube-ovn', vfp, on))
      .verdicts('hns/two-extensions');
    expect(found?.message).toMatch(/switch kube-ovn \(.*Open vSwitch.*\)\.$/);
    expect(found?.evidence.map(({object}) => object)).toEqual(['kube-ovn']);
  });

  it('recognises a NAT switch by its network, with any name', () => {
    const named = (Type: string) =>
      healthy('01-antrea-healthy')
        .section('vmSwitchExtensions', all => {
          for (const row of all.filter(({SwitchName}: Row) => SwitchName === 'nat')) row.SwitchName = 'lab';
          rows('lab', ovs, on)(all);
        })
        .section('hnsNetworks', networks => {
          const nat = networks.find(({Name}: {Name: string}) => Name === 'nat');
          Object.assign(nat, {Name: 'lab', Type});
        });
    expect(named('ICS').failures('hns/two-extensions')).toEqual([
      expect.stringContaining('switch lab, which is for NAT'),
    ]);
    expect(named('L2Bridge').failures('hns/two-extensions')).toEqual([
      expect.stringContaining('antrea-hnsnetwork and lab'),
    ]);
  });

  it('also recognises it if only HNS was read', () => {
    const inNat = healthy('01-antrea-healthy')
      .without('vmSwitchExtensions')
      .section('hnsNetworks', networks => {
        const nat = networks.find(({Name}: {Name: string}) => Name === 'nat');
        nat.Extensions = [
          {Id: '583CC151-73EC-4A6A-8B47-578297AD7623', IsEnabled: true, Name: 'Open vSwitch Extension'},
        ];
      });
    expect(inNat.failures('hns/two-extensions')).toEqual([expect.stringContaining('switch nat, which is for NAT')]);
  });
});
