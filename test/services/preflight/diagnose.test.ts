import {describe, expect, it, test} from 'vitest';
import {checkFault} from '../../../src/diagnose/engine.js';
import {diagnoseReadiness} from '../../../src/services/preflight/diagnose-readiness.js';
import {requireMode} from '../../../src/services/preflight/installable.js';
import {preflightExitCode} from '../../../src/services/preflight/preflight-report.js';
import {snapshotDocument} from '../../../src/snapshot/document.js';
import {sectionNames} from '../../../src/snapshot/section-names.js';
import {readSnapshot} from '../../../src/snapshot/snapshot.js';
import {caseNames, type Scenario, scenario} from '../../checks/support.js';
import fc from '../../seeded.js';
import {conf} from './build.js';
import {readyFor} from './ready.js';
import {complaints, now, ofSection, pluginNamed, preflight, prerequisites, resultsOf, stepsOf} from './support.js';

const plugins = ['antrea', 'kube-ovn', 'flannel', 'calico', 'win-bridge', 'wincni'];

describe('readiness', () => {
  it('exits with 0 if every node is ready, although a recommendation is not met', () => {
    const report = preflight(
      readyFor('kube-ovn').object('Node', 'win-1', node => {
        node.status.nodeInfo.containerRuntimeVersion = 'containerd://1.7.23';
      }),
      'kube-ovn',
    );
    expect(resultsOf(report, 'container-runtime')[0]).toMatchObject({outcome: 'fail', severity: 'warning'});
    expect(report.summary).toEqual({nodes: 1, ready: 1, notReady: 0, undecided: 0, uninspected: 0});
    expect(preflightExitCode(report)).toBe(0);
  });

  it('exits with 1 if a node lacks a requirement of the plugin', () => {
    const report = preflight(
      readyFor('kube-ovn').section('bootOptions', its => Object.assign(its, {TestSigning: false})),
      'kube-ovn',
    );
    expect(report.nodes[0]?.ready).toBe('no');
    expect(preflightExitCode(report)).toBe(1);
  });

  it('makes no node ready for a cluster that is not ready', () => {
    const report = preflight(
      readyFor('calico').object('IPAMConfig', 'default', its => {
        its.spec.strictAffinity = false;
      }),
      'calico',
    );
    expect(report.cluster.ready).toBe('no');
    expect(report.nodes[0]).toMatchObject({ready: 'no'});
    expect(report.nodes[0]?.results.some(({outcome}) => outcome === 'fail')).toBe(false);
  });

  it('is not reported if a deciding value could not be read, and exits with 4', () => {
    const report = preflight(readyFor('kube-ovn').without('windowsFeatures'), 'kube-ovn');
    expect(report.nodes[0]?.ready).toBe('unknown');
    expect(resultsOf(report, 'hyper-v')[0]).toMatchObject({
      outcome: 'unknown',
      message: 'Undetermined: windowsFeatures: no answer.',
    });
    expect(preflightExitCode(report)).toBe(4);
  });

  it('is not reported if Windows does not say whether an adapter forwards', () => {
    const silent = ofSection('netIPInterfaces', interfaces => {
      delete interfaces.at(-1).Forwarding;
    });
    const report = preflight(silent(readyFor('win-bridge')), 'win-bridge');
    expect(resultsOf(report, 'forwarding')[0]).toMatchObject({
      outcome: 'unknown',
      message: 'Windows does not report the forwarding state of vEthernet (cbr0).',
    });
    expect(report.nodes[0]?.ready).toBe('unknown');
  });

  it('is not reported if the cluster was not read at all', () => {
    const {cluster: _, ...document} = readyFor('flannel').document;
    const report = diagnoseReadiness({
      snapshot: readSnapshot(snapshotDocument.parse(document)),
      names: ['win-1'],
      failures: new Map(),
      plugin: pluginNamed('flannel'),
      now,
    });
    expect(new Set(report.cluster.results.map(({outcome}) => outcome))).toEqual(new Set(['unknown']));
    expect(report.summary).toMatchObject({ready: 0, undecided: 1});
  });

  it('exits with 4 if a node was not inspected, and still reports what its Node object shows', () => {
    const document = readyFor('antrea').document;
    const report = diagnoseReadiness({
      snapshot: readSnapshot(snapshotDocument.parse({...document, nodes: {}})),
      names: ['win-1'],
      failures: new Map([['win-1', 'win-1 runs Docker, which has no HostProcess containers.']]),
      plugin: pluginNamed('antrea'),
      now,
    });
    expect(resultsOf(report, 'windows-version')[0]?.outcome).toBe('pass');
    expect(resultsOf(report, 'hyper-v')[0]?.outcome).toBe('unknown');
    expect(preflightExitCode(report)).toBe(4);
  });

  it.each(sectionNames)('never passes what needs section %s if that could not be read', section => {
    const needy = new Set(
      prerequisites.filter(({needs}) => (needs as string[]).includes(section)).map(({id}) => id as string),
    );
    const passed = (changed: Scenario, plugin: string) =>
      preflight(changed, plugin)
        .nodes.flatMap(({results}) => results)
        .flatMap(({id, outcome}) => (needy.has(id) && outcome === 'pass' ? [id] : []));
    const withSection = plugins.flatMap(plugin => passed(readyFor(plugin), plugin));
    expect(withSection.length > 0).toBe(needy.size > 0);
    expect(plugins.flatMap(plugin => passed(readyFor(plugin).without(section), plugin))).toEqual([]);
  });
});

