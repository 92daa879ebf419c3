import {describe, expect, it} from 'vitest';
import {scenario} from '../../checks/support.js';
import {detected, nodeSide} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw objects
type Raw = any;
const openshift = () => scenario('12-hybrid-overlay-network-missing');
const subnet = 'k8s.ovn.org/hybrid-overlay-node-subnet';

describe('OVN-Kubernetes', () => {
  it('is not mistaken for win-overlay, whose program its CNI configuration names', () => {
    expect(detected(nodeSide('12-hybrid-overlay-network-missing'))).toMatchObject({name: 'ovn-kubernetes', others: []});
  });

  it('is recognised in its older form by its service and the bridge with the name of the adapter', () => {
    const legacy = openshift()
      .removeObjects(({kind}) => kind !== 'Node')
      .object('Node', 'ocp-win-0', node => {
        node.metadata.annotations = {ovn_host_subnet: '11.11.3.0/24'};
      })
      .node(node => {
        node.sections.services = [{Name: 'ovn-kubernetes-node', State: 'Running'}];
        node.sections.files = [];
        node.sections.hnsNetworks = [
          {ID: 'AAAAAAAA-0000-0000-0000-000000000000', Name: 'external', Type: 'Transparent'},
        ];
      });
    const {name, variant, profile} = detected(legacy);
    expect({name, variant, network: profile.network, subnet: profile.podSubnet}).toEqual({
      name: 'ovn-kubernetes',
      variant: 'legacy',
      network: {name: 'external', types: ['Transparent'], subnetFollows: 'restart of the agent'},
      subnet: '11.11.3.0/24',
    });
    expect(profile.bridges).toContain('br-int');
  });
});

describe('cni/hybrid-overlay-subnet', () => {
  const id = 'cni/hybrid-overlay-subnet';
  const annotated = (value: string | undefined) =>
    openshift().object('Node', 'ocp-win-0', node => {
      if (value === undefined) delete node.metadata.annotations[subnet];
      else node.metadata.annotations[subnet] = value;
    });

  it('finds a Windows node without a subnet, as the cause of the missing network', () => {
    const changed = annotated(undefined);
    expect(changed.failures(id)[0]).toMatch(/has no subnet/);
    expect(changed.verdicts('hns/network-present')[0]?.causedBy).toContain(id);
  });

  it('finds an invalid subnet', () => {
    expect(annotated('soon').failures(id)[0]).toMatch(/soon, is not valid/);
  });

  it('accepts the older name of the annotation', () => {
    const older = annotated(undefined).object('Node', 'ocp-win-0', node => {
      node.metadata.annotations['k8s.ovn.org/hybrid-overlay-hostsubnet'] = '10.132.1.0/24';
    });
    expect(older.outcomes(id)).toEqual(['pass']);
  });
});

describe('cni/openshift-services', () => {
  const id = 'cni/openshift-services';
  const running = () =>
    openshift().section('services', services => {
      services.find(({Name}: Raw) => Name === 'kube-proxy').State = 'Running';
    });

  it('accepts services that all run', () => {
    expect(running().outcomes(id)).toEqual(['pass']);
  });

  it('finds one that is stopped, with its exit code', () => {
    const [finding] = openshift().verdicts(id);
    expect(finding?.message).toMatch(/kube-proxy is not running/);
    expect(finding?.evidence[0]?.seen).toBe('Stopped, exit code 1066');
  });

  it('finds one that the operator requires and that is not installed', () => {
    const changed = running().node(node => {
      node.sections.services = node.sections.services.filter(({Name}: Raw) => Name !== 'csi-proxy');
    });
    expect(changed.failures(id)[0]).toMatch(/csi-proxy is not installed/);
  });

  it('finds a different version than the operator requires, unless the node is being upgraded', () => {
    const older = () =>
      running().object('Node', 'ocp-win-0', node => {
        node.metadata.annotations['windowsmachineconfig.openshift.io/desired-version'] = '10.17.0';
      });
    expect(older().verdicts(id)[0]).toMatchObject({outcome: 'fail', severity: 'warning'});
    const upgrading = older().object('Node', 'ocp-win-0', node => {
      node.metadata.annotations['windowsmachineconfig.openshift.io/upgrading'] = 'true';
    });
    expect(upgrading.outcomes(id)).toEqual(['info']);
  });

  it('does not apply to other clusters', () => {
    expect(scenario('06-flannel-overlay-healthy').outcomes(id)).toEqual(['skipped', 'skipped']);
  });
});
