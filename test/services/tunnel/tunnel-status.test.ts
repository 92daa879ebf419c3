import {describe, expect, it} from 'vitest';
import {tunnelStatusOf} from '../../../src/services/tunnel/tunnel-status.js';
import {healthy, type Scenario} from '../../checks/support.js';
import {annotated, kubeOvn, subject, uninstalled} from './support.js';

const shown = (scenario: Scenario) => tunnelStatusOf(subject(scenario), undefined);

function encap(scenario: Scenario, address: string): Scenario {
  return scenario.section('ovs', ({Tables}) => {
    const {headings, data} = Tables.Open_vSwitch;
    for (const pair of data[0][headings.indexOf('external_ids')][1]) if (pair[0] === 'ovn-encap-ip') pair[1] = address;
  });
}

describe('annotation, adapter and tunnel address', () => {
  it('agree on a healthy node', () => {
    expect(shown(kubeOvn())).toEqual({
      node: 'kovn-win-1',
      plugin: 'kube-ovn',
      annotation: 'Ethernet1',
      adapter: 'Ethernet1',
      addresses: ['192.168.96.31'],
      uplink: 'Ethernet1',
      encap: '192.168.96.31',
      verdict: 'agree',
      reasons: [],
    });
  });

  it('agree without an annotation: the adapter is that of the node address', () => {
    expect(shown(annotated(kubeOvn(), undefined))).toMatchObject({
      annotation: undefined,
      adapter: 'Ethernet1',
      verdict: 'agree',
    });
  });

  it('agree if the annotation names the bridge of the adapter', () => {
    expect(shown(annotated(kubeOvn(), 'br-provider'))).toMatchObject({adapter: 'Ethernet1', verdict: 'agree'});
  });

  it('disagree if tunnels use the address of another adapter', () => {
    expect(shown(encap(kubeOvn(), '172.20.5.31'))).toMatchObject({
      verdict: 'disagree',
      reasons: ['Tunnels use the address 172.20.5.31, but Ethernet1 has 192.168.96.31.'],
    });
  });

  it('disagree if the network is on another adapter', () => {
    expect(shown(encap(annotated(kubeOvn(), 'Ethernet0'), '172.20.5.31'))).toMatchObject({
      adapter: 'Ethernet0',
      uplink: 'Ethernet1',
      verdict: 'disagree',
      reasons: ['HNS network kube-ovn uses Ethernet1, not Ethernet0.'],
    });
  });

  it('disagree if the annotation names no adapter, or several', () => {
    expect(shown(annotated(kubeOvn(), 'Ethernet7'))).toMatchObject({adapter: undefined, verdict: 'disagree'});
    expect(shown(annotated(kubeOvn(), 'Ethernet')).reasons).toEqual([
      expect.stringMatching(/matches Ethernet0, Ethernet1/),
    ]);
  });
});

describe('an undetermined value', () => {
  it('never counts as agreement', () => {
    for (const section of ['hnsNetworks', 'ovs', 'netIPAddresses']) {
      expect(shown(kubeOvn().without(section))).toMatchObject({verdict: 'unknown'});
    }
    expect(shown(annotated(kubeOvn(), '(E+)+$'))).toMatchObject({verdict: 'unknown'});
    expect(tunnelStatusOf(subject(kubeOvn()), 'no helper.')).toMatchObject({
      verdict: 'unknown',
      reasons: ['no helper.'],
    });
  });

  it('is not a fault before the first start, or with another plugin', () => {
    expect(shown(uninstalled(kubeOvn()))).toMatchObject({verdict: 'unused'});
    const antrea = healthy('01-antrea-healthy');
    const name = Object.keys(antrea.document.nodes)[0] ?? '';
    expect(tunnelStatusOf(subject(antrea, name), undefined)).toMatchObject({plugin: 'antrea', verdict: 'unused'});
  });
});
