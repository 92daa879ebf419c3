import {describe, expect, it} from 'vitest';
import type {AdapterRule} from '../../../src/services/tunnel/choose-adapter.js';
import {type OtherPlugin, otherPlugins} from '../../../src/services/tunnel/plugin-settings.js';
import {tunnelStatusOf} from '../../../src/services/tunnel/tunnel-status.js';
import {renderOther} from '../../../src/view/text/tunnel.js';
import {scenario as caseOf, type Raw, type Scenario} from '../../checks/support.js';
import {subject} from './support.js';

const named = (adapter: string): AdapterRule => ({by: 'name', adapter});
const cidr = (block: string): AdapterRule => ({by: 'cidr', cidr: block});

/** All Windows nodes of a case, with one rule for all. */
function other(scenario: Scenario, rule: AdapterRule | undefined): OtherPlugin {
  const wanted = Object.keys(scenario.document.nodes).map(name => ({subject: subject(scenario, name), rule}));
  const [first] = otherPlugins(wanted);
  if (!first) throw new Error('no other plugin');
  return first;
}

const text = (scenario: Scenario, rule: AdapterRule | undefined) => renderOther(other(scenario, rule)).join('\n');
const daemonSet = (scenario: Scenario, name: string, change: (set: Raw) => void) =>
  scenario.object('DaemonSet', name, change);

describe('Antrea', () => {
  const antrea = () => caseOf('01-antrea-healthy');
  const conf = (scenario: Scenario, value: string) =>
    scenario.object('ConfigMap', 'antrea-windows-config', ({data}) => {
      data['antrea-agent.conf'] = value;
    });

  it('has transportInterface in its ConfigMap: the current value, and the exact patch', () => {
    expect(text(antrea(), named('Ethernet0'))).toMatch(/^Antrea \(winapp-01.*\) has no tunnel annotation/);
    expect(text(antrea(), named('Ethernet0'))).toMatch(
      /transportInterface: not set \(ConfigMap kube-system\/antrea-windows-config, antrea-agent\.conf\)/,
    );
    expect(text(antrea(), named('Ethernet0'))).toMatch(
      /kubectl -n kube-system patch configmap antrea-windows-config --type merge -p '\{"data":\{"antrea-agent\.conf":".*\\ntransportInterface: \\"Ethernet0\\"\\n/,
    );
    expect(text(antrea(), named('Ethernet0'))).toMatch(/rollout restart daemonset antrea-agent-windows/);
  });

  it('replaces the comment or value, or is appended, and changes nothing else', () => {
    const changed = (value: string, rule: AdapterRule) => other(conf(antrea(), value), rule).translation.change?.after;
    expect(changed('a: 1\n#transportInterface:\nb: 2\n', named('E 2'))).toBe('a: 1\ntransportInterface: "E 2"\nb: 2\n');
    expect(changed('transportInterface: "old"\nb: 2\n', named('E'))).toBe('transportInterface: "E"\nb: 2\n');
    expect(changed('a: 1', named('E'))).toBe('a: 1\ntransportInterface: "E"\n');
    expect(changed('transportInterfaceCIDRs:\n  - 10.1.0.0/16\n  - 10.2.0.0/16\nb: 2\n', cidr('10.3.0.0/16'))).toBe(
      'transportInterfaceCIDRs: ["10.3.0.0/16"]\nb: 2\n',
    );
  });

  it('removes a name that would override the block', () => {
    const {translation} = other(conf(antrea(), 'transportInterface: Ethernet9\n'), cidr('10.3.0.0/16'));
    expect(translation.change?.after).toBe(
      '#transportInterface: Ethernet9\ntransportInterfaceCIDRs: ["10.3.0.0/16"]\n',
    );
  });

  it('reads a list below the key', () => {
    const scenario = conf(antrea(), 'transportInterfaceCIDRs:\n  - 10.1.0.0/16\n  - 10.2.0.0/16\n');
    expect(text(scenario, undefined)).toMatch(/transportInterfaceCIDRs: 10\.1\.0\.0\/16, 10\.2\.0\.0\/16/);
  });

  it('can be applied only if every Windows node has the adapter', () => {
    expect(other(antrea(), named('Ethernet0')).unsafe).toBeUndefined();
    expect(other(antrea(), named('Ethernet9')).unsafe).toMatch(/no adapter Ethernet9 on winapp-01/);
    expect(other(antrea(), cidr('10.99.0.0/16')).unsafe).toMatch(/no address in 10\.99\.0\.0\/16 on/);
  });

  it('is not applied while a Windows node was not inspected', () => {
    const scenario = antrea().addObject({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {name: 'win-new', labels: {'kubernetes.io/os': 'windows'}},
    });
    expect(other(scenario, named('Ethernet0')).unsafe).toMatch(/win-new was not inspected/);
  });
});

