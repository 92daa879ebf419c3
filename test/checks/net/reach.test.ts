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

  it('reports that the API server does not answer', () => {
    const cut = healthy(antrea).section('probes', failed('10.21.40.11:6443'));
    expect(cut.verdicts(id)).toMatchObject([{outcome: 'fail', severity: 'error'}]);
    expect(cut.failures(id)).toEqual(['The node cannot reach the API server at 10.21.40.11:6443.']);
  });

  it('warns if one of several API servers does not answer', () => {
    const one = healthy(antrea)
      .section('probes', failed('10.21.40.11:6443'))
      .section('probes', probes => probes.push({Target: '10.21.40.12:6443', Kind: 'tcp', Ok: true}));
    expect(one.verdicts(id)).toMatchObject([{outcome: 'fail', severity: 'warning'}]);
  });

  it('reports that the kubelet does not listen', () => {
    const deaf = healthy(antrea).section('probes', failed('10.21.40.61:10250'));
    expect(deaf.failures(id)[0]).toMatch(/kubelet is not listening/);
  });

  it('ignores a gateway that drops pings, and an OVN database', () => {
    const fine = healthy(antrea).section('probes', probes => {
      for (const probe of probes) if (probe.Kind === 'icmp') probe.Ok = false;
      probes.push({Target: '10.21.40.11:6642', Kind: 'tcp', Ok: false});
    });
    expect(fine.outcomes(id)).toEqual(['pass']);
  });

  it('is undetermined if nothing was probed', () => {
    const none = healthy(antrea).section('probes', probes => probes.splice(0));
    expect(none.outcomes(id)).toEqual(['unknown']);
  });
});

