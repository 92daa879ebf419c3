import {describe, expect, it} from 'vitest';
import type {Raw, Scenario} from '../../checks/support.js';
import {conf, node, running, workload} from './build.js';
import {readyFor} from './ready.js';
import {preflight, resultsOf, stepsOf} from './support.js';

// What the prerequisites that several plugins share say of nodes that are not plainly ready or unready.

interface Asked {
  readonly plugin: string;
  readonly mode?: string;
  readonly name: string;
}

/** The results of one prerequisite on a ready node with something changed. */
const results = ({plugin, mode, name}: Asked, change: (scenario: Scenario) => unknown) => {
  const scenario = readyFor(plugin, mode);
  change(scenario);
  return resultsOf(preflight(scenario, plugin, mode), name);
};
const outcomes = (asked: Asked, change: (scenario: Scenario) => unknown) =>
  results(asked, change).map(({outcome, severity}) => (outcome === 'fail' ? `${outcome} ${severity}` : outcome));
const steps = (asked: Asked, change: (scenario: Scenario) => unknown) =>
  results(asked, change).flatMap(result => stepsOf(result).split('\n'));

const ofSection = (section: string, change: (data: Raw) => void) => (scenario: Scenario) =>
  scenario.section(section, change);
const ofNode = (change: (node: Raw) => void) => (scenario: Scenario) => scenario.object('Node', 'win-1', change);

describe('windows-server', () => {
  const asked = {plugin: 'flannel', name: 'windows-server'};
  const caption = (text: string | undefined) => (scenario: Scenario) =>
    scenario.section('os', os => {
      os.Caption = text;
    });

  it.each([
    ['Microsoft Windows Server 2022 Datacenter', 'pass'],
    ['Microsoft Windows 10 Pro', 'fail error'],
    ['Microsoft Windows 11 Enterprise Evaluation', 'fail error'],
    ['Microsoft Windows Server 2022 Standard Evaluation', 'fail warning'],
  ])('diagnoses %s as %s', (text, outcome) => {
    expect(outcomes(asked, caption(text))).toEqual([outcome]);
  });

  it('goes by what the cluster says where Windows was not read', () => {
    const unread = (osImage: string | undefined) => (scenario: Scenario) => {
      scenario.without('os').object('Node', 'win-1', ({status}) => {
        status.nodeInfo.osImage = osImage;
      });
    };
    expect(results(asked, unread('Windows 10 Pro'))).toMatchObject([
      {outcome: 'fail', evidence: [{section: 'cluster', seen: 'Windows 10 Pro'}]},
    ]);
    expect(results(asked, caption('Windows 10 Pro'))).toMatchObject([{evidence: [{section: 'os'}]}]);
    expect(outcomes(asked, unread(undefined))).toEqual(['unknown']);
  });
});

describe('windows-updates', () => {
  const asked = {plugin: 'antrea', name: 'windows-updates'};
  const installed = (...all: (string | undefined)[]) =>
    ofSection('hotfixes', hotfixes =>
      hotfixes.splice(0, 1, ...all.map((InstalledOn, i) => ({HotFixID: `KB${i}`, InstalledOn}))),
    );

  it('counts from the latest update, whatever their order', () => {
    expect(outcomes(asked, installed('2025-01-01T00:00:00Z', '2026-02-17T00:00:00Z', '2025-06-01T00:00:00Z'))).toEqual([
      'pass',
    ]);
    expect(results(asked, installed('2025-01-01T00:00:00Z', undefined, '2025-06-01T09:59:30Z'))).toMatchObject([
      {
        outcome: 'fail',
        severity: 'warning',
        message: 'The last Windows update was installed 276 days ago.',
        evidence: [{object: 'KB2', seen: '2025-06-01'}],
      },
    ]);
  });

  it('allows ninety days', () => {
    expect(outcomes(asked, installed('2025-12-04T09:59:31Z'))).toEqual(['pass']);
    expect(outcomes(asked, installed('2025-12-04T09:59:30Z'))).toEqual(['fail warning']);
  });

  it('is undetermined if no time is known', () => {
    expect(outcomes(asked, installed(undefined))).toEqual(['unknown']);
    expect(outcomes(asked, installed())).toEqual(['unknown']);
  });
});

describe('containers-feature', () => {
  const asked = {plugin: 'flannel', name: 'containers-feature'};
  const feature = (Name: string, InstallState: string) =>
    ofSection('windowsFeatures', features => {
      features.splice(0, 1, {Name, InstallState});
    });

  it.each([
    ['Containers', 'Enabled', 'pass'],
    ['containers', 'ENABLED', 'pass'],
    ['Containers', 'Disabled', 'fail error'],
    ['Containers', 'Not Enabled', 'fail error'],
    ['Containers', 'Enabled Pending', 'fail error'],
  ])('diagnoses %s, %s as %s', (name, state, outcome) => {
    expect(outcomes(asked, feature(name, state))).toEqual([outcome]);
  });

  it('is proved by HNS where Windows does not list it', () => {
    const unlisted = feature('Containers-Client', 'Disabled');
    expect(outcomes(asked, unlisted)).toEqual(['pass']);
    expect(outcomes(asked, scenario => unlisted(scenario).without('hnsNetworks'))).toEqual(['unknown']);
  });
});

