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

  it('prefers the flag over the environment', () => {
    const changed = told(flannel(), 'vxlan0').section('processes', processes => {
      processes.find(({Name}: Raw) => Name === 'kube-proxy.exe').CommandLine =
        'kube-proxy.exe --network-name=flannel.4096';
    });
    expect(onFirst(changed, 'kube-proxy/network-name')?.outcome).toBe('pass');
  });

  it('supports the pattern of the Calico scripts', () => {
    expect(told(healthy('09-calico-vxlan-healthy'), 'Calico.*').outcomes('kube-proxy/network-name')).toEqual([
      'pass',
      'pass',
    ]);
    expect(told(healthy('09-calico-vxlan-healthy'), 'External').failures('kube-proxy/network-name')).toHaveLength(2);
  });

  it('accepts load balancers on the network as proof if no name was read', () => {
    const bridge = scenario('13-win-bridge-outbound-nat');
    expect(bridge.outcomes('kube-proxy/network-name')).toEqual(['pass']);
    bridge.section('hnsPolicyLists', lists => {
      lists.length = 0;
    });
    expect(bridge.outcomes('kube-proxy/network-name')).toEqual(['unknown']);
  });

  it('leaves a missing network to its own check', () => {
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

  it("finds a file with an address of the node's previous subnet", () => {
    const changed = withFile('{"ips":[{"address":"10.244.7.2/24"}]}');
    expect(onFirst(changed, 'kube-proxy/source-vip')?.message).toMatch(
      /sourceVip\.json has the source VIP 10\.244\.7\.2/,
    );
  });

  it('finds a file without an address', () => {
    expect(onFirst(withFile('Error: no such network'), 'kube-proxy/source-vip')?.outcome).toBe('fail');
  });

  it('reads the file in CNI 0.2 format and with a byte-order mark', () => {
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

  it('requires none on a bridge, which uses the node address', () => {
    const skipped = scenario('08-flannel-host-gw-after-reboot').verdicts('kube-proxy/source-vip');
    expect(skipped.map(({outcome}) => outcome)).toEqual(['skipped', 'skipped']);
  });

  it('is undetermined until kube-proxy has created a load balancer, if nothing else shows it', () => {
    const changed = flannel().node(node => {
      node.sections.hnsPolicyLists = [];
      node.sections.files = node.sections.files.filter(({Path}: Raw) => !/sourceVip/.test(Path));
    });
    expect(onFirst(changed, 'kube-proxy/source-vip')?.outcome).toBe('unknown');
  });
});

describe('the network of kube-proxy', () => {
  const id = 'kube-proxy/network-name';

  it('is reported with the networks that there are', () => {
    const [name, networks] = onFirst(told(flannel(), 'vxlan0'), id)?.evidence ?? [];
    expect(name).toMatchObject({field: 'KUBE_NETWORK', seen: 'vxlan0', expected: 'flannel.4096'});
    expect(networks?.seen).toEqual(['External', 'flannel.4096', 'nat']);
  });

  it.each([
    ['FLANNEL.4096', 'pass'],
    ['flannel.*', 'pass'],
    ['Flannel.4.*', 'pass'],
    ['flannel*', 'fail'],
    ['annel.*', 'fail'],
    ['flannel.40', 'fail'],
  ])('may be told as %s: %s', (name, outcome) => {
    expect(onFirst(told(flannel(), name), id)?.outcome).toBe(outcome);
  });

  it('is not asked for before kube-proxy has a process', () => {
    const waiting = scenario('13-win-bridge-outbound-nat').node(({sections}) => {
      sections.processes = sections.processes.filter(({Name}: Raw) => Name !== 'kube-proxy.exe');
      sections.hnsPolicyLists = [];
    });
    expect(waiting.outcomes(id)).toEqual(['skipped']);
  });
});

describe('the source VIP of kube-proxy', () => {
  const id = 'kube-proxy/source-vip';
  const vip = (ip: string | null) =>
    flannel().section('hnsPolicyLists', lists => {
      for (const list of lists) for (const policy of list.Policies) policy.SourceVIP = ip;
    });
  const withoutFile = (changed: Scenario) =>
    changed.section('files', files => {
      const at = files.findIndex(({Path}: Raw) => /sourceVip\.json$/.test(Path));
      files.splice(at, 1);
    });

  it.each([
    ['10.244.1.1', /is the gateway address of subnet 10\.244\.1\.0\/24/],
    ['10.244.1.0', /is the network address of subnet 10\.244\.1\.0\/24/],
    ['10.244.9.9', /is outside the subnet of flannel\.4096/],
    ['10.244.1.5', /is also the address of pod apps\/web/],
    ['10.244.1.200', /has no HNS endpoint/],
  ])('cannot be %s', (ip, message) => {
    const found = onFirst(vip(ip), id);
    expect(found?.message).toMatch(message);
    expect(found?.evidence).toMatchObject([{section: 'hnsPolicyLists', field: 'SourceVIP', seen: ip}]);
    expect(found?.evidence[0]?.expected).toBeDefined();
  });

  it('cannot be the address of a container whose pod is not known', () => {
    const unknown = vip('10.244.1.5').removeObjects(
      ({kind, status}) => kind === 'Pod' && status?.podIP === '10.244.1.5',
    );
    expect(onFirst(unknown, id)?.message).toMatch(/is also the address of a container/);
  });

  it('may be that of a pod that uses the network of its node', () => {
    const host = vip('10.244.1.2').object('Pod', /^worker/, pod => {
      pod.spec.hostNetwork = true;
      pod.status.podIP = '10.244.1.2';
      pod.status.podIPs = [{ip: '10.244.1.2'}];
    });
    expect(onFirst(host, id)?.outcome).toBe('pass');
  });

  it('is that of a flag, where no load balancer has one', () => {
    const flagged = vip(null).section('processes', processes => {
      processes.find(({Name}: Raw) => Name === 'kube-proxy.exe').CommandLine = 'kube-proxy.exe --source-vip=10.244.9.9';
    });
    expect(onFirst(flagged, id)?.evidence).toMatchObject([{section: 'processes', seen: '10.244.9.9'}]);
  });

  it('is that of the file, where nothing else tells', () => {
    const file = (ip: string) =>
      vip(null).section('files', files => {
        files.find(({Path}: Raw) => /sourceVip\.json$/.test(Path)).Content = JSON.stringify({
          ips: [{address: `${ip}/24`}],
        });
      });
    expect(onFirst(file('10.244.1.200'), id)?.evidence).toMatchObject([
      {section: 'files', object: 'C:\\sourcevip\\sourceVip.json', field: 'address', seen: '10.244.1.200'},
    ]);
    expect(onFirst(file('10.244.1.2'), id)?.outcome).toBe('pass');
    expect(onFirst(withoutFile(file('10.244.1.2')), id)?.outcome).toBe('unknown');
  });

  it('is reported with what the file has instead of an address', () => {
    const text = 'x'.repeat(200);
    const changed = flannel().section('files', files => {
      files.find(({Path}: Raw) => /sourceVip\.json$/.test(Path)).Content = text;
    });
    expect(onFirst(changed, id)?.evidence).toMatchObject([{field: 'Content', seen: 'x'.repeat(80)}]);
  });

  it('does not go by a file that was not read, nor by one of Calico, which has its own endpoint', () => {
    const unread = flannel().section('files', files => {
      delete files.find(({Path}: Raw) => /sourceVip\.json$/.test(Path)).Content;
    });
    expect(onFirst(unread, id)?.outcome).toBe('pass');
    const calico = healthy('09-calico-vxlan-healthy').section('files', files =>
      files.push({Path: 'C:\\k\\sourceVip.json', Exists: true, Content: 'none'}),
    );
    expect(calico.failures(id)).toEqual([]);
  });

  it('is not asked for without the network', () => {
    const gone = flannel().section('hnsNetworks', networks => networks.splice(0));
    expect(onFirst(gone, id)?.outcome).toBe('skipped');
  });
});

describe('load balancers as proof of the network of kube-proxy', () => {
  it('are those on the network of the pods alone', () => {
    const other = scenario('13-win-bridge-outbound-nat').section('hnsNetworks', networks => {
      for (const network of networks) network.ID = 'FFFFFFFF-0000-0000-0000-000000000000';
    });
    expect(other.outcomes('kube-proxy/network-name')).toEqual(['unknown']);
  });

  it('have a source VIP even where the first one does not', () => {
    const changed = flannel().section('hnsPolicyLists', lists => {
      for (const [i, list] of lists.entries())
        for (const policy of list.Policies) policy.SourceVIP = i === 0 ? '' : '10.244.9.9';
    });
    expect(onFirst(changed, 'kube-proxy/source-vip')?.evidence).toMatchObject([
      {section: 'hnsPolicyLists', seen: '10.244.9.9'},
    ]);
  });
});
