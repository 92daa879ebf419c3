import {describe, expect, it} from 'vitest';
import {WinError} from '../../src/lib/errors.js';
import {reportedNode} from '../../src/sim/helper/collect.js';
import {listScenarios, loadScenario, parseScenario} from '../../src/sim/scenarios.js';
import {snapshotDocument} from '../../src/snapshot/document.js';
import {sectionNames} from '../../src/snapshot/section-names.js';
import {cluster} from './support.js';

const names = listScenarios().map(({name}) => name);

describe('scenarios', () => {
  it('are the documented ones, each described in one line', () => {
    expect(names).toEqual([
      'antrea-healthy',
      'antrea-reboot',
      'antrea-ovs-in-pod',
      'antrea-service',
      'antrea-service-reboot',
      'flannel-overlay',
      'flannel-reboot',
      'flannel-service',
      'flannel-service-damaged',
      'flannel-hostgw',
      'flannel-hostgw-reboot',
      'calico',
      'calico-reboot',
      'azure',
      'azure-reboot',
      'hybrid-overlay',
      'hybrid-overlay-reboot',
      'older-ovn',
      'older-ovn-reboot',
      'win-bridge',
      'win-bridge-reboot',
      'kube-ovn',
      'kube-ovn-reboot',
      'kube-ovn-fleet',
      'fleet',
    ]);
    for (const {description, text} of listScenarios()) {
      expect(description).toMatch(/^[A-Z][^\n]{20,110}$/);
      expect(text.split('\n').length).toBeLessThan(60);
    }
  });

  it('that do not exist are answered with a list of those that do', () => {
    const next = [expect.stringContaining('antrea-reboot')];
    expect(() => loadScenario('antrea-rebot')).toThrow(WinError);
    expect(() => loadScenario('antrea-rebot')).toThrow(expect.objectContaining({next}));
  });

  it('with a mistake are rejected with its location', () => {
    const text =
      'description: x\nkubernetes: v1.30.1\npodNetwork: 10.0.0.0/8\nplugins: {antrea: {}}\nnodes: [{name: a}]\n';
    expect(() => parseScenario('mine', text)).toThrow(/mine is not valid: .*address/s);
  });

  it.each(names)('%s gives every Windows node exactly the sections of a snapshot', async name => {
    await using lab = await cluster(name);
    const windows = [...lab.simulation.nodes.values()].filter(({os}) => os === 'windows');
    expect(windows.length).toBeGreaterThan(1);
    for (const node of windows) {
      const dump = reportedNode(node.state);
      const {sections, errors} = dump;
      const given = [...Object.keys(sections), ...Object.keys(errors)];
      expect(given.sort(), node.name).toEqual([...sectionNames].sort());
      const document = {apiVersion: 'kubectl-win/v1', kind: 'Snapshot', nodes: {[node.name]: dump}};
      expect(snapshotDocument.safeParse(document).success).toBe(true);
    }
  });

  it('are the same for the same seed, and differ for another', async () => {
    await using one = await cluster('kube-ovn', {seed: 'a'});
    await using two = await cluster('kube-ovn', {seed: 'a'});
    await using other = await cluster('kube-ovn', {seed: 'b'});
    const ids = ({simulation}: typeof one) =>
      JSON.stringify(simulation.nodes.get('kovn-win-1')?.state.sections.hnsNetworks).match(/"ID":"[^"]+"/g);
    expect(ids(one)).toEqual(ids(two));
    expect(ids(one)).not.toEqual(ids(other));
  });

  it('with a thousand nodes start and list quickly', async () => {
    const scenario = loadScenario('fleet', {size: 1000});
    await using lab = await cluster(scenario);
    const windows = await lab.get('/api/v1/nodes?labelSelector=kubernetes.io/os%3Dwindows');
    expect(windows.body.items).toHaveLength(1000);
    const addresses = windows.body.items.map(
      (node: {status: {addresses: {address: string}[]}}) => node.status.addresses[0]?.address,
    );
    expect(new Set(addresses).size).toBe(1000);
    const agents = await lab.get('/api/v1/pods?labelSelector=component%3Dantrea-agent&limit=100');
    expect(agents.body.items).toHaveLength(100);
    const {status} = (await lab.get('/apis/apps/v1/namespaces/kube-system/daemonsets/antrea-agent-windows')).body;
    const all = await lab.get('/api/v1/pods?labelSelector=app%3Dantrea,component%3Dantrea-agent');
    expect(all.body.items).toHaveLength(status.desiredNumberScheduled + 1);
  });

  it('of an impossible size are rejected', () => {
    expect(() => loadScenario('fleet', {size: 3})).toThrow(/cannot have 3/);
    expect(() => loadScenario('kube-ovn', {size: 9})).toThrow(/cannot have 9/);
  });
});