describe('firewall', () => {
  const asked = {plugin: 'flannel', name: 'firewall'};
  const tunnel = {
    Name: 'vxlan',
    Enabled: true,
    Direction: 'Inbound',
    Action: 'Allow',
    Protocol: 'UDP',
    LocalPort: '4789',
  };
  const kubelet = {...tunnel, Name: 'kubelet', Protocol: 'TCP', LocalPort: '10250'};
  const rules = (...all: object[]) =>
    ofSection('firewall', firewall => {
      firewall.Profiles = [
        {Name: 'Domain', Enabled: false},
        {Name: 'Public', Enabled: true},
      ];
      firewall.Rules = all;
    });

  it('accepts a rule for each port', () => {
    expect(outcomes(asked, rules(tunnel, kubelet))).toEqual(['pass']);
  });

  it('names each port that is closed: without the one of kubelet pods still have their network', () => {
    const found = results(asked, rules());
    expect(found.map(({severity, message}) => [severity, message])).toEqual([
      ['error', 'The firewall is on (Public), and no rule allows UDP 4789 for the vxlan tunnel.'],
      ['warning', 'The firewall is on (Public), and no rule allows TCP 10250 for kubelet.'],
    ]);
    expect(found.map(stepsOf)).toEqual([
      "New-NetFirewallRule -Name OverlayTraffic4789UDP -DisplayName 'UDP 4789 for the vxlan tunnel' -Direction Inbound -Action Allow -Protocol UDP -LocalPort 4789",
      "New-NetFirewallRule -Name TCP10250 -DisplayName 'TCP 10250 for kubelet' -Direction Inbound -Action Allow -Protocol TCP -LocalPort 10250",
    ]);
    expect(found[0]?.evidence).toMatchObject([{object: 'UDP 4789', expected: expect.stringContaining('(Public)')}]);
  });

  it.each([
    ['is disabled', {Enabled: false}],
    ['is for what leaves the node', {Direction: 'Outbound'}],
    ['is for another port', {LocalPort: '4788'}],
  ])('does not count a rule that %s', (_, change) => {
    expect(outcomes(asked, rules({...tunnel, ...change}, kubelet))).toEqual(['fail error']);
  });

  it('names a rule that blocks a port, also where another allows it', () => {
    const block = {...tunnel, Name: 'no-vxlan', Action: 'Block'};
    expect(results(asked, rules(tunnel, block, kubelet))).toMatchObject([
      {outcome: 'fail', message: 'A firewall rule blocks UDP 4789, which the vxlan tunnel requires.'},
    ]);
    expect(outcomes(asked, rules(tunnel, {...block, Enabled: false}, kubelet))).toEqual(['pass']);
    expect(outcomes(asked, rules(tunnel, {...block, LocalPort: '80'}, kubelet))).toEqual(['pass']);
  });

  it('only informs where a rule for everything may cover a port', () => {
    const wide = {...tunnel, Name: 'all', Protocol: 'Any', LocalPort: 'Any'};
    expect(results(asked, rules(wide, kubelet))).toMatchObject([
      {
        outcome: 'info',
        message: 'No firewall rule is specific to UDP 4789 for the vxlan tunnel; rule "all" may allow it.',
      },
    ]);
    expect(outcomes(asked, rules({...wide, Action: 'Block'}, kubelet))).not.toContain('info');
  });

  it('asks for the port of BGP where routes are learnt, and for none of a tunnel', () => {
    const found = results({plugin: 'calico', mode: 'bgp', name: 'firewall'}, rules());
    expect(found.map(({message}) => /(?:TCP|UDP) \d+/.exec(message)?.[0])).toEqual(['TCP 179', 'TCP 10250']);
  });

  it('asks for kubelet alone where routes are plain', () => {
    const found = results({plugin: 'flannel', mode: 'host-gw', name: 'firewall'}, rules());
    expect(found.map(({message}) => /(?:TCP|UDP) \d+/.exec(message)?.[0])).toEqual(['TCP 10250']);
  });

  it('keeps no node from being ready where the plugin opens the port itself', () => {
    expect(outcomes({plugin: 'calico', name: 'firewall'}, rules(kubelet))).toEqual(['fail warning']);
  });

  it('passes where the firewall is off, and is undetermined without its profiles', () => {
    const profiles = (...all: object[]) =>
      ofSection('firewall', firewall => {
        firewall.Profiles = all;
      });
    expect(outcomes(asked, profiles({Name: 'Public', Enabled: false}))).toEqual(['pass']);
    expect(outcomes(asked, profiles())).toEqual(['unknown']);
  });
});

