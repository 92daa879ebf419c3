import {describe, expect, it} from 'vitest';
import {healthy, type Scenario, scenario} from '../../checks/support.js';
import {detected} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw objects
type Raw = any;
const flannel = () => healthy('06-flannel-overlay-healthy');

describe('Flannel', () => {
  it('is recognised if RKE2 starts it: by annotations and a process, without its own objects', () => {
    const rke2 = flannel()
      .removeObjects(({metadata}) => /flannel/.test(metadata.name) || metadata.namespace === 'kube-flannel')
      .node(node => {
        node.sections.files = node.sections.files.filter(({Path}: Raw) => !/net-conf\.json|10-flannel/.test(Path));
      });
    const {name, variant, profile} = detected(rke2);
    expect({name, variant, network: profile.network?.name}).toEqual({
      name: 'flannel',
      variant: 'vxlan',
      network: 'flannel.4096',
    });
  });

  it('is recognised as services installed by a script, with the network vxlan0', () => {
    const script = flannel()
      .removeObjects(({kind, metadata}) => kind === 'DaemonSet' && /flannel.*windows/.test(metadata.name))
      .node(node => {
        node.sections.services.push({Name: 'flanneld', State: 'Running', StartMode: 'Auto'});
        const file = node.sections.files.find(({Path}: Raw) => /net-conf\.json$/.test(Path));
        file.Content = file.Content.replace('"Type"', '"Name": "vxlan0", "Type"');
        const network = node.sections.hnsNetworks.find(({Name}: Raw) => Name === 'flannel.4096');
        network.Name = 'vxlan0';
      });
    const {name, profile, evidence} = detected(script);
    expect({name, network: profile.network?.name}).toEqual({name: 'flannel', network: 'vxlan0'});
    expect(evidence).toContain('service flanneld');
  });

  it('is not recognised from a bridge that an administrator named cbr0', () => {
    const bridge = scenario('13-win-bridge-outbound-nat').node(node => {
      const network = node.sections.hnsNetworks.find(({Name}: Raw) => Name === 'l2bridge');
      network.Name = 'cbr0';
      const file = node.sections.files.find(({Path}: Raw) => /l2bridge\.conf$/.test(Path));
      file.Content = file.Content.replace('"name": "l2bridge"', '"name": "cbr0"');
    });
    expect(detected(bridge)).toMatchObject({name: 'win-bridge', others: []});
  });
});

describe('cni/flannel-net-conf', () => {
  const id = 'cni/flannel-net-conf';
  const withConf = (content: string | object, name = 'kube-flannel-cfg') =>
    flannel().object('ConfigMap', name, map => {
      map.data['net-conf.json'] = typeof content === 'string' ? content : JSON.stringify(content);
    });
  const vxlan = (backend: object, network = '10.244.0.0/16') => ({
    Network: network,
    Backend: {Type: 'vxlan', ...backend},
  });

  it.each<[string, string | object, RegExp]>([
    ['text that is not JSON', '{"Network": "10.244.0.0/16",', /not valid JSON/],
    ['a VNI below 4096', vxlan({VNI: 1, Port: 4789}), /VNI 1/],
    ['no VNI, if Linux also reads it', vxlan({Port: 4789}), /VNI is not set/],
    ['another port', vxlan({VNI: 4096, Port: 8472}), /port 8472/],
    ['DirectRouting', vxlan({VNI: 4096, Port: 4789, DirectRouting: true}), /DirectRouting/],
    [
      'a different range than the cluster',
      vxlan({VNI: 4096, Port: 4789}, '10.10.0.0/16'),
      /10\.10\.0\.0\/16 is not the pod range/,
    ],
  ])('finds %s', (_what, conf, message) => {
    expect(withConf(conf).failures(id)[0]).toMatch(message);
  });

  it('accepts a larger VNI, and a range in another notation', () => {
    expect(withConf(vxlan({VNI: 5000, Port: 4789}, '10.244.0.5/16')).failures(id)).toEqual([]);
  });

  it('allows the configuration of Windows nodes to omit VNI and port', () => {
    expect(withConf(vxlan({}), 'kube-flannel-windows-cfg').outcomes(id)).toEqual(['pass']);
  });

  it('finds two backends in one cluster', () => {
    const changed = withConf({Network: '10.244.0.0/16', Backend: {Type: 'host-gw'}}, 'kube-flannel-windows-cfg');
    expect(changed.failures(id)).toContainEqual(expect.stringMatching(/different backends/));
  });

  it('finds node subnets outside the range if the cluster does not publish its own', () => {
    const changed = withConf(vxlan({VNI: 4096, Port: 4789}, '10.10.0.0/16')).removeObjects(
      ({metadata}) => metadata.name === 'kubeadm-config',
    );
    expect(changed.failures(id)[0]).toMatch(/does not contain the subnets of fl-master/);
  });

  it('requires neither VNI nor port of host-gw', () => {
    expect(scenario('08-flannel-host-gw-after-reboot').outcomes(id)).toEqual(['pass']);
  });

  const confNamed = (name: string): Scenario =>
    flannel().section('files', files => {
      const file = files.find(({Path}: Raw) => /10-flannel\.conf$/.test(Path));
      file.Content = file.Content.replace('"name": "flannel.4096"', `"name": "${name}"`);
    });

  it('finds a CNI configuration for a different network than that of flanneld', () => {
    expect(confNamed('cbr0').failures(id)[0]).toMatch(/is for network cbr0, but flanneld created flannel\.4096/);
    expect(confNamed('Flannel.4096').outcomes(id)).toEqual(['pass']);
  });
});

describe('Flannel with leases in etcd', () => {
  it('is not required to have annotations that it never writes', () => {
    const etcd = flannel().object('Node', /^fl-/, node => {
      for (const key of Object.keys(node.metadata.annotations))
        if (key.startsWith('flannel.')) delete node.metadata.annotations[key];
    });
    expect(detected(etcd).name).toBe('flannel');
    expect(etcd.failures('tunnel/vtep-mac')).toEqual([]);
    expect(etcd.failures('tunnel/remote-routes')).toEqual([]);
  });
});