describe('net/port-exhaustion', () => {
  const id = 'net/port-exhaustion';
  const blocks = (protocol: string, from: number, count: number) =>
    Array.from({length: count}, (_, i) => ({Protocol: protocol, Start: from + i * 64, End: from + i * 64 + 63}));

  /** A node with these blocks in use, and with a dynamic range. */
  const taken = (ranges: object[], dynamic: object[] = range(49152, 65535)) =>
    healthy(antrea).node(node => {
      node.sections.excludedPorts.push(...ranges);
      node.sections.dynamicPorts = dynamic;
    });
  const range = (Start: number, End: number) => ['tcp', 'udp'].map(Protocol => ({Protocol, Start, End}));

  it('warns if ten or fewer blocks are left', () => {
    expect(taken(blocks('tcp', 49152, 246)).failures(id)).toEqual([
      'Only 10 blocks of 64 tcp ports are left: HNS will soon be unable to create load balancers and outbound connections.',
    ]);
  });

  it('accepts eleven', () => {
    expect(taken(blocks('udp', 49152, 245)).outcomes(id)).toEqual(['pass']);
  });

  it('counts only whole blocks: single ports can split many', () => {
    const last = Array.from({length: 256}, (_, i) => ({
      Protocol: 'tcp',
      Start: 49152 + 63 + i * 64,
      End: 49152 + 63 + i * 64,
    }));
    expect(taken(last).failures(id)).toHaveLength(1);
  });

  it('counts a port that is excluded twice only once', () => {
    const twice = [...blocks('tcp', 49152, 200), ...blocks('tcp', 49152, 200)];
    expect(taken(twice).outcomes(id)).toEqual(['pass']);
  });

  it('uses the range of the node', () => {
    const all = [...blocks('tcp', 49152, 256), ...blocks('tcp', 16448, 30)];
    expect(taken(all, range(16385, 65535)).outcomes(id)).toEqual(['pass']);
    expect(taken(blocks('tcp', 60000, 10), range(60000, 61000)).failures(id)).toHaveLength(1);
  });

  it('reports how many ranges HNS holds, if HNS reports it', () => {
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

  it('is undetermined without the range, as in snapshots of older versions', () => {
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
    ['disabled', {Enabled: false}],
    ['outbound', {Direction: 'Outbound'}],
    ['for TCP', {Protocol: 'TCP'}],
    ['for another port', {LocalPort: '8472'}],
    ['a block rule', {Action: 'Block'}],
  ])('warns if the rule for the tunnel is %s', (_, change) => {
    const closed = healthy(flannel).section('firewall', rule(change));
    expect(closed.failures(id)).toHaveLength(1);
    expect(closed.failures(id)[0]).toContain('UDP 4789');
  });

  it.each([
    ['another name', {Name: '{7A1D}', DisplayName: 'Überlagerungsverkehr'}],
    ['a range of ports', {LocalPort: '4000-5000'}],
    ['a list of ports', {LocalPort: ['4788', '4789']}],
    ['the protocol number', {Protocol: '17'}],
    ['any protocol on that port', {Protocol: 'Any'}],
  ])('accepts a rule with %s', (_, change) => {
    expect(healthy(flannel).section('firewall', rule(change)).failures(id)).toEqual([]);
  });

  it('reports that a block rule overrides the allow rule', () => {
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

  it('passes if all profiles are disabled', () => {
    const off = healthy(flannel).section('firewall', firewall => {
      firewall.Rules = [];
      for (const profile of firewall.Profiles) profile.Enabled = false;
    });
    expect(off.failures(id)).toEqual([]);
  });

  it('warns of a closed kubelet port, and of missing Antrea rules', () => {
    const on = healthy(antrea).section('firewall', firewall => {
      for (const profile of firewall.Profiles) profile.Enabled = true;
      firewall.Rules = [];
    });
    expect(on.failures(id)).toHaveLength(4);
  });

  it("does not mistake Antrea's own rules, which are only for its pods, for an open tunnel port", () => {
    const on = healthy(antrea).section('firewall', firewall => {
      for (const profile of firewall.Profiles) profile.Enabled = true;
    });
    expect(on.failures(id)).toEqual([
      'The firewall is on (Domain, Private, Public), and no rule allows UDP 6081 for the geneve tunnel.',
    ]);
  });

  it('only informs if a general rule may cover the port', () => {
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

  it('is undetermined without the profiles', () => {
    const none = healthy(antrea).section('firewall', firewall => {
      firewall.Profiles = [];
    });
    expect(none.outcomes(id)).toEqual(['unknown']);
  });
});

describe('the API server as a node reaches it', () => {
  const id = 'net/api-server';
  const probes = (...all: object[]) =>
    healthy(antrea).section('probes', list => list.splice(0, list.length, ...all.map(one => ({Kind: 'tcp', ...one}))));
  const own = {Target: '10.21.40.11:6443', Ok: true};
  const second = {Target: '10.21.40.12:6443', Ok: true};
  const service = {Target: '10.96.0.1:443', Ok: true};
  const kubelet = {Target: '10.21.40.61:10250', Ok: true};
  const lost = {Ok: false, Error: 'timed out'};

  it('is reported with each address that does not answer, and how many do', () => {
    expect(probes(own, {...second, ...lost}).verdicts(id)).toMatchObject([
      {
        severity: 'warning',
        message: 'The node cannot reach the API server at 10.21.40.12:6443; 1 of 2 respond.',
        evidence: [{object: 'tcp 10.21.40.12:6443', seen: 'timed out'}],
        remedy: {steps: ["Test-NetConnection -ComputerName '10.21.40.12' -Port 6443", expect.anything()]},
      },
    ]);
    expect(probes({...own, ...lost}, {...second, ...lost}).failures(id)).toEqual([
      'The node cannot reach the API server at 10.21.40.11:6443, 10.21.40.12:6443.',
    ]);
  });

  it('is told apart from its Service, which something on the node has to translate', () => {
    expect(probes(own, {...service, ...lost}).verdicts(id)).toMatchObject([
      {
        outcome: 'fail',
        severity: 'warning',
        message: expect.stringMatching(
          /^The API server responds at its own address, but not at the ClusterIP 10\.96\.0\.1:443/,
        ),
      },
    ]);
    expect(probes({...own, ...lost}, {...service, ...lost}).failures(id)).toEqual([
      'The node cannot reach the API server at 10.21.40.11:6443, 10.96.0.1:443.',
    ]);
    expect(probes({...own, ...lost}, service).failures(id)).toEqual([
      'The node cannot reach the API server at 10.21.40.11:6443; 1 of 2 respond.',
    ]);
  });

  it('does not count the Service among those that answer, where it does not', () => {
    expect(probes(own, {...second, ...lost}, {...service, ...lost}).failures(id)).toContain(
      'The node cannot reach the API server at 10.21.40.12:6443; 1 of 2 respond.',
    );
  });

  it('has another port where the cluster says so', () => {
    const odd = {Target: '10.21.40.11:16443', ...lost};
    expect(probes(odd, kubelet).outcomes(id)).toEqual(['unknown']);
    const told = probes(odd, kubelet).object('EndpointSlice', 'kubernetes', slice => {
      slice.ports[0].port = 16443;
    });
    expect(told.failures(id)).toHaveLength(1);
    const elsewhere = probes(odd, kubelet).object('EndpointSlice', 'kubernetes', slice => {
      slice.ports[0].port = 16443;
      slice.metadata.name = 'kubernetes2';
    });
    expect(elsewhere.failures(id)).toEqual([]);
  });

  it.each([
    ['DNS', '10.21.40.11:53'],
    ['a database of OVN', '10.21.40.11:6641'],
    ['a host without a port', '10.21.40.11'],
  ])('is not %s', (_, Target) => {
    expect(probes({Target, ...lost}, own).outcomes(id)).toEqual(['pass']);
  });

  it('is read from a URL and from an address of IPv6', () => {
    const steps = (Target: string) => probes({Target, ...lost}).verdicts(id)[0]?.remedy;
    expect(steps('https://api.example:6443/')).toMatchObject({
      steps: ["Test-NetConnection -ComputerName 'api.example' -Port 6443", expect.anything()],
    });
    expect(steps('[fd00::1]:443')).toMatchObject({
      steps: ["Test-NetConnection -ComputerName 'fd00::1' -Port 443", expect.anything()],
    });
  });

  it('is undetermined where only kubelet was probed, and kubelet is reported by itself', () => {
    expect(probes(kubelet).verdicts(id)).toMatchObject([
      {outcome: 'unknown', message: 'The API server was not probed.'},
    ]);
    expect(probes({...kubelet, ...lost}).failures(id)).toEqual([
      'Nothing responds on 10.21.40.61:10250: kubelet is not listening.',
    ]);
    expect(probes(own, {...kubelet, ...lost}, {...kubelet, Target: '10.0.0.1:10250'}).outcomes(id)).toEqual(['pass']);
  });
});

describe('ports of the host', () => {
  const id = 'net/port-exhaustion';
  const taken = (excluded: object[], dynamic: object[]) =>
    healthy(antrea).node(({sections}) => {
      sections.excludedPorts = excluded;
      sections.dynamicPorts = dynamic;
    });
  const wide = (Protocol: string) => ({Protocol, Start: 49152, End: 65535});

  it('are an error once no block is left', () => {
    const all = ['tcp', 'udp'].map(Protocol => ({Protocol, Start: 49152, End: 65535}));
    const [none] = taken(all, [wide('tcp'), wide('udp')]).verdicts(id);
    expect(none).toMatchObject({
      severity: 'error',
      message: expect.stringMatching(/^No block of 64 tcp and udp ports is left/),
      evidence: [
        {object: 'tcp 49152-65535', seen: 0},
        {object: 'udp 49152-65535', seen: 0},
      ],
    });
    expect(taken(all.slice(0, 1), [wide('tcp'), wide('udp')]).failures(id)[0]).toMatch(/^No block of 64 tcp ports/);
  });

  it('are widened for the protocol that is short of them', () => {
    const [short] = taken([{Protocol: 'udp', Start: 49152, End: 65000}], [wide('tcp'), wide('udp')]).verdicts(id);
    expect(short).toMatchObject({
      severity: 'warning',
      message: expect.stringMatching(/^Only 8 blocks of 64 udp ports are left/),
      remedy: {
        steps: ['netsh int ipv4 set dynamicport udp start=16385 num=49151', expect.anything(), expect.anything()],
      },
    });
  });

  it('outside the dynamic range are not counted', () => {
    const outside = [
      {Protocol: 'tcp', Start: 1, End: 40000},
      {Protocol: 'tcp', Start: 48000, End: 49151},
    ];
    expect(taken(outside, [wide('tcp'), wide('udp')]).outcomes(id)).toEqual(['pass']);
    const across = [{Protocol: 'tcp', Start: 60000, End: 65535}];
    expect(
      taken(across, [{Protocol: 'tcp', Start: 49152, End: 49152 + 64 * 11 - 1}, wide('udp')]).outcomes(id),
    ).toEqual(['pass']);
  });

  it('are undetermined for the protocol whose range was not read', () => {
    expect(taken([], [wide('tcp')]).verdicts(id)[0]?.message).toBe('The dynamic range of udp ports is unknown.');
    expect(taken([], []).verdicts(id)[0]?.message).toBe('The dynamic range of tcp and udp ports is unknown.');
  });

  it('are held by HNS only where a pool takes them from the host', () => {
    const pools = taken([{Protocol: 'tcp', Start: 49152, End: 65535}], [wide('tcp'), wide('udp')]).node(
      ({sections}) => {
        const ranges = (count: number) => Array.from({length: count}, (_, i) => ({First: i, Last: i}));
        sections.hnsPortPools = [
          {
            PortPoolAllocations: [
              {RequiresHostPortReservation: true, PortRanges: ranges(3)},
              {RequiresHostPortReservation: false, PortRanges: ranges(50)},
              {PortRanges: ranges(4)},
            ],
          },
        ];
      },
    );
    expect(pools.verdicts(id)[0]?.evidence.at(-1)).toMatchObject({section: 'hnsPortPools', seen: 7});
  });
});

describe('rules of the firewall', () => {
  const id = 'net/firewall';
  const rules = (name: string, ...all: object[]) =>
    healthy(name).node(({sections}) => {
      sections.firewall.Profiles = [
        {Name: 'Domain', Enabled: false},
        {Name: 'Public', Enabled: true},
      ];
      sections.firewall.Rules = all.map(one => ({Enabled: true, Direction: 'Inbound', Action: 'Allow', ...one}));
    });
  const tunnel = {Name: 'vxlan', Protocol: 'UDP', LocalPort: '4789'};
  const kubelet = {Name: 'kubelet', Protocol: 'TCP', LocalPort: '10250'};
  const first = (changed: ReturnType<typeof rules>) => changed.verdicts(id).filter(({node}) => node === 'fl-win-a');

  it('are reported with the profiles that are on', () => {
    expect(first(rules(flannel, kubelet))).toMatchObject([
      {
        outcome: 'fail',
        message: 'The firewall is on (Public), and no rule allows UDP 4789 for the vxlan tunnel.',
        evidence: [{object: 'UDP 4789', seen: null, expected: expect.stringContaining('(Public)')}],
      },
    ]);
    expect(first(rules(flannel, tunnel))).toMatchObject([{message: expect.stringContaining('TCP 10250 for kubelet')}]);
  });

  it('that block are reported by the name that disables them', () => {
    const block = {Action: 'Block', Protocol: 'UDP', LocalPort: '4000-5000'};
    const [named] = first(rules(flannel, tunnel, kubelet, {...block, Name: 'b1', DisplayName: 'Block it'}));
    expect(named).toMatchObject({
      message: 'A firewall rule blocks UDP 4789, which the vxlan tunnel requires.',
      evidence: [{object: 'Block it', seen: 'Block'}],
      remedy: {steps: ["Disable-NetFirewallRule -Name 'b1'"]},
    });
    const [titled] = first(rules(flannel, tunnel, kubelet, {...block, DisplayName: 'Block it'}));
    expect(titled?.remedy).toMatchObject({steps: ["Disable-NetFirewallRule -DisplayName 'Block it'"]});
    for (const change of [{Enabled: false}, {Direction: 'Outbound'}, {LocalPort: '4790-5000'}])
      expect(first(rules(flannel, tunnel, kubelet, {...block, Name: 'b1', ...change}))).toMatchObject([
        {outcome: 'pass'},
      ]);
  });

  it.each([
    ['4789', 'pass'],
    [' 80, 4789 ', 'pass'],
    ['4789-4789', 'pass'],
    ['4788', 'fail'],
    ['4790-5000', 'fail'],
    ['4000-4788', 'fail'],
    ['RPC', 'fail'],
  ])('for ports %s: %s', (LocalPort, outcome) => {
    expect(first(rules(flannel, kubelet, {...tunnel, LocalPort}))[0]?.outcome).toBe(outcome);
  });

  it('of Antrea are asked for one by one, by either of their names', () => {
    const missing = (...all: object[]) =>
      rules(antrea, kubelet, {Name: 'geneve', Protocol: 'UDP', LocalPort: '6081'}, ...all).failures(id);
    const wanted = missing().flatMap(message => /rule "(.*?)" of Antrea is missing/.exec(message)?.[1] ?? []);
    expect(wanted).toHaveLength(2);
    const [inbound = '', outbound = ''] = wanted;
    const directions = [
      {Direction: 'Inbound', Protocol: 'Any', LocalPort: 'Any'},
      {Direction: 'Outbound', Protocol: 'Any', LocalPort: 'Any'},
    ];
    const both = (rule: object) => directions.map(direction => ({...direction, ...rule}));
    expect(missing(...both({DisplayName: inbound}), ...both({Name: outbound}))).toEqual([]);
    expect(missing(...both({DisplayName: inbound}), ...both({Name: outbound, Enabled: false}))).toHaveLength(1);
    expect(missing(...both({DisplayName: inbound}), ...both({Name: outbound, Action: 'Block'}))).toHaveLength(1);
    expect(missing({...directions[0], Name: inbound}, {...directions[0], Name: outbound})).toHaveLength(1);
  });
});
