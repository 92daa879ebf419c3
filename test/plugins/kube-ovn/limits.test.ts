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
  it('finds SSL enabled, once for the cluster', () => {
    const secured = healthy('04-kube-ovn-healthy')
      .object('Deployment', 'kube-ovn-controller', ({spec}) => {
        spec.template.spec.containers[0].env[0].value = 'true';
      })
      .object('Deployment', 'ovn-central', ({spec}) => {
        spec.template.spec.containers[0].env[0].value = 'true';
      });
    expect(secured.verdicts(id).filter(({outcome}) => outcome === 'fail')).toEqual([
      expect.objectContaining({outcome: 'fail', node: undefined, message: expect.stringContaining('ENABLE_SSL=true')}),
    ]);
  });

  it('finds subnets with IPv6, except those of secondary networks', () => {
    const dual = healthy('04-kube-ovn-healthy').addObject(
      subnet('web', {cidrBlock: '10.17.0.0/16,fd00:10:17::/112', protocol: 'Dual', provider: 'ovn'}),
    );
    expect(dual.failures(id)).toEqual([expect.stringContaining('web')]);
    const second = healthy('04-kube-ovn-healthy').addObject(
      subnet('storage', {cidrBlock: 'fd00:10:18::/112', protocol: 'IPv6', provider: 'storage.default.ovn'}),
    );
    expect(second.failures(id)).toEqual([]);
  });

  it('finds a provider network of another name, and more than one', () => {
    const other = healthy('04-kube-ovn-healthy').addObject(providerNetwork('net1'));
    expect(other.failures(id)).toEqual([expect.stringContaining('net1')]);
    const two = other.addObject(providerNetwork('provider'));
    expect(two.failures(id)).toEqual([expect.stringContaining('there are 2')]);
  });

  it('accepts the one named provider, and others that exclude the Windows nodes', () => {
    const fine = healthy('04-kube-ovn-healthy')
      .addObject(providerNetwork('provider'))
      .addObject(providerNetwork('net1', ['kovn-win-1']));
    expect(fine.failures(id)).toEqual([]);
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
    expect(linux.failures(id)).toEqual([]);
  });

  it('finds kube-proxy on a Windows node, not the one of the Linux nodes', () => {
    expect(healthy('04-kube-ovn-healthy').failures(id)).toEqual([]);
    const service = healthy('04-kube-ovn-healthy').section('services', services =>
      services.push({Name: 'kubeproxy', State: 'Running', StartMode: 'Auto'}),
    );
    expect(service.failures(id)).toEqual([expect.stringContaining('kube-proxy runs on kovn-win-1')]);
    const unread = healthy('04-kube-ovn-healthy').without('services').without('processes');
    expect(unread.outcomes(id)).toContain('unknown');
  });

  it('lists Services with pods on Windows nodes: they are unreachable from or through those', () => {
    expect(healthy('04-kube-ovn-healthy').verdicts(id)).toMatchObject([
      {
        outcome: 'info',
        message:
          'Services legacy/crystal-reports have pods on Windows nodes: they are reachable from Linux nodes, but not from or through Windows nodes.',
      },
    ]);
  });

  it('finds a Service that is reachable only through Windows nodes', () => {
    const local = healthy('04-kube-ovn-healthy').object('Service', 'crystal-reports', ({spec}) => {
      spec.type = 'NodePort';
      spec.externalTrafficPolicy = 'Local';
    });
    expect(local.failures(id)).toEqual([
      expect.stringMatching(/Services legacy\/crystal-reports are reachable only through Windows nodes/),
    ]);
  });
});