describe('Flannel', () => {
  const flannel = () => caseOf('06-flannel-overlay-healthy');
  const withArgs = (...args: string[]) =>
    daemonSet(flannel(), 'kube-flannel-ds-windows-amd64', ({spec}) => {
      Object.assign(spec.template.spec.containers[0], {command: ['C:\\flannel\\flanneld.exe'], args});
    });

  it('has arguments of flanneld: the current ones, and the exact patch', () => {
    const told = text(withArgs('--kube-subnet-mgr', '--iface=Ethernet9'), named('Ethernet 2'));
    expect(told).toMatch(
      /--iface, --iface-regex: --iface=Ethernet9 \(DaemonSet kube-flannel\/kube-flannel-ds-windows-amd64/,
    );
    expect(told).toContain(
      `patch daemonset kube-flannel-ds-windows-amd64 --type json -p '[{"op":"replace","path":"/spec/template/spec/containers/0/args","value":["--kube-subnet-mgr","--iface=Ethernet 2"]}]'`,
    );
    expect(told).toMatch(/public-ip-overwrite changes only the address that other nodes send to/);
  });

  it('uses a pattern for a block that ends at a dot', () => {
    const {translation} = other(withArgs('--kube-subnet-mgr'), cidr('10.90.12.0/24'));
    expect(translation.change?.after).toBe('--kube-subnet-mgr\n--iface-regex=^10\\.90\\.12\\.');
    expect(other(withArgs('--kube-subnet-mgr'), cidr('10.90.0.0/20')).translation.change).toBeUndefined();
  });

  it('is not applied if pods would restart immediately', () => {
    expect(other(withArgs('--kube-subnet-mgr'), named('Ethernet')).unsafe).toMatch(/immediately restarts its pods/);
    const onDelete = daemonSet(withArgs('--kube-subnet-mgr'), 'kube-flannel-ds-windows-amd64', ({spec}) => {
      spec.updateStrategy = {type: 'OnDelete'};
    });
    expect(other(onDelete, named('Ethernet')).unsafe).toBeUndefined();
  });

  it('has no argument to change if the image starts flanneld itself', () => {
    const {translation, unsafe} = other(flannel(), named('Ethernet'));
    expect(translation.change).toBeUndefined();
    expect(unsafe).toMatch(/through a script/);
  });
});

describe('Calico', () => {
  const calico = () => caseOf('09-calico-vxlan-healthy');
  const byManifest = () => calico().removeObjects(({kind}) => kind === 'Installation');

  it('has windowsNodes.vxlanAdapter and autodetection in the Installation of its operator', () => {
    const told = text(calico(), named('Ethernet 2'));
    expect(told).toMatch(/spec\.windowsNodes\.vxlanAdapter: not set \(Installation default\)/);
    expect(told).toContain(
      `kubectl patch installation default --type merge -p '{"spec":{"windowsNodes":{"vxlanAdapter":"Ethernet 2"}}}'`,
    );
    expect(told).toMatch(/--apply cannot change it: the operator restarts calico-node/);
  });

  it('removes the old autodetection method, because only one is allowed', () => {
    const scenario = calico().object('Installation', 'default', ({spec}) => {
      spec.calicoNetwork.nodeAddressAutodetectionV4 = {kubernetes: 'NodeInternalIP'};
    });
    expect(other(scenario, cidr('10.20.0.0/16')).translation.change?.patch).toEqual({
      spec: {calicoNetwork: {nodeAddressAutodetectionV4: {kubernetes: null, cidrs: ['10.20.0.0/16']}}},
    });
  });

  it('has VXLAN_ADAPTER in its DaemonSet without an operator', () => {
    expect(text(byManifest(), named('Ethernet'))).toMatch(
      /IP_AUTODETECTION_METHOD: first-found \(DaemonSet calico-system/,
    );
    expect(other(byManifest(), named('Ethernet')).translation.change?.patch).toMatchObject({
      spec: {template: {spec: {containers: [{name: 'felix', env: [{name: 'VXLAN_ADAPTER', value: 'Ethernet'}]}, {}]}}},
    });
    expect(other(byManifest(), cidr('10.2.0.0/16')).translation.change?.after).toBe(
      'IP_AUTODETECTION_METHOD=cidr=10.2.0.0/16',
    );
  });

  it('has a file on the node if it runs as a service', () => {
    const scenario = byManifest().removeObjects(
      ({kind, metadata}) => kind === 'DaemonSet' && /windows/.test(metadata.name),
    );
    expect(text(scenario, named('Ethernet'))).toMatch(/config\.ps1.*VXLAN_ADAPTER = "Ethernet"/);
  });
});

describe('plugins without a setting', () => {
  it('are reported: the hybrid overlay uses the node address', () => {
    const told = text(caseOf('12-hybrid-overlay-network-missing'), named('Ethernet'));
    expect(told).toMatch(/^OVN-Kubernetes .*has no tunnel annotation/);
    expect(told).toMatch(/the node address: \d+\.\d+\.\d+\.\d+/);
    expect(told).toMatch(/--node-ip/);
  });

  it('are distinguished in --show, with the current setting', () => {
    const scenario = caseOf('01-antrea-healthy');
    const [name = ''] = Object.keys(scenario.document.nodes);
    expect(tunnelStatusOf(subject(scenario, name), undefined).reasons.join(' ')).toMatch(
      /transportInterface .* is not set/,
    );
  });
});

it('requires one name for all nodes if a setting applies to all', () => {
  const scenario = caseOf('06-flannel-overlay-healthy').node(({sections}) => {
    for (const row of sections.netAdapters) if (row.Name === 'Ethernet') row.Name = 'NIC1';
  });
  const {translation} = other(scenario, {by: 'match', pattern: /^(Ethernet|NIC1)$/u});
  expect(translation.change).toBeUndefined();
});
