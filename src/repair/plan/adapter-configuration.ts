import {adapterNamed, holderOf, isVirtual, nicOf, nicUnder} from '../../checks/net/adapters.js';
import type {NodeSubject} from '../../model/check.js';
import type {PlanStep} from '../../model/step.js';
import {isIpv4, sameCidr} from '../../snapshot/addresses.js';
import {type Network, same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {Adapter, Address} from '../../snapshot/sections.js';
import {carrierOf} from '../node/address-carrier.js';

/** An adapter's configuration, saved before a change and restored after it. */
export interface Uplink {
  /** The adapter that has the address now, and the physical adapter below it. */
  readonly adapter: string;
  readonly nic: string;
  readonly address: string;
  readonly prefixLength: number | undefined;
  readonly static: boolean;
  readonly gateway: string | undefined;
  readonly dnsServers: readonly string[];
  /** Manually added routes: neither DHCP nor a new network restores them. */
  readonly routes: readonly {readonly destination: string; readonly nextHop: string}[];
}

/** The configuration of the adapter with the node's own address. Undefined if its NIC cannot be determined. */
export function nodeUplink(subject: NodeSubject): Uplink | undefined {
  const carrier = carrierOf(subject);
  return carrier?.nic === undefined ? undefined : configuration(subject.node, carrier.held, carrier.nic);
}

/** The configuration of the NIC below the pod network, usually the one that carries the node's address. */
function networkUplink(subject: NodeSubject, nic: Adapter | undefined): Uplink | undefined {
  const {node} = subject;
  if (!nic) return nodeUplink(subject);
  const held = (node.netIPAddresses ?? []).find(
    address => isIpv4(address.ip) && nicUnder(node, adapterNamed(node, address.adapter, address.index)) === nic,
  );
  return held && configuration(node, held, nic.name);
}

/** The NIC on which the agent creates the network. */
function nicOfTransport({node, plugin}: NodeSubject): Adapter | undefined {
  const held = plugin.profile.transport?.map(ip => holderOf(node, ip)).find(address => address !== undefined);
  return held && nicUnder(node, adapterNamed(node, held.adapter, held.index));
}

function configuration({netRoutes = [], dnsServers}: NodeModel, held: Address, nic: string): Uplink {
  const routes = netRoutes.filter(({adapter, index}) =>
    adapter !== undefined ? same(adapter, held.adapter) : index !== undefined && index === held.index,
  );
  return {
    adapter: held.adapter,
    nic,
    address: held.ip,
    prefixLength: held.prefixLength,
    // Assume a static address unless Windows reports DHCP.
    static: held.origin !== 'Dhcp',
    gateway: routes.find(({prefix, persistent}) => prefix === '0.0.0.0/0' && !persistent)?.nextHop,
    dnsServers: dnsServers?.find(({adapter}) => same(adapter, held.adapter))?.servers ?? [],
    routes: routes
      .filter(({prefix, persistent}) => persistent && !sameCidr(prefix, '0.0.0.0/0'))
      // Routes without a next hop are on-link: no step can add them, and setup scripts recreate theirs.
      .flatMap(({prefix, nextHop}) =>
        nextHop === undefined || isUnspecified(nextHop) ? [] : [{destination: prefix, nextHop}],
      ),
  };
}

const isUnspecified = (address: string) => address === '0.0.0.0' || address === '::';

/** Restores the address of the physical adapter after the last switch on it is removed. */
export function backOnNic(subject: NodeSubject, network: Network | undefined): PlanStep[] {
  const uplink = networkUplink(subject, network ? nicOf(subject.node, network) : nicOfTransport(subject));
  const adapter = uplink && adapterNamed(subject.node, uplink.adapter);
  if (!uplink || !adapter || !isVirtual(adapter)) return [];
  if (uplink.static)
    return [
      {
        do: 'ip.restore',
        with: {from: uplink.adapter, to: uplink.nic},
        why: `${uplink.address} is static: Windows does not restore it automatically.`,
      },
    ];
  return [
    {
      do: 'ip.renew',
      with: {adapter: uplink.nic},
      why: `${uplink.address} is leased from DHCP: the NIC requests it again.`,
    },
  ];
}

/**
 * Restores the NIC's configuration on the new virtual adapter: a new network can reset a static address to DHCP
 * (microsoft/SDN#498).
 */
export function backOnSwitch(subject: NodeSubject, network: Network | undefined): PlanStep[] {
  // Kube-OVN may be configured with a NIC other than the one the network uses now.
  const nic = nicOfTransport(subject) ?? (network && nicOf(subject.node, network));
  const uplink = networkUplink(subject, nic);
  if (!uplink) return [];
  const adapter = subject.plugin.profile.managementAdapter ?? `vEthernet (${uplink.nic})`;
  const address: PlanStep = {
    do: 'ip.restore',
    with: {from: uplink.adapter, to: adapter},
    why: `${uplink.address} is static, and a new network can lose it.`,
  };
  const routes = uplink.routes.map(
    ({destination, nextHop}): PlanStep => ({
      do: 'route.add',
      with: {destination, nextHop, adapter},
      why: 'This route was added manually, and a new network does not keep it.',
    }),
  );
  return uplink.static ? [address, ...routes] : routes;
}

/** The same if the plan itself creates the switch and no agent waits for the address. */
export function backOnNewSwitch(subject: NodeSubject): PlanStep[] {
  const uplink = nodeUplink(subject);
  if (!uplink || uplink.static) return backOnSwitch(subject, undefined);
  const renew: PlanStep = {
    do: 'ip.renew',
    with: {adapter: `vEthernet (${uplink.nic})`},
    why: `${uplink.address} is leased from DHCP: the new adapter requests it again.`,
  };
  return [renew, ...backOnSwitch(subject, undefined)];
}

/** Manual follow-up if the agent runs as a pod: it creates the network after the node's own steps have finished. */
export function manualAfterwards(subject: NodeSubject): string[] {
  const uplink = nodeUplink(subject);
  if (!uplink) return [];
  const {address, prefixLength, gateway, routes} = uplink;
  return [
    ...(uplink.static
      ? [
          `${address}/${prefixLength ?? '?'} (gateway ${gateway ?? 'none'}) is static; the agent moves it to its new adapter. If it is lost there, set it on the console.`,
        ]
      : []),
    ...routes.map(
      ({destination, nextHop}) =>
        `The route ${destination} via ${nextHop} was added manually; add it again when the network is back.`,
    ),
  ];
}
