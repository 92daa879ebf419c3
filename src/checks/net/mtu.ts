import {type Check, check, type NodeSubject} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, skipped, unknown} from '../../model/verdict.js';
import {type Network, same} from '../../snapshot/hns.js';
import type {Adapter} from '../../snapshot/sections.js';
import {podNetwork} from '../pod-network.js';
import {isVirtual, nicOf, nicUnder} from './adapters.js';

export const mtuChecks: readonly Check[] = [
  check({
    id: 'net/mtu',
    title: 'Pod packets fit into the tunnel',
    failure: 'Pod packets are too large for the tunnel',
    severity: 'warning',
    plugins: 'overlay, OVS',
    needs: ['netAdapters', 'hnsNetworks', 'hnsEndpoints'],
    appliesTo: ({plugin}) => plugin.profile.tunnel !== undefined,
    run(subject) {
      const {node, plugin} = subject;
      const {tunnel} = plugin.profile;
      const network = podNetwork(node, plugin.profile.network);
      if (!network || !tunnel) return skipped('The pod network does not exist.');
      const uplink = nicOf(node, network);
      if (uplink?.mtu === undefined) return unknown(`The MTU of the NIC of ${network.name} is unknown.`);
      const most = uplink.mtu - leastOverhead(tunnel);
      const tunnelled = tunnelledAdapters(subject, network);
      if (tunnelled.length > 0 && tunnelled.every(({mtu}) => mtu === undefined))
        return unknown('Windows does not report the MTU of pod adapters.');
      const tooBig = tunnelled.filter(({mtu}) => mtu !== undefined && mtu > most);
      if (tooBig.length === 0) return undefined;
      return fail(
        `${tooBig.length === 1 ? tooBig[0]?.name : `${tooBig.length} pod adapters`} may send packets of ${Math.max(...tooBig.map(({mtu}) => mtu ?? 0))} bytes, but only ${most} fit into a ${tunnel.protocol} packet on ${uplink.name}: large packets are lost.`,
      )
        .because(
          ...tooBig.map(({name, mtu}) => ({
            section: 'netAdapters',
            object: name,
            field: 'MtuSize',
            seen: mtu,
            expected: `at most ${most}`,
          })),
          {section: 'netAdapters', object: uplink.name, field: 'MtuSize', seen: uplink.mtu},
        )
        .fixedBy(
          manual(
            `Set the MTU of ${plugin.title} to ${most} or less, restart its agent, and recreate the pods on this node.`,
          ),
        );
    },
    explain: {
      meaning:
        'A tunnel adds a header to each packet: 50 bytes for VXLAN, 50 to 100 for Geneve. Pods can send packets that are too large with this header. Small requests work, large responses hang.',
      why: 'The MTU of the NIC is smaller than the plugin assumed (a cloud network, a VPN, another hypervisor), or the plugin MTU was set manually.',
      see: [
        'Get-NetAdapter -IncludeHidden | Select-Object Name, MtuSize',
        'Get-NetIPInterface -IncludeAllCompartments | Select-Object InterfaceAlias, NlMtu',
      ],
      fix: [
        'Set the MTU in the plugin settings to the MTU of the NIC minus the header.',
        'Restart the agent, then recreate the pods.',
      ],
      sources: [
        'https://antrea.io/docs/main/docs/network-requirements/',
        'https://github.com/flannel-io/flannel/blob/master/Documentation/backends.md',
      ],
    },
  }),
];

type Tunnel = NonNullable<NodeSubject['plugin']['profile']['tunnel']>;

/** Only the header: plugins reserve more than they need, and a manually set MTU may use that margin. */
function leastOverhead({protocol, overhead}: Tunnel): number {
  return protocol === 'geneve' ? Math.min(overhead, 58) : overhead;
}

/** The adapters whose packets go through the tunnel: those of pods, and the gateway. */
function tunnelledAdapters({node, plugin}: NodeSubject, network: Network): Adapter[] {
  const {ovs, hostEndpoint} = plugin.profile;
  const pods = (node.hnsEndpoints ?? []).filter(
    ({networkId, remote, name}) => networkId === network.id && !remote && !same(name, hostEndpoint?.name ?? ''),
  );
  const isOfPod = (adapter: Adapter) =>
    pods.some(({name, mac}) => same(adapter.name, `vEthernet (${name})`) || (!!mac && adapter.mac === mac));
  return (node.netAdapters ?? []).filter(
    adapter =>
      isVirtual(adapter) &&
      // The node's own adapter shares name and MAC with kube-proxy's source VIP, and does not use the tunnel.
      !nicUnder(node, adapter) &&
      (same(adapter.name, ovs?.gateway.port ?? '') || isOfPod(adapter)),
  );
}