describe('platform/kube-ovn-system', () => {
  const system = 'platform/kube-ovn-system';

  it('accepts Windows Server 2019 on x86_64', () => {
    expect(healthy('04-kube-ovn-healthy').outcomes(system)).toEqual(['pass']);
  });

  it('finds another build, and another processor', () => {
    const later = healthy('04-kube-ovn-healthy').section('os', os => (os.BuildNumber = '20348'));
    expect(later.failures(system)).toEqual([expect.stringContaining('is not Server 2019 (17763)')]);
    const arm = healthy('04-kube-ovn-healthy').object('Node', 'kovn-win-1', ({status}) => {
      status.nodeInfo.architecture = 'arm64';
    });
    expect(arm.failures(system)).toEqual([expect.stringContaining('kovn-win-1 is arm64')]);
  });

  it('does not apply to other plugins', () => {
    expect(healthy('01-antrea-healthy').outcomes(system)).toEqual(['skipped']);
  });
});

describe('tunnel/provider-interface', () => {
  const provider = (spec: Record<string, unknown>) =>
    healthy('04-kube-ovn-healthy').addObject({...providerNetwork('provider'), spec});

  it('passes if the provider network names the adapter of the HNS network', () => {
    expect(provider({defaultInterface: 'Ethernet1'}).outcomes('tunnel/provider-interface')).toEqual(['pass']);
  });

  it('finds one that names another adapter, and prints the patch', () => {
    const other = provider({
      defaultInterface: 'Ethernet1',
      customInterfaces: [{interface: 'Ethernet0', nodes: ['kovn-win-1']}],
    });
    const [found] = other.verdicts('tunnel/provider-interface');
    expect(found).toMatchObject({
      outcome: 'fail',
      message: expect.stringContaining(
        'The adapter of kovn-win-1 in provider network provider is Ethernet0, but HNS network kube-ovn uses Ethernet1',
      ),
    });
    expect(JSON.stringify(found?.remedy)).toContain('kubectl patch provider-networks.kubeovn.io provider');
  });

  it('ignores nodes without a provider network', () => {
    expect(healthy('04-kube-ovn-healthy').outcomes('tunnel/provider-interface')).toEqual(['skipped']);
    expect(
      provider({defaultInterface: 'eth9', excludeNodes: ['kovn-win-1']}).outcomes('tunnel/provider-interface'),
    ).toEqual(['skipped']);
  });
});

describe('hns/subnet-stale', () => {
  it('finds a subnet of the HNS network that the cluster no longer has', () => {
    const stale = healthy('04-kube-ovn-healthy').section('hnsNetworks', ([network]) => {
      network.Subnets.push({AddressPrefix: '10.99.0.0/16', GatewayAddress: '10.99.0.1'});
    });
    expect(stale.failures('hns/subnet-stale')).toEqual([expect.stringContaining('still has 10.99.0.0/16')]);
    expect(healthy('04-kube-ovn-healthy').outcomes('hns/subnet-stale')).toEqual(['pass']);
  });
});

describe('kube-proxy on a node of Kube-OVN', () => {
  it('is reported as not supported, not as replaced', () => {
    const proxy = healthy('04-kube-ovn-healthy').section('processes', processes =>
      processes.push({Name: 'kube-proxy.exe', ProcessId: 4242, StartTime: '2026-02-21T00:00:00Z'}),
    );
    expect(proxy.failures('kube-proxy/expected')).toEqual([
      expect.stringMatching(
        /does not support kube-proxy on Windows .* Services are not reachable from or through this node/,
      ),
    ]);
  });
});

describe('Docker on a node of Kube-OVN', () => {
  it('is also recommended on containerd: the guide supports no other runtime', () => {
    expect(healthy('04-kube-ovn-healthy').verdicts('platform/container-runtime')).toMatchObject([
      {outcome: 'info', message: expect.stringMatching(/containerd .* supports only Docker Engine, .* cri-dockerd/)},
    ]);
    expect(healthy('01-antrea-healthy').outcomes('platform/container-runtime')).toEqual(['pass']);
  });

  it('is required: no one is told to replace it', () => {
    const docker = healthy('04-kube-ovn-healthy').object('Node', 'kovn-win-1', ({status}) => {
      status.nodeInfo.containerRuntimeVersion = 'docker://20.10.21';
    });
    expect(docker.verdicts('platform/container-runtime')).toMatchObject([
      {outcome: 'info', message: expect.stringMatching(/which Kube-OVN for Windows requires.*cri-dockerd/)},
    ]);
  });
});
