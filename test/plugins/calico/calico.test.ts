import {describe, expect, it} from 'vitest';
import {isSameBoot} from '../../../src/plugins/calico/boot-time.js';
import {healthy, scenario} from '../../checks/support.js';
import {detected} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw objects
type Raw = any;
const calico = () => healthy('09-calico-vxlan-healthy');

describe('Calico', () => {
  const onAks = () =>
    scenario('11-azure-cni-after-reboot')
      .addObject({
        apiVersion: 'operator.tigera.io/v1',
        kind: 'Installation',
        metadata: {name: 'default'},
        spec: {cni: {type: 'AzureVNET'}},
      })
      .section('services', services => {
        services.push({Name: 'CalicoNode', State: 'Running'}, {Name: 'CalicoFelix', State: 'Running'});
      });

  it('is not a second plugin if it only enforces policy on AKS', () => {
    expect(detected(onAks())).toMatchObject({name: 'azure', others: []});
    expect(onAks().failures('cni/two-plugins')).toEqual([]);
  });

  it('is not a second plugin there either if the operator does not say so', () => {
    const unread = onAks().removeObjects(({kind}) => kind === 'Installation');
    expect(detected(unread)).toMatchObject({name: 'azure', others: []});
  });

  it('is recognised as services, with BGP by its bridge', () => {
    const bgp = calico()
      .removeObjects(({kind, metadata}) => kind === 'Installation' || metadata.name === 'calico-node-windows')
      .node(node => {
        node.sections.services.push({Name: 'CalicoNode', State: 'Running'});
        for (const network of node.sections.hnsNetworks) network.Type = 'L2Bridge';
      })
      .object('DaemonSet', 'calico-node', set => {
        set.spec.template.spec.containers[0].env = [];
      });
    const {name, variant, profile} = detected(bgp, 'cal-win-1');
    expect({name, variant, types: profile.network?.types, endpoint: profile.hostEndpoint}).toEqual({
      name: 'calico',
      variant: 'bgp',
      types: ['L2Bridge'],
      endpoint: {name: 'Calico_ep', attached: true},
    });
  });

  it('expects the block of the node as its subnet, and none if it has several', () => {
    expect(detected(calico(), 'cal-win-1').profile.podSubnet).toBe('10.48.73.128/26');
    const two = calico().addObject({
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPAMBlock',
      metadata: {name: 'second'},
      spec: {affinity: 'host:cal-win-1', cidr: '10.48.99.0/26'},
    });
    expect(detected(two, 'cal-win-1').profile.podSubnet).toBeUndefined();
  });
});

describe('cni/calico-boot-time', () => {
  const id = 'cni/calico-boot-time';
  const noted = (value: string) =>
    calico().section('registry', registry => {
      registry.find(({Name}: Raw) => Name === 'LastBootTime').Value = value;
    });

  it('finds that Calico last set up the node for an earlier boot', () => {
    expect(noted('2/27/2026 11:40:03 PM').failures(id)[0]).toMatch(/2\/27\/2026 11:40:03 PM/);
  });

  it.each(['3/2/2026 3:02:11 AM', '02.03.2026 03:02:11', '2026-03-02 03:02:11', '02/03/2026 03:02:11'])(
    'reads the time in any culture: %s',
    value => {
      expect(noted(value).outcomes(id)).toEqual(['pass', 'pass']);
    },
  );

  it('does not guess an unreadable time', () => {
    expect(noted('yesterday').outcomes(id).sort()).toEqual(['pass', 'unknown']);
  });

  it('requires no boot time if RKE2 runs Calico, which writes none', () => {
    const rke2 = calico().section('registry', registry => {
      registry.splice(0, registry.length);
    });
    expect(rke2.outcomes(id).sort()).toEqual(['pass', 'unknown']);
  });

  it('waits for a node that has just booted', () => {
    const booting = noted('2/27/2026 11:40:03 PM').section('os', os => {
      os.SystemTime = '2026-03-02T03:04:00+02:00';
    });
    expect(booting.failures(id)).toEqual([]);
  });

  it('distinguishes two boots that are some hours apart', () => {
    const booted = Date.parse('2026-03-02T03:02:11+02:00');
    expect(isSameBoot('3/2/2026 1:37:40 AM', booted)).toBe(false);
    expect(isSameBoot('3/2/2026 3:02:13 AM', booted)).toBe(true);
    expect(isSameBoot('3/2/2026 12:02:11 PM', Date.parse('2026-03-02T12:02:11Z'))).toBe(true);
    expect(isSameBoot('3/2/2026 12:02:11 AM', Date.parse('2026-03-02T00:02:11Z'))).toBe(true);
  });
});

describe('cni/calico-ipam', () => {
  const id = 'cni/calico-ipam';
  const pool = (change: object) =>
    calico().object('IPPool', 'default-ipv4-ippool', its => {
      Object.assign(its.spec, change);
    });

  it('finds that strictAffinity is disabled or was never set', () => {
    for (const value of [false, undefined]) {
      const changed = calico().object('IPAMConfig', 'default', config => {
        config.spec.strictAffinity = value;
      });
      expect(changed.failures(id)[0]).toMatch(/strictAffinity is off/);
    }
  });

  it('does not require it of host-local', () => {
    const local = calico()
      .object('IPAMConfig', 'default', config => {
        config.spec.strictAffinity = false;
      })
      .object('Installation', 'default', installation => {
        installation.spec.cni.ipam.type = 'HostLocal';
      });
    expect(local.outcomes(id)).toEqual(['pass']);
  });

  it.each([
    ['IPIP', {ipipMode: 'Always', vxlanMode: 'Never'}],
    ['VXLAN across subnets only', {vxlanMode: 'CrossSubnet'}],
    ['no encapsulation, with VXLAN on the nodes', {vxlanMode: 'Never'}],
  ])('finds a pool with %s', (_what, change) => {
    expect(pool(change).failures(id)).toHaveLength(1);
  });

  it.each([
    ['only for Linux nodes', {ipipMode: 'Always', vxlanMode: 'Never', nodeSelector: "kubernetes.io/os == 'linux'"}],
    ['that is disabled', {ipipMode: 'Always', disabled: true}],
    ['for load balancers', {ipipMode: 'Always', allowedUses: ['LoadBalancer']}],
    ['of IPv6', {ipipMode: 'Always', cidr: 'fd00::/64'}],
  ])('ignores a pool %s', (_what, change) => {
    expect(pool(change).failures(id)).toEqual([]);
  });

  it('is undetermined if the configuration was not read', () => {
    const unread = calico().removeObjects(({kind}) => /^IPAMConfig/.test(kind));
    expect(unread.outcomes(id)).toEqual(['unknown']);
  });
});