describe('modes', () => {
  it("uses the mode of the cluster's settings", () => {
    expect(preflight(readyFor('flannel', 'host-gw'), 'flannel').plugin.mode).toBe('host-gw');
    expect(preflight(readyFor('flannel'), 'flannel').plugin.mode).toBe('overlay');
    expect(preflight(readyFor('calico', 'bgp'), 'calico').plugin.mode).toBe('bgp');
    expect(preflight(readyFor('calico'), 'calico').plugin.mode).toBe('vxlan');
  });

  it('requires OVS services if requested, and only mentions them by default', () => {
    expect(resultsOf(preflight(readyFor('antrea'), 'antrea'), 'ovs-services')[0]?.outcome).toBe('info');
    expect(resultsOf(preflight(readyFor('antrea'), 'antrea', 'container'), 'ovs-services')[0]?.outcome).toBe('skipped');
    expect(resultsOf(preflight(readyFor('antrea'), 'antrea', 'service'), 'ovs-services')[0]?.outcome).toBe('fail');
  });

  it('rejects an unknown plugin and an unknown mode, with the known ones', () => {
    expect(() => pluginNamed('kubeovn')).toThrow('unknown network plugin "kubeovn"');
    expect(() => pluginNamed(undefined)).toThrow('network plugin required');
    expect(catching(() => pluginNamed('cilium')).next).toEqual([
      'Plugins: antrea, kube-ovn, flannel, calico, azure, ovn-kubernetes, win-bridge, win-overlay, wincni.',
    ]);
    expect(catching(() => pluginNamed('kubeovn')).next[0]).toBe('Did you mean "kube-ovn"?');
    expect(catching(() => requireMode(pluginNamed('flannel'), 'vxlan')).next).toEqual(['Modes: overlay, host-gw.']);
    expect(() => requireMode(pluginNamed('kube-ovn'), 'overlay')).toThrow('it has no modes');
  });
});

function catching(work: () => unknown): {next: readonly string[]} {
  try {
    work();
  } catch (error) {
    return error as {next: readonly string[]};
  }
  throw new Error('nothing was thrown');
}

describe.each([
  ['01-antrea-healthy', 'antrea'],
  ['04-kube-ovn-healthy', 'kube-ovn'],
  ['06-flannel-overlay-healthy', 'flannel'],
  ['08-flannel-host-gw-after-reboot', 'flannel'],
  ['09-calico-vxlan-healthy', 'calico'],
])('%s', (name, plugin) => {
  it(`is ready for ${plugin}, which already runs there`, () => {
    const report = preflight(scenario(name), plugin);
    expect(report.summary.ready, complaints(report).join('\n')).toBe(report.summary.nodes);
  });
});

test('a node with another plugin gets what to remove first', () => {
  const report = preflight(scenario('13-win-bridge-outbound-nat'), 'antrea');
  expect(resultsOf(report, 'no-other-plugin').map(stepsOf)[0]).toBe(
    [
      "Remove-Item -LiteralPath 'C:\\etc\\cni\\net.d\\10-l2bridge.conf'",
      "Get-HnsNetwork | Where-Object Name -eq 'l2bridge' | Remove-HnsNetwork",
    ].join('\n'),
  );
});

test.each(caseNames)('%s is diagnosed for every plugin without an exception', name => {
  for (const plugin of plugins) {
    for (const mode of [undefined, ...pluginNamed(plugin).preflight.modes]) {
      const report = preflight(scenario(name), plugin, mode);
      expect(complaints(report).filter(text => text.includes(checkFault))).toEqual([]);
    }
  }
});

test('names of adapters and files stay one word in commands', () => {
  const hostile = "C:\\etc\\cni\\net.d\\00'; Stop-Computer #.conf";
  const report = preflight(
    ofSection('files', files => files.push(conf(hostile, {name: 'x', type: 'nat'})))(readyFor('win-bridge')),
    'win-bridge',
  );
  expect(resultsOf(report, 'cni-conf').map(stepsOf)[0]).toContain("net.d\\00''; Stop-Computer #.conf'");
});

test('any section or object gives an answer without an exception', () => {
  const junk = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.array(fc.dictionary(fc.string(), fc.anything())),
  );
  fc.assert(
    fc.property(fc.constantFrom(...plugins), fc.constantFrom(...sectionNames), junk, (plugin, section, data) => {
      const broken: Scenario = readyFor(plugin).node(({sections, errors}) => {
        sections[section] = data;
        delete errors[section];
      });
      const report = preflight(broken, plugin);
      expect(report.nodes).toHaveLength(1);
      expect(complaints(report).filter(text => text.includes(checkFault))).toEqual([]);
    }),
    {numRuns: 150},
  );
});
