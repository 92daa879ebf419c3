import {describe, expect, it} from 'vitest';
import {healthy} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw HNS objects
type Raw = any;
const flannel = 'flannel.4096';
const inNetwork = (name: string, change: (network: Raw) => void) => (networks: Raw[]) =>
  change(networks.find(network => network.Name === name));

describe('tunnel/vtep-mac', () => {
  it('finds an annotation with the MAC of a network that was recreated since', () => {
    const overlay = healthy('06-flannel-overlay-healthy').section(
      'hnsNetworks',
      inNetwork(flannel, network => {
        network.DrMacAddress = '00-15-5D-00-00-01';
      }),
    );
    const [message] = overlay.failures('tunnel/vtep-mac');
    expect(message).toMatch(/00:15:5d:d5:eb:b8/);
    expect(message).toMatch(/00:15:5d:00:00:01/);
  });

  it('finds a node that never published its MAC', () => {
    const overlay = healthy('06-flannel-overlay-healthy').object('Node', 'fl-win-a', node => {
      node.metadata.annotations['flannel.alpha.coreos.com/backend-data'] = '{"VNI":4096,"VtepMAC":""}';
    });
    expect(overlay.failures('tunnel/vtep-mac')[0]).toMatch(/has not published/);
  });

  it('compares MACs, not their notation', () => {
    const overlay = healthy('06-flannel-overlay-healthy').section(
      'hnsNetworks',
      inNetwork(flannel, network => {
        network.DrMacAddress = network.DrMacAddress.replaceAll('-', ':').toLowerCase();
      }),
    );
    expect(overlay.outcomes('tunnel/vtep-mac')).toEqual(['pass', 'pass']);
  });

  it('reads the MAC of an HNS v2 network', () => {
    const overlay = healthy('06-flannel-overlay-healthy').section(
      'hnsNetworks',
      inNetwork(flannel, network => {
        network.Policies.push({Type: 'DrMacAddress', Settings: {Address: network.DrMacAddress}});
        delete network.DrMacAddress;
      }),
    );
    expect(overlay.outcomes('tunnel/vtep-mac')).toEqual(['pass', 'pass']);
  });

  it('does not count a MAC that HNS does not report as a match', () => {
    const overlay = healthy('09-calico-vxlan-healthy').section(
      'hnsNetworks',
      inNetwork('Calico', network => {
        delete network.DrMacAddress;
      }),
    );
    expect(overlay.outcomes('tunnel/vtep-mac').sort()).toEqual(['pass', 'unknown']);
  });

  it('allows a node time after a boot', () => {
    const overlay = healthy('06-flannel-overlay-healthy')
      .section(
        'hnsNetworks',
        inNetwork(flannel, network => (network.DrMacAddress = '00-15-5D-00-00-01')),
      )
      .section('os', os => {
        os.SystemTime = '2026-02-26T05:02:51+01:00';
      });
    expect(overlay.failures('tunnel/vtep-mac')).toEqual([]);
    expect(overlay.outcomes('tunnel/vtep-mac')).toContain('info');
  });
});

describe('tunnel/remote-routes', () => {
  const routeTo = (network: Raw, prefix: string) =>
    network.Policies.find((policy: Raw) => policy.DestinationPrefix === prefix);

  it('finds the peer that the overlay has no route to', () => {
    const overlay = healthy('06-flannel-overlay-healthy').section(
      'hnsNetworks',
      inNetwork(flannel, network => {
        network.Policies = network.Policies.filter((policy: Raw) => policy.DestinationPrefix !== '10.244.0.0/24');
      }),
    );
    expect(overlay.failures('tunnel/remote-routes')[0]).toMatch(/fl-master/);
  });

  it.each([
    ['address', 'ProviderAddress', '10.90.12.99'],
    ['MAC', 'DistributedRouterMacAddress', '00-00-00-00-00-01'],
    ['VNI', 'IsolationId', 4098],
  ])('finds a route with the wrong %s', (_what, field, value) => {
    const overlay = healthy('06-flannel-overlay-healthy').section(
      'hnsNetworks',
      inNetwork(flannel, network => {
        routeTo(network, '10.244.2.0/24')[field] = value;
      }),
    );
    expect(overlay.failures('tunnel/remote-routes')[0]).toMatch(/fl-win-b/);
  });

  it('does not report a missing route to a node whose lease Windows must ignore: another check explains it', () => {
    const overlay = healthy('06-flannel-overlay-healthy')
      .object('Node', 'fl-master', node => {
        node.metadata.annotations['flannel.alpha.coreos.com/backend-data'] = '{"VNI":1,"VtepMAC":"5e:91:c6:0a:fc:ba"}';
      })
      .section(
        'hnsNetworks',
        inNetwork(flannel, network => {
          network.Policies = network.Policies.filter((policy: Raw) => policy.DestinationPrefix !== '10.244.0.0/24');
        }),
      );
    expect(overlay.failures('tunnel/remote-routes')).toEqual([]);
  });

  it('reports a route to a removed node as a warning', () => {
    const overlay = healthy('06-flannel-overlay-healthy').section(
      'hnsNetworks',
      inNetwork(flannel, network => {
        network.Policies.push({
          ...routeTo(network, '10.244.0.0/24'),
          DestinationPrefix: '10.244.9.0/24',
          ProviderAddress: '10.90.12.77',
        });
      }),
    );
    const findings = overlay.verdicts('tunnel/remote-routes').filter(({outcome}) => outcome === 'fail');
    expect(findings.map(({severity}) => severity)).toEqual(['warning']);
    expect(findings[0]?.message).toMatch(/10\.90\.12\.77/);
  });

  it('knows the MAC that Felix derives for a Linux node without an annotation', () => {
    const calico = healthy('09-calico-vxlan-healthy');
    expect(calico.outcomes('tunnel/remote-routes')).toEqual(['pass', 'pass']);
    calico.section(
      'hnsNetworks',
      inNetwork('Calico', network => {
        routeTo(network, '10.48.11.64/26').DistributedRouterMacAddress = '66-00-00-00-00-00';
      }),
    );
    expect(calico.failures('tunnel/remote-routes')[0]).toMatch(/cal-cp-1/);
  });

  it('finds a missing route to a second block of a node', () => {
    const calico = healthy('09-calico-vxlan-healthy').addObject({
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPAMBlock',
      metadata: {name: '10-48-99-0-26'},
      spec: {affinity: 'host:cal-cp-1', cidr: '10.48.99.0/26', deleted: false},
    });
    expect(calico.failures('tunnel/remote-routes')).toHaveLength(2);
  });

  it('is undetermined if the blocks of Calico were not read', () => {
    const calico = healthy('09-calico-vxlan-healthy').removeObjects(({kind}) =>
      /^(IPAMBlock|BlockAffinity)$/.test(kind),
    );
    expect(calico.outcomes('tunnel/remote-routes')).toEqual(['unknown', 'unknown']);
  });
});
