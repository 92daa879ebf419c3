import {type Check, check, type NodeSubject} from '../../model/check.js';
import {cleanupRemedy} from '../../model/remedies.js';
import {translate} from '../../model/tunnel-setting.js';
import {fail, skipped, unknown, type Verdict} from '../../model/verdict.js';
import {isIpv4, isLinkLocal} from '../../snapshot/addresses.js';
import {internalIps} from '../../snapshot/cluster.js';
import {isType, type Network, same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {Adapter, Address} from '../../snapshot/sections.js';
import {isNeverStale, podNetwork} from '../pod-network.js';
import {adapterNamed, holderOf, isVirtual, nicOf, nicUnder, nodeAddressHolder, noInternalAddress} from './adapters.js';

export const managementChecks: readonly Check[] = [
  check({
    id: 'net/apipa',
    title: 'Management adapter has a routable address',
    failure: 'Management adapter has an automatic private address (169.254.x.x)',
    severity: 'error',
    repair: {level: 'hard', effect: 'cut', restarts: 'agent'},
    needs: ['netIPAddresses', 'netAdapters', 'hnsNetworks'],
    run(subject) {
      const {node} = subject;
      const networks = managementNetworks(subject).filter(({managementIp}) => isApipa(managementIp));
      const adapters = managementAdapters(subject).filter(({name}) => hasOnlyApipa(node, name));
      if (networks.length + adapters.length === 0) return undefined;
      const what = [...networks.map(({name}) => `HNS network ${name}`), ...adapters.map(({name}) => `adapter ${name}`)];
      return fail(
        `${what.join(' and ')} ${what.length > 1 ? 'have' : 'has'} a 169.254 address: no DHCP server responded, and other nodes cannot reach this node.`,
      )
        .because(
          ...networks.map(({name, managementIp}) => ({
            section: 'hnsNetworks',
            object: name,
            field: 'ManagementIP',
            seen: managementIp,
            expected: internalIps(subject.object)[0] ?? 'an address of the node',
          })),
          ...adapters.map(({name}) => ({
            section: 'netIPAddresses',
            object: name,
            field: 'IPAddress',
            seen: ipv4Of(node, name).map(({ip}) => ip),
            expected: internalIps(subject.object)[0] ?? 'an address of the node',
          })),
        )
        .fixedBy(cleanupRemedy(node, {cuts: true}));
    },
    explain: {
      meaning:
        'The management adapter, or the HNS network that stores its address, has an address from 169.254.0.0/16. Windows assigns such an address when no DHCP server responds. It is not routable.',
      why: 'The network was created before the DHCP server responded, and HNS keeps the first address. Or a static address was lost when the virtual adapter replaced the NIC.',
      see: [
        'Get-NetIPAddress -AddressFamily IPv4 | Where-Object IPAddress -like "169.254.*"',
        'Get-HnsNetwork | Select-Object Name, ManagementIP',
      ],
      fix: [
        'ipconfig /renew',
        'If the HNS network keeps the old address, recreate it: kubectl win cleanup NODE',
        'For a static address, restore it on the adapter first with New-NetIPAddress.',
      ],
      sources: [
        'https://github.com/kubernetes-sigs/sig-windows-tools/issues/162',
        'https://github.com/microsoft/SDN/issues/498',
        'https://github.com/Azure/AgentBaker',
      ],
    },
  }),

  check({
    id: 'net/management-ip',
    title: 'HNS network uses the node address',
    failure: 'HNS network uses a different address than the node',
    severity: 'error',
    repair: {level: 'hard', effect: 'cut', restarts: 'agent'},
    needs: ['hnsNetworks', 'nodeObject'],
    settles: true,
    consequenceOf: ['net/apipa', 'net/node-ip-owner', 'tunnel/annotation-resolves', 'tunnel/annotation-matches-uplink'],
    run(subject) {
      const {node, object, plugin} = subject;
      const ips = internalIps(object);
      if (ips.length === 0) return noInternalAddress();
      const networks = managementNetworks(subject);
      if (networks.length === 0) return skipped('No HNS network uses a physical adapter.');
      const lost = networks.filter(lacksAddress);
      if (lost.length > 0) return noAddress(subject, lost);
      if (networks.every(({managementIp}) => managementIp === undefined))
        return unknown(`HNS network ${networks[0]?.name} has no ManagementIP.`);
      // If the plugin is configured with another NIC for its tunnels, the network must use that NIC.
      const right = [...new Set([...ips, ...(plugin.profile.transport ?? [])])];
      const wrong = networks.filter(({managementIp}) => managementIp !== undefined && !right.includes(managementIp));
      if (wrong.length === 0) return undefined;
      const names = wrong.map(({name}) => name).join(' and ');
      return fail(
        `HNS ${wrong.length > 1 ? 'networks' : 'network'} ${names} ${wrong.length > 1 ? 'use' : 'uses'} ${wrong[0]?.managementIp} as the node address, but it is ${right.join(' or ')}: replies from other nodes are lost.`,
      )
        .because(
          ...wrong.map(({name, managementIp}) => ({
            section: 'hnsNetworks',
            object: name,
            field: 'ManagementIP',
            seen: managementIp,
            expected: right.length > 1 ? right : right[0],
          })),
        )
        .fixedBy(cleanupRemedy(node, {cuts: true, first: otherNicFirst(subject, wrong)}));
    },
    explain: {
      meaning:
        'Every HNS network on a NIC stores one address of the node, its ManagementIP, and uses it for tunnels. It is not the node address in the cluster. Everything else looks healthy, but packets from other nodes are lost.',
      why: 'The node has several NICs and the network was created on the wrong one, the node address has changed since, or DHCP was slow when the network was created.',
      see: [
        'Get-HnsNetwork | Select-Object Name, Type, ManagementIP, NetworkAdapterName',
        'kubectl get node NODE -o jsonpath="{.status.addresses}"',
      ],
      fix: [
        'Set the correct NIC in the plugin settings: VXLAN_ADAPTER and IP autodetection for Calico, --iface for Flannel, transportInterface for Antrea.',
        'Then recreate the network with console access: kubectl win cleanup NODE',
      ],
      sources: [
        'https://github.com/projectcalico/calico/issues/5145',
        'https://github.com/projectcalico/calico/issues/6996',
        'https://github.com/flannel-io/flannel/issues/1852',
      ],
    },
  }),
];

/** Overlays always have the address of their tunnels, in HNS v1 and v2; other network types may omit the field. */
function lacksAddress(network: Network): boolean {
  return network.managementIp === '' || (network.managementIp === undefined && isType(network, 'Overlay'));
}

function noAddress({node, object}: NodeSubject, networks: readonly Network[]): Verdict {
  return fail(
    `HNS ${networks.length > 1 ? 'networks' : 'network'} ${networks.map(({name}) => name).join(' and ')} ${networks.length > 1 ? 'have' : 'has'} no ManagementIP: HNS does not know the address of this node, so other nodes get no replies.`,
  )
    .because(
      ...networks.map(({name}) => ({
        section: 'hnsNetworks',
        object: name,
        field: 'ManagementIP',
        seen: null,
        expected: internalIps(object)[0],
      })),
    )
    .fixedBy(cleanupRemedy(node, {cuts: true}));
}

/**
 * A network on a NIC other than that of the node's address is recreated on the same NIC until the plugin is
 * reconfigured.
 */
function otherNicFirst(subject: NodeSubject, networks: readonly Network[]): string | undefined {
  const {node, object} = subject;
  const address = nodeAddressHolder(node, object);
  const nic = address && nicUnder(node, adapterNamed(node, address.adapter, address.index));
  const isElsewhere = networks.some(network => {
    const held = holderOf(node, network.managementIp);
    return held !== undefined && nicUnder(node, adapterNamed(node, held.adapter, held.index)) !== nic;
  });
  const setting = nic && isElsewhere ? translate(subject, {by: 'name', adapter: nic.name}) : undefined;
  if (!setting?.change) return undefined;
  return `First set the NIC of ${setting.title} (applies to ${setting.reach}): ${setting.change.command}`;
}

/** The networks that carry the node's own address: the pod network, and those that only keep its switch. */
function managementNetworks({node, plugin}: NodeSubject): Network[] {
  const pods = podNetwork(node, plugin.profile.network);
  const keepers = (node.hnsNetworks ?? []).filter(
    network => isNeverStale(network) && /^(overlay|l2bridge|l2tunnel|transparent)$/i.test(network.type),
  );
  if (!pods) return keepers;
  return [pods, ...keepers.filter(({id, layeredOn}) => id !== pods.id && layeredOn === pods.layeredOn)];
}

/** The adapters that have or should have the node's address. */
function managementAdapters(subject: NodeSubject): Adapter[] {
  const {node, object, plugin} = subject;
  const adapters = node.netAdapters ?? [];
  const nics = managementNetworks(subject).flatMap(network => nicOf(node, network) ?? []);
  const vnics = adapters.filter(adapter => {
    if (same(adapter.name, plugin.profile.managementAdapter ?? '')) return true;
    return isVirtual(adapter) && nics.some(nic => nicUnder(node, adapter)?.name === nic.name);
  });
  const lost = internalIps(object).length > 0 && !nodeAddressHolder(node, object);
  const up = lost ? adapters.filter(adapter => !isVirtual(adapter) && adapter.status === 'Up') : [];
  return [...new Set([...vnics, ...up])];
}

function ipv4Of(node: NodeModel, adapter: string): Address[] {
  return (node.netIPAddresses ?? []).filter(address => same(address.adapter, adapter) && isIpv4(address.ip));
}

function hasOnlyApipa(node: NodeModel, adapter: string): boolean {
  const addresses = ipv4Of(node, adapter);
  return addresses.length > 0 && addresses.every(({ip}) => isApipa(ip));
}

function isApipa(ip: string | undefined): boolean {
  return isIpv4(ip) && isLinkLocal(ip);
}
