import {describe, expect, it} from 'vitest';
import {healthy, type Scenario} from '../support.js';
import {setRow} from './tables.js';

/** A node of the older OVN era: the same OVS, with a network named external and a bridge named after the vNIC. */
function legacy(): Scenario {
  const bridge = 'vEthernet (Ethernet1)';
  const plain = ['map', []];
  return healthy('04-kube-ovn-healthy')
    .removeObjects(({metadata}) => /^(kube-ovn|ovn-central|ovs-ovn)/.test(metadata.name))
    .object('Node', 'kovn-win-1', ({metadata}) => {
      metadata.annotations = {ovn_host_subnet: '10.16.1.0/24'};
    })
    .node(({sections}) => {
      sections.netNats = [];
      sections.files = [];
      sections.hnsNetworks[0].Name = 'external';
      sections.vmSwitches[0].Name = 'external';
      for (const row of sections.vmSwitchExtensions) row.SwitchName = 'external';
      sections.services.find(({Name}: {Name: string}) => Name === 'kube-ovn').Name = 'ovn-kubernetes-node';
      sections.processes = sections.processes.filter(({Name}: {Name: string}) => Name !== 'kube-ovn-daemon.exe');
      sections.netAdapters.find(({Name}: {Name: string}) => Name === 'br-provider').Name = bridge;
      for (const address of sections.netIPAddresses)
        if (address.InterfaceAlias === 'br-provider') address.InterfaceAlias = bridge;
      setRow(sections.ovs, 'Port', 'Ethernet1', {external_ids: plain});
      for (const table of ['Bridge', 'Port', 'Interface'] as const)
        setRow(sections.ovs, table, 'br-provider', {name: bridge, external_ids: plain});
      // OVN names the port of a pod NAMESPACE_POD; Kube-OVN names it POD.NAMESPACE.
      sections.ovs = JSON.parse(
        JSON.stringify(sections.ovs).replace(/\["iface-id","([^".]+)\.([^".]+)"\]/g, '["iface-id","$2_$1"]'),
      );
      sections.ovsFlows = ['br-int', bridge].map(Bridge => ({Bridge, Flows: 9, Tables: [{Table: 0, Flows: 9}]}));
    });
}

describe('a node of the older OVN era', () => {
  it('is diagnosed by the same OVS checks, and is healthy', () => {
    const {findings, detections} = legacy().run();
    expect([...detections.values()][0]).toMatchObject({name: 'ovn-kubernetes', variant: 'legacy'});
    const ovs = findings.filter(({id}) => /^(ovs\/|hns\/two)/.test(id));
    expect(ovs.filter(({outcome}) => outcome === 'pass').map(({id}) => id)).toEqual(
      expect.arrayContaining(['ovs/services', 'ovs/extension', 'ovs/bridges', 'ovs/uplink-port', 'ovs/tunnel-port']),
    );
    expect(ovs.filter(({outcome}) => outcome === 'fail' || outcome === 'unknown')).toEqual([]);
  });

  it('also has stale bridges when its network is missing', () => {
    const rebooted = legacy().node(({sections}) => {
      sections.hnsNetworks = [];
      sections.vmSwitches = [];
    });
    expect(rebooted.failures('ovs/stale-bridge')).toEqual([expect.stringContaining('HNS network external')]);
  });

  it('is also recognised by the service ovn-k8s, and its agent is found stopped', () => {
    const older = legacy()
      .object('Node', 'kovn-win-1', ({metadata}) => (metadata.annotations = {}))
      .section('services', services => {
        const agent = services.find(({Name}: {Name: string}) => Name === 'ovn-kubernetes-node');
        Object.assign(agent, {Name: 'ovn-k8s', State: 'Stopped'});
      });
    expect([...older.run().detections.values()][0]).toMatchObject({name: 'ovn-kubernetes', variant: 'legacy'});
    expect(older.failures('cni/agent-pod')).toEqual([expect.stringContaining('Service ovn-k8s')]);
  });

  it('is healthy with the bridge br-ex and the adapter HNSTransparent of the 2017 scripts', () => {
    const first = legacy().node(({sections}) => {
      const renamed = JSON.stringify(sections).replaceAll('vEthernet (Ethernet1)', 'HNSTransparent');
      Object.assign(sections, JSON.parse(renamed));
      setRow(sections.ovs, 'Bridge', 'HNSTransparent', {name: 'br-ex'});
      sections.ovsFlows[1].Bridge = 'br-ex';
    });
    const {findings} = first.run();
    const failed = findings.filter(({id, outcome}) => outcome === 'fail' && /^(ovs|net)\//.test(id));
    expect(failed.map(({id, message}) => `${id}: ${message}`)).toEqual([]);
    expect(first.outcomes('ovs/uplink-port')).toEqual(['pass']);
    expect(first.outcomes('net/node-ip-owner')).toEqual(['pass']);
  });

  it('has a stopped agent because ovn-controller, which it depends on, is stopped', () => {
    const down = legacy().section('services', services => {
      for (const row of services)
        if (/^ovn-/.test(row.Name)) Object.assign(row, {State: 'Stopped', ProcessId: 0, DependsOn: ['ovs-vswitchd']});
      services.find(({Name}: {Name: string}) => Name === 'ovn-kubernetes-node').DependsOn = ['ovn-controller'];
    });
    const stopped = down
      .node(({sections}) => {
        sections.processes = sections.processes.filter(({Name}: {Name: string}) => Name !== 'ovn-controller.exe');
      })
      .run().findings;
    expect(stopped.find(({id}) => id === 'cni/agent-pod')).toMatchObject({
      outcome: 'fail',
      causedBy: ['ovs/ovn-southbound'],
    });
  });

  it('requires the southbound database, with or without SSL', () => {
    expect(legacy().outcomes('ovs/ovn-southbound')).toEqual(['pass']);
    const lost = legacy().section('probes', probes => {
      for (const probe of probes) if (/:6642$/.test(probe.Target)) probe.Ok = false;
    });
    expect(lost.failures('ovs/ovn-southbound')[0]).toMatch(/southbound database is not reachable/);
  });

  it('requires the logical port of each pod', () => {
    expect(legacy().outcomes('ovs/logical-ports')).toEqual(['pass']);
    const portless = legacy().node(({sections}) => {
      sections.ovs = JSON.parse(JSON.stringify(sections.ovs).replaceAll('legacy_crystal', 'legacy_gone'));
    });
    expect(portless.failures('ovs/logical-ports')[0]).toMatch(
      /No OVS port belongs to the logical port of legacy_crystal-reports/,
    );
  });
});
