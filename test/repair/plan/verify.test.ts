import {describe, expect, test} from 'vitest';
import {fixesFor, withoutOthers} from '../../../src/repair/plan/fixes-without-cut.js';
import {verify} from '../../../src/repair/plan/verify-repair.js';
import {failing, passing, patient} from '../support.js';

const stale = failing('ovs/stale-bridge', {evidence: [{section: 'ovs', object: 'Bridge br-int', seen: []}]});
const missing = failing('hns/network-present');
const mtu = failing('net/mtu', {severity: 'warning'});
const plan = {repairs: ['hns/network-present', 'ovs/stale-bridge']};

describe('a repair', () => {
  test('is successful if the findings of the plan are gone; other problems may stay', () => {
    const after = [passing('ovs/stale-bridge'), passing('hns/network-present'), mtu];
    expect(verify([stale, missing, mtu], after, plan)).toEqual({
      gone: [stale, missing],
      stayed: [mtu],
      fresh: [],
      unclear: [],
      verdict: 'repaired',
    });
  });

  test('has failed if one of them stayed, with any wording', () => {
    const later = {...missing, message: 'HNS network antrea-hnsnetwork has been missing for 12 minutes.'};
    const outcome = verify([stale, missing], [passing('ovs/stale-bridge'), later], plan);
    expect(outcome).toMatchObject({gone: [stale], stayed: [later], verdict: 'failed'});
  });

  test('has failed if the same check now fails for something else', () => {
    const other = {...stale, evidence: [{section: 'ovs', object: 'Bridge br-provider', seen: []}]};
    expect(verify([stale], [other], plan)).toMatchObject({gone: [stale], fresh: [other], verdict: 'failed'});
  });

  test('has failed if a new error appeared, but not for a new warning', () => {
    const lost = failing('net/default-route');
    expect(verify([stale], [lost], plan)).toMatchObject({fresh: [lost], verdict: 'failed'});
    expect(verify([stale], [mtu], plan)).toMatchObject({fresh: [mtu], verdict: 'repaired'});
  });

  test.each([
    [
      'the node is still settling',
      {...missing, outcome: 'info', severity: 'info', message: 'Still settling: …'} as const,
    ],
    ['the check could not be run', {...missing, outcome: 'unknown', severity: 'info'} as const],
  ])('is undetermined while %s', (_, now) => {
    expect(verify([missing], [now], plan)).toMatchObject({gone: [], unclear: [missing], verdict: 'unclear'});
  });

  test('ignores information', () => {
    const fact = {...missing, outcome: 'info', severity: 'info', message: 'It need not be there.'} as const;
    expect(verify([missing], [fact], plan).verdict).toBe('repaired');
  });

  test('without a plan every problem counts', () => {
    expect(verify([mtu], [mtu]).verdict).toBe('failed');
    expect(verify([mtu], []).verdict).toBe('repaired');
  });
});

describe('doctor --fix', () => {
  const all = ['none', 'blip'] as const;

  test('offers what a soft or medium repair can fix without interrupting the node', () => {
    const results = [stale, missing, mtu, failing('ovs/extension'), failing('hns/subnet'), passing('ovs/gateway-port')];
    expect(fixesFor(results, patient('02-antrea-after-reboot').subject(), all)).toEqual([
      {result: stale, level: 'medium'},
      {result: missing, level: 'soft'},
    ]);
  });

  test('knows that a finding needs more with one plugin than with another', () => {
    const subnet = failing('hns/subnet');
    expect(fixesFor([subnet], patient('06-flannel-overlay-healthy').subject(), all)).toEqual([
      {result: subnet, level: 'soft'},
    ]);
    expect(fixesFor([subnet], patient('01-antrea-healthy').subject(), all)).toEqual([]);
    expect(fixesFor([subnet], patient('13-win-bridge-outbound-nat').subject(), all)).toEqual([]);
  });

  test('omits what requires an interruption, what was not requested, and what follows from either', () => {
    const cut = failing('ovs/extension');
    const follows = failing('ovs/gateway-port', {causedBy: ['ovs/extension']});
    const further = failing('net/forwarding', {causedBy: ['ovs/gateway-port']});
    const pass = passing('hns/responds');
    const results = [stale, missing, mtu, cut, follows, further, pass];
    const subject = patient('02-antrea-after-reboot').subject();
    const everything = new Set(results.map(({id}) => id));
    expect(withoutOthers(results, subject, everything, all)).toEqual([stale, missing, mtu, pass]);
    expect(withoutOthers(results, subject, new Set([stale.id]), all)).toEqual([stale, mtu, pass]);
    expect(withoutOthers(results, subject, everything, ['none'])).toEqual([mtu, pass]);
  });
});
