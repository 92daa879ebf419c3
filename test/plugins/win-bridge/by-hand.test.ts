import {describe, expect, it} from 'vitest';
import {healthy, scenario} from '../../checks/support.js';
import {detected} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw files
type Raw = any;

/** Case 13 with another CNI configuration. */
const withConf = (change: (conf: Raw) => void) =>
  scenario('13-win-bridge-outbound-nat').section('files', files => {
    const file = files.find(({Path}: Raw) => /l2bridge\.conf$/.test(Path));
    const conf = JSON.parse(file.Content);
    change(conf);
    file.Content = JSON.stringify(conf);
  });

describe('plugins that an administrator installs on nodes', () => {
  it('are distinguished by the type in the CNI configuration, not by the name of the network', () => {
    const withType = (type: string) => detected(withConf(conf => (conf.type = type))).name;
    expect(withType('win-bridge')).toBe('win-bridge');
    expect(withType('sdnbridge')).toBe('win-bridge');
    expect(withType('wincni.exe')).toBe('wincni');
    expect(withType('wincni')).toBe('wincni');
  });

  it('have the network of their configuration', () => {
    expect(detected(withConf(conf => (conf.name = 'L2net'))).profile.network?.name).toBe('L2net');
  });

  it('are recognised by the network name if no configuration was read', () => {
    const unread = scenario('13-win-bridge-outbound-nat').without('files');
    expect(detected(unread)).toMatchObject({name: 'win-bridge', confidence: 'likely'});
  });

  it('are recognised as win-overlay if the network is an overlay', () => {
    const overlay = withConf(conf => {
      conf.type = 'win-overlay';
      conf.name = 'vxlan0';
    }).section('hnsNetworks', networks => {
      const network = networks.find(({Name}: Raw) => Name === 'l2bridge');
      Object.assign(network, {Name: 'vxlan0', Type: 'overlay'});
    });
    expect(detected(overlay)).toMatchObject({name: 'win-overlay', others: [], profile: {network: {name: 'vxlan0'}}});
  });

  it('are not recognised under Flannel, which only delegates to them', () => {
    expect(detected(healthy('06-flannel-overlay-healthy')).others).toEqual([]);
    expect(detected(scenario('08-flannel-host-gw-after-reboot')).others).toEqual([]);
  });
});

describe('AWS VPC CNI', () => {
  it('is recognised by its network and its DaemonSet, and only what is known is required', () => {
    const eks = scenario('13-win-bridge-outbound-nat')
      .addObject({
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: {name: 'aws-node', namespace: 'kube-system'},
        spec: {template: {spec: {containers: [{name: 'aws-node', image: 'amazon-k8s-cni:v1.18.2'}]}}},
      })
      .node(node => {
        node.sections.files = [
          {
            Path: 'C:\\Program Files\\Amazon\\EKS\\cni\\config\\vpc-bridge.conf',
            Exists: true,
            Content: '{"name":"vpc","type":"vpc-bridge"}',
          },
        ];
        const network = node.sections.hnsNetworks.find(({Name}: Raw) => Name === 'l2bridge');
        network.Name = 'vpcbr0a1b2c3d4e5f';
      });
    expect(detected(eks)).toMatchObject({
      name: 'aws-vpc',
      version: '1.18.2',
      profile: {network: {name: 'vpcbr0a1b2c3d4e5f'}},
    });
    expect(eks.failures('hns/network-present')).toEqual([]);
    expect(eks.failures('cni/conf')).toEqual([]);
  });
});
