import {describe, expect, it} from 'vitest';
import {healthy} from '../../checks/support.js';

const id = 'hns/subnet-missing';

const withSubnet = (name: string, spec: Record<string, unknown>, metadata: Record<string, unknown> = {}) =>
  healthy('04-kube-ovn-healthy').addObject({
    apiVersion: 'kubeovn.io/v1',
    kind: 'Subnet',
    metadata: {name, ...metadata},
    spec,
  });

describe(id, () => {
  it('names the subnet that was created after the network', () => {
    const [finding] = withSubnet('web', {cidrBlock: '10.17.0.0/16'}).verdicts(id);
    expect(finding).toMatchObject({outcome: 'fail', remedy: {cutsNetwork: true}});
    expect(finding?.message).toContain('web (10.17.0.0/16)');
  });

  it('compares blocks, not their notation, and only the IPv4 part', () => {
    const known = withSubnet('again', {cidrBlock: '10.16.0.1/16,fd00:10:16::/112', provider: 'ovn'});
    expect(known.outcomes(id)).toEqual(['pass']);
  });

  it('does not report subnets that no Windows pod can use', () => {
    expect(withSubnet('second', {cidrBlock: '10.19.0.0/16', provider: 'lan.default'}).outcomes(id)).toEqual(['pass']);
    expect(
      withSubnet('going', {cidrBlock: '10.20.0.0/16'}, {deletionTimestamp: '2026-02-27T13:00:00Z'}).outcomes(id),
    ).toEqual(['pass']);
    const withoutJoin = healthy('04-kube-ovn-healthy').section('hnsNetworks', ([network]) => {
      network.Subnets = network.Subnets.slice(0, 1);
    });
    expect(withoutJoin.outcomes(id)).toEqual(['pass']);
  });

  it('is undetermined without the networks of the node', () => {
    expect(withSubnet('web', {cidrBlock: '10.17.0.0/16'}).without('hnsNetworks').outcomes(id)).toEqual(['unknown']);
  });
});
