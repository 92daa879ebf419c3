import {subjectOf} from '../../../src/diagnose/engine.js';
import type {NodeSubject} from '../../../src/model/check.js';
import {type ChoosableNode, choosable as seenOf} from '../../../src/services/tunnel/choosable-node.js';
import {snapshotDocument} from '../../../src/snapshot/document.js';
import {readSnapshot} from '../../../src/snapshot/snapshot.js';
import {healthy, type Raw, type Scenario} from '../../checks/support.js';

export const annotation = 'ovn.kubernetes.io/tunnel_interface';
const nodeName = 'kovn-win-1';

/** A healthy node with Kube-OVN: Ethernet1 (192.168.96.31) is under the network, Ethernet0 (172.20.5.31) is beside it. */
export const kubeOvn = (): Scenario => healthy('04-kube-ovn-healthy').listed();

export function annotated(scenario: Scenario, value: string | undefined): Scenario {
  return scenario.object('Node', nodeName, ({metadata}) => {
    if (value === undefined) delete metadata.annotations[annotation];
    else metadata.annotations[annotation] = value;
  });
}

export function adapter(scenario: Scenario, name: string, change: (row: Raw) => void): Scenario {
  return scenario.section('netAdapters', rows => rows.filter((row: Raw) => row.Name === name).forEach(change));
}

/** Changes the IPv4 address of an adapter; undefined removes it. */
export function address(scenario: Scenario, name: string, change: Raw | undefined): Scenario {
  return scenario.node(({sections}) => {
    sections.netIPAddresses = sections.netIPAddresses.flatMap((row: Raw) => {
      if (row.InterfaceAlias !== name || row.AddressFamily !== 'IPv4') return [row];
      return change === undefined ? [] : [{...row, ...change}];
    });
  });
}

/** Ethernet0 gets a route to all other nodes. */
export function routed(scenario: Scenario, prefix = '192.168.96.0/24'): Scenario {
  return scenario.section('netRoutes', rows =>
    rows.push({
      DestinationPrefix: prefix,
      NextHop: '172.20.5.1',
      InterfaceAlias: 'Ethernet0',
      InterfaceIndex: 5,
      RouteMetric: 256,
      Store: 'ActiveStore',
    }),
  );
}

/** Before the first start of kube-ovn: no network, no bridges, the address on the NIC. */
export function uninstalled(scenario: Scenario): Scenario {
  return scenario.node(({sections}) => {
    const onNic = (row: Raw) => ({
      ...row,
      InterfaceAlias: row.InterfaceAlias === 'br-provider' ? 'Ethernet1' : row.InterfaceAlias,
    });
    sections.hnsNetworks = [];
    sections.hnsEndpoints = [];
    sections.vmSwitches = [];
    sections.netAdapters = sections.netAdapters.filter((row: Raw) => /^Ethernet/.test(row.Name));
    sections.netIPAddresses = sections.netIPAddresses.map(onNic);
    sections.netRoutes = sections.netRoutes.map(onNic);
    sections.ovs.Tables = {};
  });
}

export function subject(scenario: Scenario, name = nodeName): NodeSubject {
  return subjectOf(readSnapshot(snapshotDocument.parse(scenario.document)), name, 0);
}

export function seen(scenario: Scenario): ChoosableNode {
  const told = seenOf(subject(scenario));
  if (typeof told === 'string') throw new Error(told);
  return told;
}
