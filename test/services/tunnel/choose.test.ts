import {describe, expect, it} from 'vitest';
import {candidatesOf} from '../../../src/services/tunnel/adapter-candidates.js';
import {userPattern} from '../../../src/services/tunnel/adapter-pattern.js';
import {type AdapterRule, choose} from '../../../src/services/tunnel/choose-adapter.js';
import type {Scenario} from '../../checks/support.js';
import {adapter, address, kubeOvn, seen} from './support.js';

function chosen(rule: AdapterRule, scenario: Scenario = kubeOvn()): string {
  const told = seen(scenario);
  const choice = choose(told, candidatesOf(told), rule);
  return 'candidate' in choice ? choice.candidate.name : `refused: ${choice.refusal}`;
}

const named = (adapterName: string): AdapterRule => ({by: 'name', adapter: adapterName});
const cidr = (block: string): AdapterRule => ({by: 'cidr', cidr: block});
const match = (text: string): AdapterRule => ({by: 'match', pattern: userPattern(text)});

describe('by name', () => {
  it('selects the adapter with exactly this name', () => {
    expect(chosen(named('Ethernet0'))).toBe('Ethernet0');
  });

  it('rejects an unknown name, and lists the adapters', () => {
    expect(chosen(named('Ethernet7'))).toBe(
      'refused: adapter "Ethernet7" does not exist; adapters: Ethernet0 (172.20.5.31), Ethernet1 (192.168.96.31)',
    );
  });

  it('rejects a name that matches only as a pattern, and lists the matches', () => {
    expect(chosen(named('Ethernet'))).toMatch(
      /adapter "Ethernet" does not exist; .* pattern, which matches Ethernet0, Ethernet1/,
    );
    expect(chosen(named('thernet1'))).toMatch(/refused: .* matches Ethernet1/);
  });

  it('rejects a different case, because the daemon is case-sensitive', () => {
    expect(chosen(named('ethernet0'))).toMatch(/refused: the adapter's name is "Ethernet0"/);
  });

  it('rejects one that cannot carry tunnels', () => {
    expect(chosen(named('br-provider'))).toMatch(/refused: br-provider cannot carry tunnels: managed by Kube-OVN/);
  });
});

describe('by a rule for many nodes', () => {
  it('selects the one with a matching address, name or MAC', () => {
    expect(chosen(cidr('172.20.0.0/16'))).toBe('Ethernet0');
    expect(chosen(cidr('192.168.96.0/24'))).toBe('Ethernet1');
    expect(chosen(match('0$'))).toBe('Ethernet0');
    expect(chosen({by: 'mac-prefix', prefix: '00:50:56:d8'})).toBe('Ethernet0');
  });

  it('rejects no match, and lists the adapters', () => {
    expect(chosen(cidr('10.20.0.0/16'))).toBe(
      'refused: no adapter matches --cidr 10.20.0.0/16; adapters: Ethernet0 (172.20.5.31), Ethernet1 (192.168.96.31)',
    );
  });

  it('rejects several matches', () => {
    expect(chosen(match('^Ethernet'))).toMatch(/refused: 2 adapters match --match \^Ethernet: Ethernet0 .*Ethernet1/);
    expect(chosen({by: 'mac-prefix', prefix: '00:50:56'})).toMatch(/refused: 2 adapters match/);
  });

  it('ignores virtual adapters, which share address and MAC with the NIC under them', () => {
    expect(chosen({by: 'mac-prefix', prefix: '00:50:56:4b:93:4e'})).toBe('Ethernet1');
    expect(chosen(match('hernet1|21ede65f4220'))).toBe('Ethernet1');
  });

  it('rejects a match that is down', () => {
    const down = adapter(kubeOvn(), 'Ethernet0', row => (row.Status = 'Down'));
    expect(chosen(cidr('172.20.0.0/16'), down)).toBe('refused: Ethernet0 cannot carry tunnels: it is down');
  });

  it('rejects one whose first address, which the daemon uses, is in another block', () => {
    const scenario = kubeOvn().section('netIPAddresses', rows => {
      const first = rows.findIndex((row: {InterfaceAlias: string}) => row.InterfaceAlias === 'Ethernet0');
      rows.splice(first, 0, {...rows[first], IPAddress: '10.9.9.9'});
    });
    expect(chosen(cidr('172.20.0.0/16'), scenario)).toMatch(/refused: kube-ovn would use the address 10\.9\.9\.9/);
    expect(chosen(cidr('172.20.0.0/16'), address(scenario, 'Ethernet0', {IPAddress: '172.20.5.31'}))).toBe('Ethernet0');
  });
});

describe('--match', () => {
  it('rejects an invalid or too long regular expression', () => {
    expect(() => userPattern('Ethernet[')).toThrow(/not a valid regular expression/);
    expect(() => userPattern('x'.repeat(300))).toThrow(/longer than 256/);
  });

  it('gives up on an expression that would take forever', () => {
    const scenario = adapter(kubeOvn(), 'Ethernet0', row => (row.Name = `${'a'.repeat(60)}!`));
    expect(() => chosen(match('(a+)+$'), scenario)).toThrow(/takes too long/);
  });

  it('does not try names that no real adapter has', () => {
    const scenario = adapter(kubeOvn(), 'Ethernet0', row => (row.Name = 'x'.repeat(1000)));
    expect(chosen(match('x'), scenario)).toMatch(/no adapter matches/);
  });
});
