import {describe, expect, it} from 'vitest';
import type {AdapterRule} from '../../../src/services/tunnel/choose-adapter.js';
import {type Decision, decide, decideRemoval} from '../../../src/services/tunnel/decide-annotation.js';
import {healthy, type Scenario} from '../../checks/support.js';
import {adapter, annotated, kubeOvn, routed, subject, uninstalled} from './support.js';

function decided(
  scenario: Scenario,
  adapterName: string,
  {overwrite = true, failure}: {overwrite?: boolean; failure?: string} = {},
) {
  const rule: AdapterRule = {by: 'name', adapter: adapterName};
  const [decision] = decide([{subject: subject(scenario), rule, failure}], {overwrite});
  return decision as Decision;
}

const warnings = (scenario: Scenario, adapterName: string) => decided(scenario, adapterName).warnings.join('\n');

describe('an existing annotation', () => {
  it('stays if it is the same', () => {
    expect(decided(kubeOvn(), 'Ethernet1', {overwrite: false})).toMatchObject({action: 'keep', after: 'Ethernet1'});
  });

  it('is not replaced without --overwrite', () => {
    const decision = decided(routed(kubeOvn()), 'Ethernet0', {overwrite: false});
    expect(decision).toMatchObject({action: 'refuse', before: 'Ethernet1', after: undefined});
    expect(decision.reason).toMatch(/already set to Ethernet1.*--overwrite/);
    expect(decided(routed(kubeOvn()), 'Ethernet0')).toMatchObject({action: 'write', after: 'Ethernet0'});
  });

  it('counts as missing if it is empty', () => {
    expect(decided(annotated(kubeOvn(), ''), 'Ethernet1', {overwrite: false})).toMatchObject({
      action: 'write',
      before: undefined,
    });
  });

  it('is removed if it exists', () => {
    expect(decideRemoval('kovn-win-1', subject(kubeOvn()).object)).toMatchObject({
      action: 'write',
      before: 'Ethernet1',
      after: undefined,
    });
    expect(decideRemoval('kovn-win-1', subject(annotated(kubeOvn(), undefined)).object)).toMatchObject({
      action: 'keep',
    });
  });
});

describe('a node with incomplete data', () => {
  it('is not decided if it could not be inspected', () => {
    expect(decided(kubeOvn(), 'Ethernet1', {failure: 'no helper could start.'})).toMatchObject({
      action: 'uninspected',
      reason: 'no helper could start.',
    });
  });

  it('is not decided if adapters, addresses or routes could not be read', () => {
    for (const section of ['netAdapters', 'netIPAddresses', 'netRoutes']) {
      const decision = decided(kubeOvn().without(section), 'Ethernet1');
      expect(decision).toMatchObject({action: 'uninspected'});
      expect(decision.reason).toContain(section);
    }
  });

  it('gets a warning if HNS does not answer', () => {
    expect(warnings(kubeOvn().without('hnsNetworks'), 'Ethernet0')).toMatch(/Could not determine whether HNS network/);
  });
});

describe('the route to the other nodes', () => {
  it('rejects an adapter from which no other node is reachable', () => {
    expect(decided(kubeOvn(), 'Ethernet0')).toMatchObject({action: 'refuse'});
    expect(decided(kubeOvn(), 'Ethernet0').reason).toMatch(/Ethernet0 has no route to .*192\.168\.96\./);
  });

  it('accepts one with a route to them', () => {
    expect(decided(routed(kubeOvn()), 'Ethernet0')).toMatchObject({action: 'write'});
  });

  it('warns if only some are reachable', () => {
    const scenario = routed(kubeOvn()).addObject({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {name: 'far-away', annotations: {'ovn.kubernetes.io/chassis': 'c0ffee'}},
      status: {addresses: [{type: 'InternalIP', address: '10.99.0.7'}]},
    });
    expect(decided(scenario, 'Ethernet0')).toMatchObject({action: 'write'});
    expect(warnings(scenario, 'Ethernet0')).toMatch(/Ethernet0 has no route to far-away \(10\.99\.0\.7\)/);
    expect(warnings(scenario, 'Ethernet1')).not.toMatch(/No route/);
  });

  it('prefers the tunnel address of a node over its node address', () => {
    const scenario = routed(kubeOvn(), '172.31.0.0/16').section('ovs', ovs => {
      const {headings, data} = ovs.Tables.Interface;
      const options = headings.indexOf('options');
      for (const row of data) {
        for (const pair of row[options]?.[1] ?? []) if (pair[0] === 'remote_ip') pair[1] = '172.31.0.9';
      }
    });
    expect(decided(scenario, 'Ethernet0')).toMatchObject({action: 'write'});
  });
});

