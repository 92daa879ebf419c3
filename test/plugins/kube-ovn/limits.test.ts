import {describe, expect, it} from 'vitest';
import {healthy} from '../../checks/support.js';

const id = 'platform/kube-ovn-limits';

const subnet = (name: string, spec: Record<string, unknown>) => ({
  apiVersion: 'kubeovn.io/v1',
  kind: 'Subnet',
  metadata: {name},
  spec,
});

const providerNetwork = (name: string, excludeNodes: string[] = []) => ({
  apiVersion: 'kubeovn.io/v1',
  kind: 'ProviderNetwork',
  metadata: {name},
  spec: {defaultInterface: 'eth1', excludeNodes},
});

describe(id, () => {
  it('finds SSL switched on, once for the cluster', () => {
    const secured = healthy('04-kube-ovn-healthy')
      .object('Deployment', 'kube-ovn-controller', ({spec}) => {
        spec.template.spec.containers[0].env[0].value = 'true';
      })
      .object('Deployment', 'ovn-central', ({spec}) => {
        spec.template.spec.containers[0].env[0].value = 'true';
      });
    expect(secured.verdicts(id)).toEqual([
      expect.objectContaining({outcome: 'fail', node: undefined, message: expect.stringContaining('ENABLE_SSL=true')}),
    ]);
  });

  it('finds subnets with IPv6, not those of second networks', () => {
    const dual = healthy('04-kube-ovn-healthy').addObject(
      subnet('web', {cidrBlock: '10.17.0.0/16,fd00:10:17::/112', protocol: 'Dual', provider: 'ovn'}),
    );
    expect(dual.failures(id)).toEqual([expect.stringContaining('web')]);
    const second = healthy('04-kube-ovn-healthy').addObject(
      subnet('storage', {cidrBlock: 'fd00:10:18::/112', protocol: 'IPv6', provider: 'storage.default.ovn'}),
    );
    expect(second.outcomes(id)).toEqual(['pass']);
  });

  it('finds a provider network of another name, and more than one', () => {
    const other = healthy('04-kube-ovn-healthy').addObject(providerNetwork('net1'));
    expect(other.failures(id)).toEqual([expect.stringContaining('net1')]);
    const two = other.addObject(providerNetwork('provider'));
    expect(two.failures(id)).toEqual([expect.stringContaining('there are 2')]);
  });

  it('accepts the one called provider, and others that leave the Windows nodes out', () => {
    const fine = healthy('04-kube-ovn-healthy')
      .addObject(providerNetwork('provider'))
      .addObject(providerNetwork('net1', ['kovn-win-1']));
    expect(fine.outcomes(id)).toEqual(['pass']);
  });

  it('finds bandwidth limits on Windows pods, not on Linux pods', () => {
    const rate = {'ovn.kubernetes.io/ingress_rate': '10'};
    const windows = healthy('04-kube-ovn-healthy').object('Pod', /^crystal-reports/, ({metadata}) => {
      metadata.annotations = {...metadata.annotations, ...rate};
    });
    expect(windows.failures(id)).toEqual([expect.stringContaining('legacy/crystal-reports')]);
    const linux = healthy('04-kube-ovn-healthy').object('Pod', /^coredns/, ({metadata}) => {
      metadata.annotations = {...metadata.annotations, ...rate};
    });
    expect(linux.outcomes(id)).toEqual(['pass']);
  });

  it('finds kube-proxy on a Windows node, not the one of the Linux nodes', () => {
    expect(healthy('04-kube-ovn-healthy').outcomes(id)).toEqual(['pass']);
    const service = healthy('04-kube-ovn-healthy').section('services', services =>
      services.push({Name: 'kubeproxy', State: 'Running', StartMode: 'Auto'}),
    );
    expect(service.failures(id)).toEqual([expect.stringContaining('kube-proxy runs on kovn-win-1')]);
    const unread = healthy('04-kube-ovn-healthy').without('services').without('processes');
    expect(unread.outcomes(id)).toEqual(['unknown']);
  });
});
