import {describe, expect, it} from 'vitest';
import {healthy} from '../support.js';

const feature = (name: string, state: unknown) => (features: {Name: string; InstallState: unknown}[]) => {
  for (const its of features.filter(({Name}) => Name === name)) its.InstallState = state;
};

describe('platform/hyper-v', () => {
  it.each([
    ['Microsoft-Hyper-V', 'Disabled'],
    ['Microsoft-Hyper-V-Management-PowerShell', 2],
  ])('finds %s missing, and how to install it without a hypervisor', (name, state) => {
    const [finding] = healthy('01-antrea-healthy')
      .section('windowsFeatures', feature(name, state))
      .verdicts('platform/hyper-v');
    expect(finding).toMatchObject({outcome: 'fail', severity: 'error'});
    expect(finding?.message).toContain(name);
    expect(finding?.remedy).toMatchObject({
      steps: expect.arrayContaining([expect.stringContaining('Microsoft-Hyper-V-Online')]),
    });
  });

  it('trusts visible switches if the feature is not listed', () => {
    const unlisted = healthy('04-kube-ovn-healthy').section('windowsFeatures', features => features.splice(0));
    expect(unlisted.outcomes('platform/hyper-v')).toEqual(['pass']);
    const missing = unlisted.without('vmSwitches', {
      kind: 'NotInstalled',
      message: 'the Hyper-V role is not installed',
    });
    expect(missing.outcomes('platform/hyper-v')).toEqual(['fail']);
  });

  it('does not apply if the plugin does not require it', () => {
    const flannel = healthy('06-flannel-overlay-healthy');
    expect(flannel.outcomes('platform/hyper-v')).toEqual(['skipped', 'skipped']);
  });
});

describe('platform/test-signing', () => {
  it('finds a test-signed driver that Windows will not load', () => {
    const broken = healthy('04-kube-ovn-healthy').section('bootOptions', options => {
      options.TestSigning = 'No';
    });
    const [finding] = broken.verdicts('platform/test-signing');
    expect(finding).toMatchObject({
      outcome: 'fail',
      remedy: {steps: ['bcdedit.exe /set TESTSIGNING ON', 'Restart-Computer']},
    });
  });

  it('requires no test signing for a signed driver', () => {
    expect(healthy('01-antrea-healthy').outcomes('platform/test-signing')).toEqual(['pass']);
  });

  it('accepts a node that does not check driver signatures', () => {
    const unchecked = healthy('04-kube-ovn-healthy').section('bootOptions', options => {
      options.TestSigning = false;
      options.LoadOptions = 'DISABLE_INTEGRITY_CHECKS';
    });
    expect(unchecked.outcomes('platform/test-signing')).toEqual(['pass']);
  });

  it('is undetermined if the signature was not read', () => {
    const unread = healthy('01-antrea-healthy').section('drivers', ({ovsext}) => {
      ovsext.Signed = null;
    });
    expect(unread.outcomes('platform/test-signing')).toEqual(['unknown']);
  });
});

describe('platform/cni-version', () => {
  const withImage = (image: string) =>
    healthy('04-kube-ovn-healthy').object('Deployment', 'kube-ovn-controller', ({spec}) => {
      spec.template.spec.containers[0].image = image;
    });

  it('reports that Kube-OVN 1.15 does not support Windows, once for the cluster, and names the nodes', () => {
    const [finding, ...others] = withImage('docker.io/kubeovn/kube-ovn:v1.15.2').verdicts('platform/cni-version');
    expect(finding).toMatchObject({outcome: 'fail', node: undefined});
    expect(finding?.message).toContain('kovn-win-1');
    expect(others).toEqual([]);
  });

  it('accepts the last release with Windows support, also from a registry with a port', () => {
    expect(withImage('registry.lab:5000/kubeovn/kube-ovn:v1.14.21').outcomes('platform/cni-version')).toEqual(['pass']);
  });

  it('is undetermined for a tag without a version', () => {
    expect(withImage('kubeovn/kube-ovn:latest').outcomes('platform/cni-version')).toEqual(['unknown']);
  });
});
