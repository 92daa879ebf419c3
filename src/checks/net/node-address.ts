import {powerShellText} from '../../lib/quote.js';
import {type Check, check, type NodeSubject} from '../../model/check.js';
import type {Detection} from '../../model/plugin.js';
import {cleanupRemedy, manualCutting} from '../../model/remedies.js';
import {fail, info, unknown, type Verdict} from '../../model/verdict.js';
import {isIpv4} from '../../snapshot/addresses.js';
import {internalIps} from '../../snapshot/cluster.js';
import {same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {Adapter, Address} from '../../snapshot/sections.js';
import {isNeverStale, podNetwork} from '../pod-network.js';
import {adapterNamed, isVirtual, nicOf, nicUnder, nodeAddressHolder, noInternalAddress} from './adapters.js';

export const nodeAddressChecks: readonly Check[] = [
  check({
    id: 'net/node-ip-owner',
    title: 'Node address is on the correct adapter',
    failure: 'Node address is on the wrong adapter',
    severity: 'error',
    repair: {level: 'hard', effect: 'cut', restarts: 'agent'},
    needs: ['nodeObject', 'netIPAddresses', 'netAdapters', 'hnsNetworks'],
    consequenceOf: ['net/apipa', 'ovs/services', 'ovs/extension', 'net/orphan-switch-binding'],
    run(subject) {
      const {node, object} = subject;
      const ips = internalIps(object);
      if (ips.length === 0) return noInternalAddress();
      const held = nodeAddressHolder(node, object);
      if (!held) return noHolder(node, ips);
      const adapter = adapterNamed(node, held.adapter, held.index);
      if (!adapter)
        return unknown(
          `Adapter ${held.adapter}, which has ${held.ip}, was not found among the adapters that were read.`,
        );
      return diagnoseHolder(subject, held, adapter);
    },
    explain: {
      meaning:
        'A pod network on a NIC takes over the NIC and moves the node address to a virtual adapter: br-int with Antrea, br-provider with Kube-OVN, vEthernet (<NIC>) with the others. The address is on another adapter, so the node or its pods are not reachable.',
      why: 'The address was not moved completely: the agent was stopped, a rename failed, the DHCP server did not respond on the new adapter, or a static address was lost when the network was created.',
      see: [
        'Get-NetIPAddress -AddressFamily IPv4 | Select-Object IPAddress, InterfaceAlias, PrefixOrigin, AddressState',
        'Get-NetAdapter -IncludeHidden | Select-Object Name, Status, MacAddress, Virtual',
        'kubectl get node NODE -o wide',
      ],
      fix: [
        'Make sure that you have console access: these steps can interrupt the node network.',
        'DHCP: ipconfig /renew. Static: New-NetIPAddress -InterfaceAlias ADAPTER -IPAddress IP -PrefixLength N -DefaultGateway GATEWAY',
        'If the address stays on the NIC of the switch, remove the network and let the agent recreate it: kubectl win cleanup NODE',
      ],
      sources: [
        'https://github.com/antrea-io/antrea/pull/3641',
        'https://github.com/microsoft/SDN/issues/498',
        'https://github.com/kubernetes-sigs/sig-windows-tools/issues/162',
      ],
    },
  }),

  check({
    id: 'net/static-ip',
    title: 'Origin of the node address',
    failure: 'Node address is static',
    severity: 'info',
    needs: ['nodeObject', 'netIPAddresses'],
    run({node, object}) {
      const held = nodeAddressHolder(node, object);
      if (!held) return unknown('No adapter has the node address.');
      if (held.origin === undefined) return unknown(`Windows does not report the origin of ${held.ip}.`);
      if (held.origin !== 'Manual') return undefined;
      return info(
        `${held.ip} on ${held.adapter} is a static address: a repair that recreates the network must save and restore it.`,
      ).because({section: 'netIPAddresses', object: held.adapter, field: 'PrefixOrigin', seen: held.origin});
    },
    explain: {
      meaning:
        'The node address is static, not assigned by DHCP. This is not a problem. It matters when the network is recreated: Windows may then use DHCP on the new virtual adapter and lose the address.',
      why: 'Static addresses are common in data centers. kubectl win saves address, gateway, DNS servers and routes before such a repair and restores them afterwards.',
      see: ['Get-NetIPAddress -AddressFamily IPv4 | Select-Object IPAddress, InterfaceAlias, PrefixOrigin'],
      fix: [
        'No repair is needed. Before you change networks manually, save the output of: Get-NetIPConfiguration -Detailed; Get-NetRoute',
      ],
      sources: ['https://github.com/microsoft/SDN/issues/498'],
    },
  }),
];

function noHolder(node: NodeModel, ips: readonly string[]): Verdict {
  return fail(`No adapter of this node has its address ${ips.join(' or ')}, so the node is not reachable.`)
    .because({
      section: 'netIPAddresses',
      object: 'all adapters',
      field: 'IPAddress',
      seen: (node.netIPAddresses ?? []).filter(({ip}) => isIpv4(ip)).map(({ip, adapter}) => `${ip} on ${adapter}`),
      expected: ips.length > 1 ? ips : ips[0],
    })
    .explaining('hns/network-present', 'hns/host-endpoint', 'ovs/bridges', 'cni/agent-pod', 'net/management-ip')
    .fixedBy(
      manualCutting(
        'Use the console of the node: it is not reachable over the API without its address.',
        'Get-NetAdapter | Select-Object Name, Status, MacAddress',
        'DHCP: ipconfig /renew',
        `Static: New-NetIPAddress -InterfaceAlias ADAPTER -IPAddress ${powerShellText(ips[0] ?? 'ADDRESS')} -PrefixLength LENGTH -DefaultGateway GATEWAY`,
      ),
    );
}

/** The network of another plugin that this virtual adapter belongs to, if known. */
function leftBy(node: NodeModel, {plugin, known}: Detection, adapter: Adapter) {
  const nic = nicUnder(node, adapter);
  if (!isVirtual(adapter) || !nic || !plugin) return undefined;
  return (node.hnsNetworks ?? [])
    .filter(network => !isNeverStale(network) && !plugin.ownNetworks?.test(network.name))
    .flatMap(network => {
      const owner = known.find(({ownNetworks}) => ownNetworks?.test(network.name));
      return owner && nicOf(node, network)?.name === nic.name ? [{network, owner, nic}] : [];
    })[0];
}

function diagnoseHolder({node, plugin}: NodeSubject, held: Address, adapter: Adapter): Verdict | undefined {
  if (held.state === 'Duplicate')
    return fail(`Windows disabled ${held.ip} on ${adapter.name} because another machine uses the same address.`)
      .because({
        section: 'netIPAddresses',
        object: adapter.name,
        field: 'AddressState',
        seen: 'Duplicate',
        expected: 'Preferred',
      })
      .fixedBy(cleanupRemedy(node, {cuts: true}));
  const network = podNetwork(node, plugin.profile.network);
  const left = network ? undefined : leftBy(node, plugin, adapter);
  if (left)
    return fail(
      `${held.ip} is on ${adapter.name}, an adapter of HNS network ${left.network.name}, a leftover of ${left.owner.title}: removing that network removes the adapter.`,
    )
      .because({
        section: 'netIPAddresses',
        object: held.ip,
        field: 'InterfaceAlias',
        seen: held.adapter,
        expected: left.nic.name,
      })
      .following('hns/foreign-network')
      .fixedBy(cleanupRemedy(node, {cuts: true}));
  if (!network) return undefined;
  const uplink = nicOf(node, network);
  const nic = nicUnder(node, adapter);
  // A network on another NIC does not move the node address.
  if (!uplink || !nic || uplink.name !== nic.name) return undefined;
  const expected = plugin.profile.managementAdapter ?? `vEthernet (${uplink.name})`;
  const isRight = plugin.profile.managementAdapter === undefined ? isVirtual(adapter) : same(adapter.name, expected);
  if (isRight) return undefined;
  return fail(
    `${held.ip} is on ${adapter.name}, but HNS network ${network.name} uses ${uplink.name}, so the address must be on ${expected}.`,
  )
    .because(
      {section: 'netIPAddresses', object: held.ip, field: 'InterfaceAlias', seen: held.adapter, expected},
      {section: 'hnsNetworks', object: network.name, field: 'NetworkAdapterName', seen: uplink.name},
    )
    .fixedBy(cleanupRemedy(node, {cuts: true}));
}