describe('container-runtime', () => {
  const asked = {plugin: 'flannel', name: 'container-runtime'};
  const runtime =
    (version: string | undefined, ...services: object[]) =>
    (scenario: Scenario) =>
      scenario
        .object('Node', 'win-1', ({status}) => {
          status.nodeInfo.containerRuntimeVersion = version;
        })
        .node(({sections}) => {
          sections.services = [running('kubelet'), ...services];
        });
  const stopped = (name: string) => ({...running(name), State: 'Stopped'});

  it.each([
    ['containerd://1.5.9', 'pass'],
    ['docker://17.6.0', 'pass'],
    ['docker://19.3.14', 'pass'],
    ['docker://17.3.2', 'fail error'],
    ['docker://unknown', 'pass'],
    ['cri-o://1.0.0', 'pass'],
  ])('diagnoses %s as %s', (version, outcome) => {
    expect(outcomes(asked, runtime(version))).toEqual([outcome]);
  });

  it('finds its service stopped, and names the one that kubelet uses', () => {
    const both = runtime('docker://20.10.9', stopped('containerd'), stopped('docker'));
    expect(results(asked, both)).toMatchObject([
      {outcome: 'fail', message: 'Service docker is stopped: no container can start.', evidence: [{object: 'docker'}]},
    ]);
    expect(steps(asked, both)).toEqual(["Start-Service 'docker'"]);
    expect(steps(asked, runtime(undefined, stopped('Containerd')))).toEqual(["Start-Service 'Containerd'"]);
  });

  it('ignores one that is stopped while another runs', () => {
    expect(outcomes(asked, runtime('containerd://1.7.23', stopped('docker'), running('containerd')))).toEqual(['pass']);
  });

  it('finds that there is none, unless services were not read', () => {
    expect(outcomes(asked, runtime(undefined))).toEqual(['fail error']);
    expect(outcomes(asked, runtime(undefined, running('docker')))).toEqual(['pass']);
    expect(outcomes(asked, runtime(undefined, running('my-docker'), running('dockerd')))).toEqual(['fail error']);
    expect(outcomes(asked, scenario => runtime(undefined)(scenario).without('services'))).toEqual(['unknown']);
  });
});

describe('kubernetes-version', () => {
  const asked = {plugin: 'kube-ovn', name: 'kubernetes-version'};
  const server = (version: string | undefined) => (scenario: Scenario) => {
    if (version === undefined) delete scenario.document.cluster.version;
    else scenario.document.cluster.version = version;
  };

  it.each([
    ['v1.17.0', 'pass'],
    ['v1.29.4', 'pass'],
    ['v1.16.15', 'fail error'],
    [undefined, 'unknown'],
  ])('diagnoses %s as %s', (version, outcome) => {
    expect(outcomes(asked, server(version))).toEqual([outcome]);
  });

  it('upgrades one minor version at a time', () => {
    expect(steps(asked, server('v1.14.3'))).toContain(
      'kubeadm upgrade apply v1.15.0 (one minor version at a time, up to 1.17)',
    );
  });
});

describe('version', () => {
  const version = (tag: string) => (scenario: Scenario) =>
    scenario.object('Deployment', /kube-ovn|ovn-central/, ({spec}) => {
      for (const container of spec.template.spec.containers) container.image = `docker.io/kubeovn/kube-ovn:${tag}`;
    });
  const asked = {plugin: 'kube-ovn', name: 'version'};

  it.each([
    ['v1.9.9', 'fail error'],
    ['v1.10.0', 'pass'],
    ['v1.14.9', 'pass'],
    ['v1.15.0', 'fail error'],
    ['latest', 'unknown'],
  ])('diagnoses Kube-OVN %s as %s', (tag, outcome) => {
    expect(outcomes(asked, version(tag))).toEqual([outcome]);
  });

  it('says whether a version is too old or too new, and which would do', () => {
    const told = (tag: string) => results(asked, version(tag))[0];
    expect(told('v1.9.9')).toMatchObject({
      message: expect.stringMatching(/older than 1\.10\.0/),
      evidence: [{expected: 'at least 1.10.0, below 1.15.0'}],
    });
    expect(told('v1.15.0')?.message).toMatch(/support ended before 1\.15\.0/);
  });
});

describe('linux-nodes', () => {
  const asked = {plugin: 'flannel', name: 'linux-nodes'};

  it('counts the Windows nodes where there are no others', () => {
    const only = (scenario: Scenario) =>
      scenario
        .removeObjects(({metadata}) => metadata.name === 'lx-1')
        .addObject(node('win-2', '10.0.0.22', '10.244.2.0/24', {}));
    expect(results(asked, only)[0]?.message).toMatch(/^All 2 nodes of the cluster run Windows/);
  });

  it('is undetermined if no node was read', () => {
    const none = (scenario: Scenario) => scenario.removeObjects(({kind}) => kind === 'Node');
    expect(outcomes(asked, none)).toEqual(['unknown']);
    expect(outcomes({...asked, name: 'on-linux'}, none)).toEqual(['unknown']);
  });
});

