import {describe, expect, it, test} from 'vitest';
import {allPrerequisites, installablePlugins} from '../../../src/services/preflight/installable.js';
import {antreaCases} from './cases/antrea.js';
import {azureCases} from './cases/azure.js';
import {bridgeCases} from './cases/bridge.js';
import {bgpCases, calicoCases} from './cases/calico.js';
import {flannelCases, hostGatewayCases} from './cases/flannel.js';
import {kubeOvnCases} from './cases/kube-ovn.js';
import {ovnKubernetesCases} from './cases/ovn-kubernetes.js';
import {sharedCases} from './cases/shared.js';
import {winOverlayCases} from './cases/win-overlay.js';
import {readyFor} from './ready.js';
import {type Case, complaints, pluginNamed, preflight, prerequisites, resultsOf, stepsOf} from './support.js';

const cases: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  antrea: antreaCases,
  'kube-ovn': kubeOvnCases,
  flannel: flannelCases,
  calico: calicoCases,
  'win-bridge': bridgeCases('win-bridge'),
  wincni: bridgeCases('wincni'),
  'win-overlay': winOverlayCases,
  azure: azureCases,
  'ovn-kubernetes': ovnKubernetesCases,
};

/** Permanent limits: reported as information on every node. */
const limits: Readonly<Record<string, RegExp>> = {
  'preflight/kube-ovn/services': /cannot reach Services/,
  'preflight/flannel/node-services': /the node itself and HostProcess pods cannot/,
  'preflight/win-bridge/node-services': /the node itself and HostProcess pods cannot/,
  'preflight/wincni/node-services': /the node itself and HostProcess pods cannot/,
  'preflight/azure/node-services': /the node itself and HostProcess pods cannot/,
};

const caseOf = (plugin: string, name: string) => cases[plugin]?.[name] ?? sharedCases[name];

const named = prerequisites
  .filter(({id}) => !(id in limits))
  .map(({id}) => {
    const [, plugin = '', name = ''] = id.split('/');
    return {id, plugin, name, how: caseOf(plugin, name)};
  });

const inOtherModes = [
  ...Object.entries(hostGatewayCases).map(([name, how]) => ({plugin: 'flannel', name, how})),
  ...Object.entries(bgpCases).map(([name, how]) => ({plugin: 'calico', name, how})),
].map(each => ({...each, id: `preflight/${each.plugin}/${each.name} (${each.how.mode})`}));

test('every prerequisite is tested both met and unmet', () => {
  expect(named.filter(({how}) => how === undefined).map(({id}) => id)).toEqual([]);
});

describe.each([...named, ...inOtherModes])('$id', ({plugin, name, how}) => {
  if (!how) return;
  const {mode, met = s => s, unmet, fix, unseen} = how;

  if (!unseen || name !== 'bridge-nf') {
    it('is met on a prepared node', () => {
      const results = resultsOf(preflight(met(readyFor(plugin, mode)), plugin, mode), name);
      expect(results.map(({outcome, message}) => [outcome, outcome === 'pass' ? '' : message])).toEqual([['pass', '']]);
    });
  }

  it('is reported if unmet, with what repairs it', () => {
    const results = resultsOf(preflight(unmet(readyFor(plugin, mode)), plugin, mode), name);
    const told = results.filter(({outcome}) => outcome === (unseen ? 'unknown' : 'fail'));
    expect(told.length, JSON.stringify(results)).toBeGreaterThan(0);
    const steps = told.map(stepsOf).join('\n');
    if (typeof fix === 'string') expect(steps).toContain(fix);
    else expect(steps).toMatch(fix);
  });

  it('keeps a node from being ready only if the plugin requires it', () => {
    const report = preflight(unmet(readyFor(plugin, mode)), plugin, mode);
    const decides = resultsOf(report, name).some(({outcome, severity}) => outcome === 'fail' && severity === 'error');
    expect(report.summary.ready, complaints(report).join('\n')).toBe(decides ? 0 : 1);
  });
});

test.each(Object.entries(limits))('%s is reported', (id, told) => {
  const [, plugin = '', name = ''] = id.split('/');
  const mode = plugin === 'flannel' ? 'host-gw' : undefined;
  const results = resultsOf(preflight(readyFor(plugin, mode), plugin, mode), name);
  expect(results).toMatchObject([{outcome: 'info', message: expect.stringMatching(told)}]);
});

describe.each(Object.keys(cases))('%s', plugin => {
  it.each([undefined, ...pluginNamed(plugin).preflight.modes])(
    'is ready in mode %s if everything is prepared',
    mode => {
      const report = preflight(readyFor(plugin, mode), plugin, mode);
      expect(complaints(report).filter(text => !/bridge-nf|agent-conf/.test(text))).toEqual([]);
      expect(report.summary).toMatchObject({nodes: 1, ready: 1});
    },
  );
});

test('each prerequisite explains its meaning, how to see it and how to repair it, and names its source', async () => {
  for (const {id, title, explain} of allPrerequisites(await installablePlugins())) {
    expect(title?.length, id).toBeGreaterThan(3);
    expect(explain.meaning.length, id).toBeGreaterThan(20);
    expect(explain.why.length, id).toBeGreaterThan(10);
    expect(explain.see.length, id).toBeGreaterThan(0);
    expect(explain.fix.length, id).toBeGreaterThan(0);
    expect(explain.sources[0], id).toMatch(/^https:\/\//);
  }
});
