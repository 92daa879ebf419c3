import {describe, expect, it} from 'vitest';
import {type Decision, decide} from '../../../src/services/tunnel/decide-annotation.js';
import {ifNetworkCanFollow} from '../../../src/services/tunnel/follow-annotation.js';
import {sequenceOf, sequenceText} from '../../../src/services/tunnel/uplink-move.js';
import type {Scenario} from '../../checks/support.js';
import {annotated, kubeOvn, routed, subject} from './support.js';

function steps(scenario: Scenario, adapter: string): string[] {
  const outcome = sequenceOf(subject(scenario), adapter);
  if (outcome.kind !== 'plan') throw new Error(JSON.stringify(outcome));
  const {before, steps: onNode, after} = outcome.plan;
  return [...before, ...onNode, ...after].map(step => [step.do, Object.values(step.with)[0]].join(' '));
}

/** Only the order counts: there are other steps between these. */
function expectInOrder(all: readonly string[], ...wanted: string[]): void {
  expect(all.filter(step => wanted.includes(step))).toEqual(wanted);
}

describe('the safe sequence', () => {
  it('moves a network to another adapter: drain, stop, remove, start, wait, start the rest', () => {
    expectInOrder(
      steps(routed(kubeOvn()), 'Ethernet0'),
      'node.cordon kovn-win-1',
      'node.drain kovn-win-1',
      'service.stop ovn-controller',
      'service.stop kube-ovn',
      'ovs.deleteBridge br-int',
      'ovs.deleteBridge br-provider',
      'service.start kube-ovn',
      'wait.until hnsNetwork',
      'wait.until extension',
      'service.start ovn-controller',
      'node.uncordon kovn-win-1',
    );
    const outcome = sequenceOf(subject(routed(kubeOvn())), 'Ethernet0');
    expect(outcome).toMatchObject({kind: 'plan', plan: {level: 'hard'}});
    expect(sequenceText(outcome).join('\n')).toMatch(/Removes HNS network kube-ovn.* \[cuts\]/);
  });

  it("leaves the node's address on its own NIC, and gives the bridge that of the new one", () => {
    const outcome = sequenceOf(subject(routed(kubeOvn())), 'Ethernet0');
    const restored = outcome.kind === 'plan' ? outcome.plan.steps.filter(step => step.do === 'ip.restore') : [];
    expect(restored.map(step => step.with)).toEqual([
      {from: 'br-provider', to: 'Ethernet1'},
      {from: 'Ethernet0', to: 'br-provider'},
    ]);
  });

  it('only restarts the agent if the network is on that adapter and the tunnel address is outdated', () => {
    const old = kubeOvn().section('ovs', ({Tables}) => {
      const {headings, data} = Tables.Open_vSwitch;
      const ids = data[0][headings.indexOf('external_ids')][1];
      for (const pair of ids) if (pair[0] === 'ovn-encap-ip') pair[1] = '172.20.5.31';
    });
    const all = steps(old, 'Ethernet1');
    expectInOrder(
      all,
      'service.stop ovn-controller',
      'service.stop kube-ovn',
      'service.start kube-ovn',
      'service.start ovn-controller',
    );
    expect(all.filter(step => /^(hns|ovs|vswitch|vnic)\./.test(step))).toEqual([]);
  });

  it('is empty if everything already agrees', () => {
    expect(sequenceOf(subject(kubeOvn()), 'Ethernet1').kind).toBe('nothing');
    expect(sequenceOf(subject(annotated(kubeOvn(), undefined)), 'Ethernet1').kind).toBe('nothing');
  });

  it('is refused, with the reason, if it could not be proven safe', () => {
    const outcome = sequenceOf(subject(routed(kubeOvn()).without('vmSwitches')), 'Ethernet0');
    expect(outcome.kind).toBe('refused');
    expect(sequenceText(outcome).join()).not.toBe('');
  });
});

describe('--apply', () => {
  const decided = (scenario: Scenario): Decision => {
    const wanted = [{subject: subject(scenario), rule: {by: 'name', adapter: 'Ethernet0'} as const}];
    const [decision] = decide(wanted, {overwrite: true});
    return ifNetworkCanFollow(decision as Decision, wanted);
  };

  it('annotates if the network can follow', () => {
    expect(decided(routed(kubeOvn()))).toMatchObject({action: 'write', after: 'Ethernet0'});
  });

  it('refuses before anything is written if it cannot', () => {
    expect(decided(routed(kubeOvn()).without('vmSwitches'))).toMatchObject({
      action: 'refuse',
      reason: expect.stringMatching(/^its network cannot follow: .*vmSwitches/),
    });
  });
});