describe('test-signing', () => {
  const driver =
    (ovsext: object, options: object = {TestSigning: false}) =>
    (scenario: Scenario) =>
      scenario.node(({sections}) => {
        sections.drivers = {ovsext: {Inf: [], ...ovsext}};
        Object.assign(sections.bootOptions, options);
      });
  const antrea = {plugin: 'antrea', name: 'test-signing'};
  const kubeOvn = {plugin: 'kube-ovn', name: 'test-signing'};

  it.each([
    ['is signed', {Installed: true, Signed: true}, 'pass', 'pass'],
    ['is test-signed', {Installed: true, Signed: false}, 'fail error', 'fail error'],
    ['was signed by someone', {Installed: true, Signed: null}, 'unknown', 'unknown'],
    ['is still to come', {Installed: false, Signed: null}, 'fail warning', 'fail error'],
  ])('with test signing off: a driver that %s', (_, ovsext, ofAntrea, ofKubeOvn) => {
    expect(outcomes(antrea, driver(ovsext))).toEqual([ofAntrea]);
    expect(outcomes(kubeOvn, driver(ovsext))).toEqual([ofKubeOvn]);
  });

  it('is on, so that any driver is loaded', () => {
    expect(outcomes(kubeOvn, driver({Installed: true, Signed: false}, {TestSigning: true}))).toEqual(['pass']);
  });
});

describe('ovs-services', () => {
  const asked = {plugin: 'kube-ovn', name: 'ovs-services'};
  const services = (change: (services: Raw[]) => void) => ofSection('services', change);
  const of = (all: Raw[], name: string) => all.find(({Name}) => Name === name);

  it('distinguishes a stopped service from one that does not exist', () => {
    const found = results(
      asked,
      services(all => {
        of(all, 'ovsdb-server').State = 'Stopped';
        all.splice(all.indexOf(of(all, 'ovs-vswitchd')), 1);
      }),
    );
    expect(found.map(({message, evidence}) => [message, evidence[0]?.seen])).toEqual([
      ['Service ovs-vswitchd does not exist.', null],
      ['Service ovsdb-server is stopped.', 'Stopped'],
    ]);
    expect(stepsOf(found[1] as Raw)).toBe(
      "Set-Service 'ovsdb-server' -StartupType Automatic; Start-Service 'ovsdb-server'",
    );
    expect(stepsOf(found[0] as Raw)).toMatch(/OpenvSwitch\.msi/);
  });
});

describe('no-stale-bridge', () => {
  const asked = {plugin: 'antrea', name: 'no-stale-bridge'};

  it('is no question where OVS is not installed, and open where it could not be read', () => {
    expect(outcomes(asked, () => undefined)).toEqual(['skipped']);
    const unread = (failure: object | undefined) => (scenario: Scenario) =>
      scenario.node(({errors}) => {
        delete errors.ovs;
        Object.assign(errors, failure && {ovs: failure});
      });
    expect(results(asked, unread({kind: 'Timeout', message: 'no answer'}))).toMatchObject([
      {outcome: 'unknown', message: 'The OVS bridges could not be read: no answer.'},
    ]);
    expect(results(asked, unread({kind: 'Timeout', message: ''}))[0]?.message).toMatch(/read: Timeout\.$/);
    expect(results(asked, unread(undefined))[0]?.message).toBe('The OVS bridges could not be read.');
  });
});

describe('same-subnet', () => {
  const asked = {plugin: 'flannel', mode: 'host-gw', name: 'same-subnet'};
  const with_ =
    (...nodes: Raw[]) =>
    (scenario: Scenario) => {
      for (const each of nodes) scenario.addObject(each);
    };

  it('names the nodes of other subnets, with the route that a router needs', () => {
    const far = with_(node('lx-2', '10.0.1.10', '10.244.2.0/24', undefined));
    expect(results(asked, far)).toMatchObject([
      {
        outcome: 'fail',
        message: expect.stringMatching(/^lx-2 \(10\.0\.1\.10\) is not in 10\.0\.0\.0\/24/),
        evidence: [{object: 'Node lx-2', seen: '10.0.1.10'}],
      },
    ]);
    expect(steps(asked, far)[0]).toBe(
      'Add to the router between them: 10.244.2.0/24 via 10.0.1.10, or move lx-2 to 10.0.0.0/24.',
    );
    const two = with_(
      node('lx-2', '10.0.1.10', '10.244.2.0/24', undefined),
      node('lx-3', '10.0.2.10', '10.244.3.0/24', undefined),
    );
    expect(results(asked, two)[0]?.message).toMatch(/lx-2 .*lx-3 .* are not in/);
  });

  it('ignores a node without an address', () => {
    const blank = node('lx-2', '10.0.1.10', '10.244.2.0/24', undefined);
    blank.status.addresses = [];
    expect(outcomes(asked, with_(blank))).toEqual(['pass']);
  });

  it('is undetermined if the own subnet is not known', () => {
    const unknown = ofSection('netIPAddresses', addresses => {
      delete addresses[0].PrefixLength;
    });
    expect(outcomes(asked, unknown)).toEqual(['unknown']);
  });
});

