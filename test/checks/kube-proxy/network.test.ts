import {describe, expect, it} from 'vitest';
import {healthy, type Scenario, scenario} from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: raw sections
type Raw = any;
const flannel = () => healthy('06-flannel-overlay-healthy');
const onFirst = (changed: Scenario, id: string) => changed.verdicts(id).find(({node}) => node === 'fl-win-a');
const told = (changed: Scenario, name: string) =>
  changed.object('Pod', /^kube-proxy-windows/, pod => {
    pod.spec.containers[0].env[0].value = name;
  });

describe('kube-proxy/network-name', () => {
  it('finds the name of another network', () => {
    expect(onFirst(told(flannel(), 'vxlan0'), 'kube-proxy/network-name')?.message).toMatch(/vxlan0.*flannel\.4096/);
  });

  it('lets a flag win over the environment', () => {
    const changed = told(flannel(), 'vxlan0').section('processes', processes => {
      processes.find(({Name}: Raw) => Name === 'kube-proxy.exe').CommandLine =
        'kube-proxy.exe --network-name=flannel.4096';
    });
    expect(onFirst(changed, 'kube-proxy/network-name')?.outcome).toBe('pass');
  });

  it('understands the pattern of the scripts of Calico', () => {
    expect(told(healthy('09-calico-vxlan-healthy'), 'Calico.*').outcomes('kube-proxy/network-name')).toEqual([
      'pass',
      'pass',
    ]);
    expect(told(healthy('09-calico-vxlan-healthy'), 'External').failures('kube-proxy/network-name')).toHaveLength(2);
  });

  it('takes load balancers on the network for proof where no name was read', () => {
    const bridge = scenario('13-win-bridge-outbound-nat');
    expect(bridge.outcomes('kube-proxy/network-name')).toEqual(['pass']);
    bridge.section('hnsPolicyLists', lists => {
      lists.length = 0;
    });
    expect(bridge.outcomes('kube-proxy/network-name')).toEqual(['unknown']);
  });

  it('leaves a network that is not there to the check for that', () => {
    const changed = told(flannel(), 'vxlan0').node(node => {
      node.sections.hnsNetworks = node.sections.hnsNetworks.filter(({Name}: Raw) => Name !== 'flannel.4096');
    });
    expect(onFirst(changed, 'kube-proxy/network-name')?.outcome).toBe('skipped');
  });
});

describe('kube-proxy/source-vip', () => {
  const withFile = (content: string) =>
    flannel().section('files', files => {
      files.find(({Path}: Raw) => Path === 'C:\\sourcevip\\sourceVip.json').Content = content;
    });

  it('finds a file with an address of a subnet that the node had before', () => {
    const changed = withFile('{"ips":[{"address":"10.244.7.2/24"}]}');
    expect(onFirst(changed, 'kube-proxy/source-vip')?.message).toMatch(
      /sourceVip\.json has the source VIP 10\.244\.7\.2/,
    );
  });

  it('finds a file that holds no address', () => {
    expect(onFirst(withFile('Error: no such network'), 'kube-proxy/source-vip')?.outcome).toBe('fail');
  });

  it('reads the file in the forms of CNI 0.2 and with a byte-order mark', () => {
    expect(onFirst(withFile('\uFEFF{"ip4":{"ip":"10.244.1.2/24"}}'), 'kube-proxy/source-vip')?.outcome).toBe('pass');
  });

  it('finds that the address has no endpoint', () => {
    const changed = flannel().node(node => {
      node.sections.hnsEndpoints = node.sections.hnsEndpoints.filter(({IPAddress}: Raw) => IPAddress !== '10.244.1.2');
    });
    expect(onFirst(changed, 'kube-proxy/source-vip')?.message).toMatch(/no HNS endpoint/);
  });

  it('finds that a pod has the same address', () => {
    const changed = flannel().object('Pod', /^worker/, pod => {
      pod.status.podIP = '10.244.1.2';
      pod.status.podIPs = [{ip: '10.244.1.2'}];
    });
    expect(onFirst(changed, 'kube-proxy/source-vip')?.message).toMatch(/apps\/worker/);
  });

  it('finds load balancers with an address outside the subnet', () => {
    const changed = healthy('09-calico-vxlan-healthy').section('hnsPolicyLists', lists => {
      for (const list of lists) for (const policy of list.Policies) policy.SourceVIP = '10.48.9.9';
    });
    expect(changed.failures('kube-proxy/source-vip')[0]).toMatch(/10\.48\.9\.9/);
  });

  it('asks for none on a bridge, where the node address does', () => {
    const skipped = scenario('08-flannel-host-gw-after-reboot').verdicts('kube-proxy/source-vip');
    expect(skipped.map(({outcome}) => outcome)).toEqual(['skipped', 'skipped']);
  });

  it('cannot tell before kube-proxy has made a load balancer, when nothing else tells', () => {
    const changed = flannel().node(node => {
      node.sections.hnsPolicyLists = [];
      node.sections.files = node.sections.files.filter(({Path}: Raw) => !/sourceVip/.test(Path));
    });
    expect(onFirst(changed, 'kube-proxy/source-vip')?.outcome).toBe('unknown');
  });
});
