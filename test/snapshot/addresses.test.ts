import {describe, expect, it} from 'vitest';
import {
  contains,
  isLinkLocal,
  networkPrefix,
  nthAddress,
  overlaps,
  sameCidr,
  within,
} from '../../src/snapshot/addresses.js';

describe('addresses', () => {
  it('never throw on invalid text', () => {
    for (const odd of [undefined, '', 'System.Object[]', '10.0.0.0/99', '300.1.1.1', '::/x']) {
      expect(contains(odd, '10.0.0.1')).toBe(false);
      expect(contains('10.0.0.0/8', odd)).toBe(false);
      expect(sameCidr(odd, odd)).toBe(false);
      expect(networkPrefix(odd)).toBeUndefined();
      expect(isLinkLocal(odd)).toBe(false);
    }
  });

  it('compare blocks in any notation', () => {
    expect(sameCidr('10.1.2.7/24', '10.1.2.0/24')).toBe(true);
    expect(sameCidr('10.1.2.0/24', '10.1.2.0/25')).toBe(false);
    expect(sameCidr('fd00::1/64', 'fd00:0::/64')).toBe(true);
  });

  it('match only blocks of their own family', () => {
    expect(contains('10.1.2.0/24', '10.1.2.255')).toBe(true);
    expect(contains('0.0.0.0/0', 'fe80::1')).toBe(false);
    expect(within('10.1.2.0/24', '10.1.0.0/16')).toBe(true);
    expect(within('10.1.0.0/16', '10.1.2.0/24')).toBe(false);
    expect(overlaps('10.1.0.0/16', '10.1.2.0/24')).toBe(true);
  });

  it('count from the start of a block, across octets', () => {
    expect(nthAddress('10.1.2.0/24', 2)).toBe('10.1.2.2');
    expect(nthAddress('10.1.255.255/32', 1)).toBe('10.2.0.0');
    expect(nthAddress('fd00::/64', 1)).toBeUndefined();
  });
});