describe('peer-routes', () => {
  const asked = {plugin: 'win-bridge', name: 'peer-routes'};
  const route = (change: object) =>
    ofSection('netRoutes', routes => {
      Object.assign(
        routes.find(({DestinationPrefix}: Raw) => DestinationPrefix === '10.244.0.0/24'),
        change,
      );
    });

  it('names the route that is missing, and where the one that is there leads', () => {
    const wrong = route({NextHop: '10.0.0.99'});
    expect(results(asked, wrong)).toMatchObject([
      {
        outcome: 'fail',
        message: 'The node has no route to the pods of lx-1 (10.244.0.0/24).',
        evidence: [{object: '10.244.0.0/24', seen: ['10.0.0.99'], expected: '10.0.0.10'}],
      },
    ]);
    expect(steps(asked, wrong)).toEqual([
      "New-NetRoute -DestinationPrefix '10.244.0.0/24' -NextHop '10.0.0.10' -InterfaceAlias 'Ethernet0'",
    ]);
  });

  it('does not count a route that only the next boot will have', () => {
    expect(outcomes(asked, route({Store: 'PersistentStore'}))).toEqual(['fail error']);
  });

  it('requires none to a node behind a router, which knows the way', () => {
    const far = (scenario: Scenario) => scenario.addObject(node('lx-2', '10.9.0.10', '10.244.2.0/24', undefined));
    expect(outcomes(asked, far)).toEqual(['pass']);
  });
});

describe('on-linux', () => {
  const asked = {plugin: 'antrea', name: 'on-linux'};
  const without = (scenario: Scenario) => scenario.removeObjects(({metadata}) => /^antrea/.test(metadata.name));

  it('distinguishes a cluster without a plugin from one with another', () => {
    expect(results(asked, without)).toMatchObject([
      {outcome: 'fail', message: expect.stringMatching(/^Antrea is not installed in the cluster:/)},
    ]);
    const weave = (scenario: Scenario) =>
      without(scenario).addObject(workload('DaemonSet', 'kube-system', 'weave-net', 'weaveworks/weave-kube:2.8.1'));
    expect(results(asked, weave)).toMatchObject([
      {message: expect.stringMatching(/^The Linux nodes run Weave Net/), evidence: [{seen: ['Weave Net']}]},
    ]);
  });

  it('ignores another one beside it, such as a policy engine', () => {
    const beside = (scenario: Scenario) =>
      scenario.addObject(workload('DaemonSet', 'kube-system', 'cilium', 'quay.io/cilium/cilium:v1.15'));
    expect(outcomes(asked, beside)).toEqual(['pass']);
  });
});

describe('no-other-plugin', () => {
  const network = (Name: string, Type = 'Overlay'): Raw => ({
    ID: '2647F077-E3A2-419E-AC35-D5D14343A7B9',
    Name,
    Type,
    Subnets: [],
  });
  const asked = {plugin: 'antrea', name: 'no-other-plugin'};

  it('takes off what the other plugin has on this node, and nothing else', () => {
    const found = steps(asked, scenario =>
      scenario.node(({sections}) => {
        sections.services.push(running('flanneld'), running('spooler'));
        sections.hnsNetworks.push(network('flannel.4096'), network('External', 'L2Bridge'), network('mine'));
        sections.files.push(
          conf('C:\\etc\\cni\\net.d\\10-flannel.conf', {name: 'flannel.4096', type: 'flannel'}),
          conf('C:\\etc\\cni\\net.d\\99-nat.conf', {name: 'nat', type: 'nat'}),
        );
      }),
    );
    expect(found).toEqual([
      "Stop-Service 'flanneld'; sc.exe delete 'flanneld'",
      "Remove-Item -LiteralPath 'C:\\etc\\cni\\net.d\\10-flannel.conf'",
      "Get-HnsNetwork | Where-Object Name -eq 'flannel.4096' | Remove-HnsNetwork",
    ]);
  });

  it('reports that the machine is to be set up again where nothing is left to remove', () => {
    const process = ofSection('processes', processes => processes.push({Name: 'flanneld.exe', ProcessId: 9}));
    expect(results(asked, process)).toMatchObject([
      {message: expect.stringMatching(/^The node has traces of Flannel/)},
    ]);
    expect(steps(asked, process)).toEqual(['Reinstall the machine without that plugin.']);
  });

  it('ignores traces that a plugin has itself', () => {
    expect(outcomes({plugin: 'win-bridge', name: 'no-other-plugin'}, () => undefined)).toEqual(['pass']);
    expect(outcomes({plugin: 'win-overlay', name: 'no-other-plugin'}, () => undefined)).toEqual(['pass']);
  });
});

