import {describe, expect, it} from 'vitest';
import {type RequestFlags, requestOf} from '../../../src/services/tunnel/annotation-request.js';

const request = (words: string[], flags: Partial<RequestFlags> = {}) =>
  requestOf(words, {all: false, remove: false, show: false, ...flags});

describe('arguments', () => {
  it('are a node and an adapter', () => {
    expect(request(['node/win-1', 'Ethernet 2'])).toEqual({
      what: 'set',
      names: ['win-1'],
      selector: undefined,
      rule: {by: 'name', adapter: 'Ethernet 2'},
    });
  });

  it('are a node on which to pick an adapter', () => {
    expect(request(['win-1'])).toMatchObject({what: 'pick', names: ['win-1']});
  });

  it('are nodes if a rule, --remove or --show says what to do', () => {
    expect(request(['win-1', 'win-2'], {cidr: '10.20.0.0/16'})).toMatchObject({names: ['win-1', 'win-2'], what: 'set'});
    expect(request(['win-1', 'win-2'], {remove: true})).toMatchObject({names: ['win-1', 'win-2'], what: 'remove'});
    expect(request([], {show: true})).toMatchObject({names: [], what: 'show'});
  });

  it('are the adapter if labels or --all select the nodes', () => {
    expect(request(['Ethernet1'], {all: true})).toMatchObject({names: [], rule: {by: 'name', adapter: 'Ethernet1'}});
    expect(request(['Ethernet1'], {selector: 'a=b'})).toMatchObject({selector: 'a=b', rule: {adapter: 'Ethernet1'}});
  });

  it.each([
    [[], {}, /No node specified/],
    [['win-1', ''], {}, /empty/],
    [['win-1', 'Ethernet', '2'], {}, /Expected one node and one adapter/],
    [[], {all: true}, /require one adapter name or a rule/],
    [[], {cidr: '10.0.0.0/8'}, /No node specified/],
    [[], {remove: true}, /No node specified/],
    [['win-1'], {all: true, remove: true}, /cannot be combined/],
    [[], {all: true, selector: 'a=b', cidr: '10.0.0.0/8'}, /cannot be combined/],
    [['win-1'], {'from-file': 'list'}, /--from-file cannot be combined/],
  ])('are rejected if they make no sense: %j %j', (words, flags, message) => {
    expect(() => request(words as string[], flags)).toThrow(message as RegExp);
  });
});

describe('a rule', () => {
  it('accepts MAC prefixes in Windows and other notations', () => {
    for (const mac of ['00-15-5D', '00:15:5d', '00155d']) {
      expect(request([], {all: true, 'mac-prefix': mac})).toMatchObject({rule: {prefix: '00:15:5d'}});
    }
  });

  it.each([
    [{cidr: '10.20.0.0'}, /is not an IPv4 CIDR/],
    [{cidr: 'fd00::/8'}, /is not an IPv4 CIDR/],
    [{'mac-prefix': '00:15:zz'}, /is not a MAC address prefix/],
    [{match: '['}, /not a valid regular expression/],
  ])('is rejected if invalid: %j', (flags, message) => {
    expect(() => request([], {all: true, ...flags})).toThrow(message);
  });
});