describe('the MTU', () => {
  it('rejects an adapter with a smaller MTU than the current tunnels', () => {
    const scenario = routed(kubeOvn()).section('netIPInterfaces', rows => {
      for (const row of rows) if (row.InterfaceAlias === 'Ethernet0') row.NlMtu = 1400;
    });
    expect(decided(scenario, 'Ethernet0').reason).toMatch(/its MTU is 1400, .* up to 1500 bytes/);
  });

  it('warns of a larger one', () => {
    const scenario = routed(kubeOvn()).section('netIPInterfaces', rows => {
      for (const row of rows) if (row.InterfaceAlias === 'Ethernet0') row.NlMtu = 9000;
    });
    expect(warnings(scenario, 'Ethernet0')).toMatch(
      /MTU of Ethernet0 is 9000, but tunnels on other nodes support only 1500/,
    );
  });
});

describe('the warning', () => {
  it('is absent if the network is on the adapter and tunnels use its address', () => {
    expect(warnings(kubeOvn(), 'Ethernet1')).toBe('');
  });

  it('reports that an existing network stays where it is', () => {
    expect(warnings(routed(kubeOvn()), 'Ethernet0')).toMatch(
      /HNS network kube-ovn already exists on Ethernet1: .* address of Ethernet0, but still use the old adapter/,
    );
    expect(warnings(routed(uninstalled(kubeOvn())), 'Ethernet0')).not.toMatch(/already exists/);
  });

  it('reports that the name also matches others as a pattern', () => {
    const scenario = adapter(kubeOvn(), 'Ethernet1', row => (row.Name = 'Ethernet')).node(({sections}) => {
      sections.hnsNetworks[0].NetworkAdapterName = 'Ethernet';
    });
    expect(warnings(scenario, 'Ethernet')).toMatch(/used as a pattern, which also matches Ethernet0/);
    expect(warnings(kubeOvn(), 'Ethernet1')).not.toMatch(/pattern/);
  });

  it('reports that Kube-OVN 1.15 and newer do not support Windows', () => {
    const version = (tag: string) =>
      kubeOvn().object('Deployment', 'kube-ovn-controller', ({spec}) => {
        for (const container of spec.template.spec.containers) container.image = `kubeovn/kube-ovn:${tag}`;
      });
    expect(warnings(version('v1.15.0'), 'Ethernet1')).toMatch(/does not support Windows/);
    expect(warnings(version('v1.14.9'), 'Ethernet1')).toBe('');
  });

  it('reports that the daemon has several addresses to choose from', () => {
    const scenario = kubeOvn().section('netIPAddresses', rows =>
      rows.push({
        InterfaceAlias: 'br-provider',
        InterfaceIndex: 15,
        IPAddress: 'fd00::7',
        PrefixLength: 64,
        AddressFamily: 'IPv6',
      }),
    );
    expect(warnings(scenario, 'Ethernet1')).toMatch(/also has fd00::7: .* \(now 192\.168\.96\.31\)/);
  });
});

it('rejects a node of another plugin, by name', () => {
  const rule: AdapterRule = {by: 'name', adapter: 'Ethernet0'};
  const scenario = healthy('01-antrea-healthy');
  const name = Object.keys(scenario.document.nodes)[0] ?? '';
  const [decision] = decide([{subject: subject(scenario, name), rule}], {overwrite: false});
  expect(decision).toMatchObject({action: 'refuse', reason: 'it runs Antrea, which has no such annotation'});
});