describe('cni-conf', () => {
  const asked = {plugin: 'antrea', name: 'cni-conf'};
  const files = (...all: [string, string][]) =>
    ofSection('files', list => {
      for (const [name, type] of all) list.push(conf(`C:\\etc\\cni\\net.d\\${name}`, {name: type, type}));
    });

  it('compares with the usual name before the plugin is there, and with the real one afterwards', () => {
    expect(outcomes(asked, files(['00-nat.conf', 'nat']))).toEqual(['fail error']);
    expect(outcomes(asked, files(['20-nat.conf', 'nat']))).toEqual(['pass']);
    expect(outcomes(asked, files(['20-nat.conf', 'nat'], ['30-antrea.conf', 'antrea']))).toEqual(['fail error']);
    expect(outcomes(asked, files(['00-antrea.conf', 'antrea'], ['05-nat.conf', 'nat']))).toEqual(['pass']);
  });

  it('names each file that sorts first, and what it is for', () => {
    const two = files(['00-nat.conf', 'nat'], ['01-l2.conf', 'l2']);
    expect(results(asked, two)[0]?.evidence.map(({object, seen}) => [object, seen])).toEqual([
      ['C:\\etc\\cni\\net.d\\00-nat.conf', 'nat'],
      ['C:\\etc\\cni\\net.d\\01-l2.conf', 'l2'],
    ]);
    expect(steps(asked, two)).toHaveLength(2);
  });
});

describe('kubelet', () => {
  const asked = {plugin: 'flannel', name: 'kubelet'};
  const state = (State: string, Name = 'kubelet') =>
    ofSection('services', services =>
      Object.assign(
        services.find((its: Raw) => its.Name === 'kubelet'),
        {State, Name},
      ),
    );
  const gone = (scenario: Scenario) =>
    scenario.removeObjects(({kind, metadata}) => kind === 'Node' && metadata.name === 'win-1');

  it.each([
    ['Running', 'pass'],
    ['running', 'pass'],
    ['Not Running', 'fail error'],
    ['Running Late', 'fail error'],
  ])('diagnoses a service that is %s as %s', (text, outcome) => {
    expect(outcomes(asked, state(text))).toEqual([outcome]);
  });

  it('knows its service whatever its case, and does not need one', () => {
    expect(steps(asked, state('Stopped', 'Kubelet'))).toEqual(["Start-Service 'Kubelet'"]);
    expect(outcomes(asked, state('Stopped', 'other'))).toEqual(['pass']);
    expect(outcomes(asked, scenario => scenario.without('services'))).toEqual(['pass']);
  });

  it('finds a node that has not joined, and names the version to install', () => {
    expect(results(asked, gone)).toMatchObject([
      {outcome: 'fail', message: 'The cluster has no Node win-1: the node has not joined it.'},
    ]);
    expect(steps(asked, gone)[0]).toMatch(/-KubernetesVersion v1\.29\.4 /);
  });
});

describe('api-server', () => {
  const asked = {plugin: 'flannel', name: 'api-server'};
  const ready = (status: string | undefined) =>
    ofNode(its => {
      its.status.conditions = status === undefined ? [] : [{type: 'Ready', status}];
    });
  const unprobed = (status: string | undefined) => (scenario: Scenario) => ready(status)(scenario).without('probes');

  it.each([
    ['True', 'pass'],
    ['False', 'pass'],
    ['Unknown', 'unknown'],
    [undefined, 'unknown'],
  ])('goes by kubelet where nothing was probed: Ready is %s', (status, outcome) => {
    expect(outcomes(asked, unprobed(status))).toEqual([outcome]);
  });

  it('goes by kubelet where the API server was not among what was probed', () => {
    const none = (status: string) => (scenario: Scenario) =>
      ready(status)(scenario).section('probes', probes => probes.splice(0));
    expect(outcomes(asked, none('True'))).toEqual(['pass']);
    expect(outcomes(asked, none('Unknown'))).toEqual(['unknown']);
  });
});

describe('pod-cidr', () => {
  const asked = {plugin: 'flannel', name: 'pod-cidr'};

  it('is one of IPv4', () => {
    const six = ofNode(({spec}) => {
      spec.podCIDR = 'fd00:1::/64';
      spec.podCIDRs = ['fd00:1::/64'];
    });
    expect(results(asked, six)).toMatchObject([
      {
        outcome: 'fail',
        message: expect.stringContaining('only the IPv6 pod subnet fd00:1::/64'),
        evidence: [{seen: 'fd00:1::/64', expected: 'a part of 10.244.0.0/16'}],
      },
    ]);
    const both = ofNode(({spec}) => {
      spec.podCIDRs = ['fd00:1::/64', '10.244.1.0/24'];
    });
    expect(outcomes(asked, both)).toEqual(['pass']);
  });

  it('does not guess the range of the cluster', () => {
    const unknown = (scenario: Scenario) =>
      scenario
        .removeObjects(({metadata}) => metadata.name === 'kubeadm-config')
        .object('Node', 'win-1', ({spec}) => {
          delete spec.podCIDR;
          delete spec.podCIDRs;
        });
    expect(results(asked, unknown)).toMatchObject([
      {message: expect.stringContaining('has no pod subnet'), evidence: [{seen: null}]},
    ]);
    expect(steps(asked, unknown)[0]).toContain('--cluster-cidr=CLUSTER-CIDR');
  });
});

