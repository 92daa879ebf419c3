import {describe, expect, it} from 'vitest';
import {healthy, type Scenario} from '../support.js';
import {setRow} from './tables.js';

/** A node of the older OVN era: the same OVS, with a network called external and a bridge named after the vNIC. */
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
    });
}

describe('a node of the older OVN era', () => {
  it('is diagnosed by the same checks of OVS, and is healthy', () => {
    const {findings, detections} = legacy().run();
    expect([...detections.values()][0]).toMatchObject({name: 'ovn-kubernetes', variant: 'legacy'});
    const ovs = findings.filter(({id}) => /^(ovs\/|hns\/two)/.test(id));
    expect(ovs.filter(({outcome}) => outcome === 'pass').map(({id}) => id)).toEqual(
      expect.arrayContaining(['ovs/services', 'ovs/extension', 'ovs/bridges', 'ovs/uplink-port', 'ovs/tunnel-port']),
    );
    expect(ovs.filter(({outcome}) => outcome === 'fail' || outcome === 'unknown')).toEqual([]);
  });

  it('has stale bridges too when its network is gone', () => {
    const rebooted = legacy().node(({sections}) => {
      sections.hnsNetworks = [];
      sections.vmSwitches = [];
    });
    expect(rebooted.failures('ovs/stale-bridge')).toEqual([expect.stringContaining('HNS network external')]);
  });
});
