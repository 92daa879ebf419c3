import {describe, expect, it} from 'vitest';
import {healthy, type Raw} from '../support.js';

const antrea = '01-antrea-healthy';
const flannel = '06-flannel-overlay-healthy';

describe('net/api-server', () => {
  const id = 'net/api-server';
  const failed = (target: string) => (probes: Raw[]) => {
    Object.assign(
      probes.find(({Target}) => Target === target),
      {Ok: false, Error: 'No connection could be made'},
    );
  };

  it('says that the API server does not answer', () => {
    const cut = healthy(antrea).section('probes', failed('10.21.40.11:6443'));
    expect(cut.verdicts(id)).toMatchObject([{outcome: 'fail', severity: 'error'}]);
    expect(cut.failures(id)).toEqual(['The node cannot reach the API server at 10.21.40.11:6443.']);
  });

  it('warns where one of several API servers does not answer', () => {
    const one = healthy(antrea)
      .section('probes', failed('10.21.40.11:6443'))
      .section('probes', probes => probes.push({Target: '10.21.40.12:6443', Kind: 'tcp', Ok: true}));
    expect(one.verdicts(id)).toMatchObject([{outcome: 'fail', severity: 'warning'}]);
  });

  it('says that kubelet does not listen', () => {
    const deaf = healthy(antrea).section('probes', failed('10.21.40.61:10250'));
    expect(deaf.failures(id)[0]).toMatch(/kubelet is not listening/);
  });

  it('does not mind a gateway that drops pings, nor a database of OVN', () => {
    const fine = healthy(antrea).section('probes', probes => {
      for (const probe of probes) if (probe.Kind === 'icmp') probe.Ok = false;
      probes.push({Target: '10.21.40.11:6642', Kind: 'tcp', Ok: false});
    });
    expect(fine.outcomes(id)).toEqual(['pass']);
  });

  it('cannot tell where nothing was probed', () => {
    const none = healthy(antrea).section('probes', probes => probes.splice(0));
    expect(none.outcomes(id)).toEqual(['unknown']);
  });
});

describe('net/port-exhaustion', () => {
  const id = 'net/port-exhaustion';
  const blocks = (protocol: string, from: number, count: number) =>
    Array.from({length: count}, (_, i) => ({Protocol: protocol, Start: from + i * 64, End: from + i * 64 + 63}));

  /** A node with these blocks taken, and with a dynamic range. */
  const taken = (ranges: object[], dynamic: object[] = range(49152, 65535)) =>
    healthy(antrea).node(node => {
      node.sections.excludedPorts.push(...ranges);
      node.sections.dynamicPorts = dynamic;
    });
  const range = (Start: number, End: number) => ['tcp', 'udp'].map(Protocol => ({Protocol, Start, End}));

  it('warns when ten or fewer blocks are left', () => {
    expect(taken(blocks('tcp', 49152, 246)).failures(id)).toEqual([
      'Only 10 blocks of 64 tcp ports are left: HNS will fail to make load balancers and outbound connections.',
    ]);
  });

  it('is content with eleven', () => {
    expect(taken(blocks('udp', 49152, 245)).outcomes(id)).toEqual(['pass']);
  });

  it('counts whole blocks only: single ports can split many', () => {
    const last = Array.from({length: 256}, (_, i) => ({
      Protocol: 'tcp',
      Start: 49152 + 63 + i * 64,
      End: 49152 + 63 + i * 64,
    }));
    expect(taken(last).failures(id)).toHaveLength(1);
  });

  it('counts a port that is excluded twice once', () => {
    const twice = [...blocks('tcp', 49152, 200), ...blocks('tcp', 49152, 200)];
    expect(taken(twice).outcomes(id)).toEqual(['pass']);
  });

  it('goes by the range that the node has', () => {
    const all = [...blocks('tcp', 49152, 256), ...blocks('tcp', 16448, 30)];
    expect(taken(all, range(16385, 65535)).outcomes(id)).toEqual(['pass']);
    expect(taken(blocks('tcp', 60000, 10), range(60000, 61000)).failures(id)).toHaveLength(1);
  });

  it('says how many ranges HNS holds, where HNS tells', () => {
    const full = taken(blocks('tcp', 49152, 250)).node(node => {
      const PortRanges = Array.from({length: 250}, (_, i) => ({First: i, Last: i}));
      node.sections.hnsPortPools = [
        {PortPoolAllocations: [{RequiresHostPortReservation: true, PortRanges}, {PortRanges: null}]},
      ];
    });
    expect(full.verdicts(id)[0]?.evidence).toContainEqual(
      expect.objectContaining({section: 'hnsPortPools', seen: 250}),
    );
  });

  it('cannot tell without the range, as in snapshots of older versions', () => {
    expect(healthy(antrea).outcomes(id)).toEqual(['unknown']);
    expect(taken([], [{Protocol: 'tcp', Start: 49152, End: 65535}]).outcomes(id)).toEqual(['unknown']);
  });
});