describe('ipv4', () => {
  const asked = {plugin: 'flannel', name: 'ipv4'};
  const addresses =
    (...all: {ip: string; prefix?: number}[]) =>
    (scenario: Scenario) =>
      scenario
        .object('Node', 'win-1', ({status}) => {
          status.addresses = [{type: 'InternalIP', address: 'fd00::21'}];
        })
        .node(({sections}) => {
          sections.netIPAddresses = all.map(({ip, prefix = 24}) => ({
            InterfaceAlias: 'Ethernet0',
            IPAddress: ip,
            PrefixLength: prefix,
          }));
        });

  it('is set to the first that other machines can reach', () => {
    const many = addresses(
      {ip: 'fd00::21', prefix: 64},
      {ip: '127.0.0.1', prefix: 8},
      {ip: '169.254.3.4', prefix: 16},
      {ip: '10.9.9.9', prefix: 32},
      {ip: '10.0.0.21'},
      {ip: '10.0.0.22'},
    );
    expect(steps(asked, many)[0]).toContain('--node-ip=10.0.0.21 ');
    expect(results(asked, many)[0]?.evidence).toMatchObject([{seen: ['InternalIP fd00::21']}]);
  });

  it('is left to the administrator where the node has none', () => {
    expect(steps(asked, addresses())[0]).toContain('--node-ip=ADDRESS ');
  });
});

describe('node-name', () => {
  const asked = {plugin: 'kube-ovn', name: 'node-name'};
  const host = (CSName: string | undefined) =>
    ofSection('os', os => {
      os.CSName = CSName;
    });

  it('may be written in another case, and is open where Windows does not say', () => {
    expect(outcomes(asked, host('Win-1'))).toEqual(['pass']);
    expect(outcomes(asked, host('WIN-2'))).toEqual(['fail warning']);
    expect(outcomes(asked, host(undefined))).toEqual(['unknown']);
  });
});

describe('uplink', () => {
  const asked = {plugin: 'antrea', name: 'uplink'};
  const virtual =
    (Name: string, MacAddress = '00-50-56-A7-10-2B') =>
    (scenario: Scenario) =>
      scenario.node(({sections}) => {
        sections.netAdapters.push({
          Name,
          InterfaceIndex: 16,
          Status: 'Up',
          MacAddress,
          Virtual: true,
          ComponentID: 'vms_mp',
        });
        Object.assign(sections.netIPAddresses[0], {InterfaceAlias: Name, InterfaceIndex: 16});
      });

  it('is the own one where the plugin has it already', () => {
    expect(outcomes(asked, virtual('br-int'))).toEqual(['pass']);
    expect(outcomes(asked, virtual('br-other'))).toEqual(['fail error']);
  });

  it('names the network that has the NIC, and no other', () => {
    const owned = (scenario: Scenario) =>
      virtual('vEthernet (Ethernet0)')(scenario).section('hnsNetworks', networks => {
        networks.push(
          {ID: '1', Name: 'External', Type: 'L2Bridge', NetworkAdapterName: 'Ethernet0', Subnets: []},
          {ID: '2', Name: 'nat', Type: 'NAT', Subnets: []},
        );
      });
    expect(results(asked, owned)[0]?.message).toMatch(
      /^The address 10\.0\.0\.21 is on vEthernet \(Ethernet0\), so another switch uses the NIC Ethernet0 \(HNS network External\)/,
    );
    expect(steps(asked, owned)).toEqual(["Get-HnsNetwork | Where-Object Name -eq 'External' | Remove-HnsNetwork"]);
  });

  it('removes the switch where no network has the NIC', () => {
    expect(steps(asked, virtual('vEthernet (Ethernet0)'))).toEqual([
      'Get-VMSwitch -SwitchType External | Remove-VMSwitch -Force',
    ]);
    const strange = virtual('br-other', '00-00-00-00-00-01');
    expect(results(asked, strange)[0]?.message).toMatch(/uses the NIC, which Antrea requires\.$/);
  });

  it('is open where no adapter holds the address', () => {
    expect(outcomes(asked, scenario => scenario.section('netIPAddresses', all => all.splice(0)))).toEqual(['unknown']);
    const lost = ofSection('netIPAddresses', all =>
      Object.assign(all[0], {InterfaceAlias: 'Ethernet7', InterfaceIndex: 7}),
    );
    expect(outcomes(asked, lost)).toEqual(['unknown']);
  });
});