describe('net/firewall', () => {
  const id = 'net/firewall';
  const rule = (change: object) => (firewall: Raw) => {
    Object.assign(
      firewall.Rules.find(({Name}: Raw) => Name === 'OverlayTraffic4789UDP'),
      change,
    );
  };

  it.each([
    ['switched off', {Enabled: false}],
    ['outbound', {Direction: 'Outbound'}],
    ['for TCP', {Protocol: 'TCP'}],
    ['for another port', {LocalPort: '8472'}],
    ['a block rule', {Action: 'Block'}],
  ])('warns where the rule for the tunnel is %s', (_, change) => {
    const closed = healthy(flannel).section('firewall', rule(change));
    expect(closed.failures(id)).toHaveLength(1);
    expect(closed.failures(id)[0]).toContain('UDP 4789');
  });

  it.each([
    ['another name', {Name: '{7A1D}', DisplayName: 'Überlagerungsverkehr'}],
    ['a range of ports', {LocalPort: '4000-5000'}],
    ['a list of ports', {LocalPort: ['4788', '4789']}],
    ['the number of the protocol', {Protocol: '17'}],
    ['any protocol on that port', {Protocol: 'Any'}],
  ])('accepts a rule with %s', (_, change) => {
    expect(healthy(flannel).section('firewall', rule(change)).failures(id)).toEqual([]);
  });

  it('says that a block rule wins over the allow rule', () => {
    const blocked = healthy(flannel).section('firewall', firewall => {
      firewall.Rules.push({
        Name: 'no-vxlan',
        Enabled: true,
        Direction: 'Inbound',
        Action: 'Block',
        Protocol: 'UDP',
        LocalPort: '4789',
      });
    });
    expect(blocked.verdicts(id)[0]).toMatchObject({
      outcome: 'fail',
      remedy: {steps: ["Disable-NetFirewallRule -Name 'no-vxlan'"]},
    });
  });

  it('says nothing where all profiles are off', () => {
    const off = healthy(flannel).section('firewall', firewall => {
      firewall.Rules = [];
      for (const profile of firewall.Profiles) profile.Enabled = false;
    });
    expect(off.failures(id)).toEqual([]);
  });

  it('warns of a closed port of kubelet, and of rules of Antrea that are missing', () => {
    const on = healthy(antrea).section('firewall', firewall => {
      for (const profile of firewall.Profiles) profile.Enabled = true;
      firewall.Rules = [];
    });
    expect(on.failures(id)).toHaveLength(4);
  });

  it("does not take Antrea's own rules, which are for its pods alone, for an open tunnel port", () => {
    const on = healthy(antrea).section('firewall', firewall => {
      for (const profile of firewall.Profiles) profile.Enabled = true;
    });
    expect(on.failures(id)).toEqual([
      'The firewall is on (Domain, Private, Public), and no rule allows UDP 6081 for the geneve tunnel.',
    ]);
  });

  it('only informs where a rule for everything may cover the port', () => {
    const wide = healthy(flannel).section(
      'firewall',
      firewall => {
        firewall.Rules = [
          {Name: 'all', Enabled: true, Direction: 'Inbound', Action: 'Allow', Protocol: 'Any', LocalPort: 'Any'},
        ];
      },
      'fl-win-a',
    );
    expect(
      wide
        .verdicts(id)
        .filter(({node}) => node === 'fl-win-a')
        .map(({outcome}) => outcome),
    ).toEqual(['info', 'info']);
  });

  it('cannot tell without the profiles', () => {
    const none = healthy(antrea).section('firewall', firewall => {
      firewall.Profiles = [];
    });
    expect(none.outcomes(id)).toEqual(['unknown']);
  });
});