describe('no-kube-proxy', () => {
  const asked = {plugin: 'kube-ovn', name: 'no-kube-proxy'};
  const daemonSet =
    (name: string, pods = true) =>
    (scenario: Scenario) => {
      scenario.addObject(workload('DaemonSet', 'kube-proxies', name, 'kube-proxy:v1.29.4', {nodeSelector: {}}));
      if (pods)
        scenario.addObject({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {
            namespace: 'kube-proxies',
            name: `${name}-x`,
            labels: {'k8s-app': 'kube-proxy'},
            ownerReferences: [{kind: 'DaemonSet', name}],
          },
          spec: {nodeName: 'win-1', containers: [{name: 'kube-proxy', image: 'kube-proxy:v1.29.4'}]},
          status: {phase: 'Running', containerStatuses: [{name: 'kube-proxy', ready: true}]},
        });
    };
  const lists = 'Get-HnsPolicyList | Remove-HnsPolicyList';

  it('stops the service that runs it', () => {
    expect(
      steps(
        asked,
        ofSection('services', services => services.push(running('kube-proxy'))),
      ),
    ).toEqual(["Stop-Service 'kube-proxy'; Set-Service 'kube-proxy' -StartupType Disabled", lists]);
  });

  it('deletes a DaemonSet for Windows, and keeps one for all nodes on Linux', () => {
    expect(steps(asked, daemonSet('kube-proxy-windows'))).toEqual([
      'kubectl -n kube-proxies delete daemonset kube-proxy-windows',
      lists,
    ]);
    expect(steps(asked, daemonSet('kube-proxy-all'))[0]).toMatch(
      /^kubectl -n kube-proxies patch daemonset kube-proxy-all .*"kubernetes\.io\/os":"linux"/,
    );
  });

  it('ends the process where nothing else is known of it', () => {
    const process = ofSection('processes', processes => processes.push({Name: 'kube-proxy.exe', ProcessId: 1400}));
    expect(steps(asked, process)).toEqual(['Stop-Process -Name kube-proxy', lists]);
  });

  it('is no question where the agent is configured to leave Services to it', () => {
    const off = (scenario: Scenario) =>
      scenario
        .addObject({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {namespace: 'kube-system', name: 'antrea-windows-config'},
          data: {'antrea-agent.conf': 'antreaProxy:\n  enable: true\n  proxyAll: false\n'},
        })
        .addObject(
          workload('DaemonSet', 'kube-system', 'antrea-agent-windows', 'antrea/antrea-windows:v2.2.0', {
            nodeSelector: {'kubernetes.io/os': 'windows'},
          }),
        )
        .section('services', services => services.push(running('kube-proxy')));
    expect(outcomes({plugin: 'antrea', name: 'no-kube-proxy'}, off)).toEqual(['skipped']);
  });
});

describe('linux-selectors', () => {
  const asked = {plugin: 'flannel', name: 'linux-selectors'};
  const set = (name: string, pod: Raw) => (scenario: Scenario) =>
    scenario.addObject(workload('DaemonSet', 'monitoring', name, 'registry.k8s.io/kube-proxy:v1', pod));

  it('decides only for those of the plugin itself', () => {
    const own = (scenario: Scenario) =>
      scenario.object('DaemonSet', 'kube-flannel-ds', ({spec}) => {
        spec.template.spec.nodeSelector = {};
      });
    expect(outcomes(asked, own)).toEqual(['fail error']);
    expect(steps(asked, own)[0]).toMatch(/^kubectl -n kube-flannel patch daemonset kube-flannel-ds /);
    const other = (scenario: Scenario) =>
      scenario.object('DaemonSet', 'kube-proxy', ({spec}) => {
        spec.template.spec.nodeSelector = {};
      });
    expect(outcomes(asked, other)).toEqual(['fail warning']);
  });

  it('leaves alone what selects a system, and HostProcess pods', () => {
    expect(outcomes(asked, set('a', {nodeSelector: {'kubernetes.io/os': 'windows'}}))).toEqual(['pass']);
    const hostProcess = {nodeSelector: {}, securityContext: {windowsOptions: {hostProcess: true}}};
    expect(outcomes(asked, set('kube-proxy', hostProcess))).toEqual(['pass']);
  });
});

describe('mac-spoofing', () => {
  const asked = {plugin: 'flannel', mode: 'host-gw', name: 'mac-spoofing'};
  const nic = (InterfaceDescription: string | undefined) =>
    ofSection('netAdapters', adapters => {
      adapters[0].InterfaceDescription = InterfaceDescription;
    });

  it.each([
    ['Intel(R) Ethernet Controller X710', 'pass', ''],
    ['Microsoft Hyper-V Network Adapter #2', 'unknown', 'Set-VMNetworkAdapter'],
    ['vmxnet3 Ethernet Adapter', 'unknown', 'forged transmits'],
    ['Red Hat VirtIO Ethernet Adapter', 'unknown', 'forged transmits'],
  ])('diagnoses %s as %s', (description, outcome, fix) => {
    expect(outcomes(asked, nic(description))).toEqual([outcome]);
    expect(steps(asked, nic(description)).join()).toContain(fix);
  });

  it('is open where the NIC does not describe itself', () => {
    expect(results(asked, nic(undefined))).toMatchObject([
      {outcome: 'unknown', message: 'The NIC of the node address could not be determined.'},
    ]);
  });
});
