import {adapterNamed, isVirtual, nicOf, nicUnder, nodeAddressHolder} from '../../checks/net/adapters.js';
import {isOvs} from '../../checks/ovs/extension-ids.js';
import type {NodeSubject} from '../../model/check.js';
import {type Network, same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {Address} from '../../snapshot/sections.js';

/** What carries the node's own address: removing it cuts the node off. */
export interface Carrier {
  /** The address, and the adapter that has it. */
  readonly held: Address;
  /** The physical adapter below it. */
  readonly nic: string | undefined;
  /** Whether a virtual switch is between the two. */
  readonly switched: boolean;
  /** Names of that switch. */
  readonly switches: readonly string[];
  /** Networks that are, or in doubt may be, on that switch. */
  readonly networks: readonly Network[];
  /** Whether the node's packets pass OVS. */
  readonly throughOvs: boolean;
}

/** Undefined if no adapter has the node's address, or the addresses were not read. */
export function carrierOf({node, object}: Pick<NodeSubject, 'node' | 'object'>): Carrier | undefined {
  const held = nodeAddressHolder(node, object);
  if (!held) return undefined;
  const adapter = adapterNamed(node, held.adapter, held.index);
  const nic = nicUnder(node, adapter);
  const switched = adapter === undefined || isVirtual(adapter);
  const networks = (node.hnsNetworks ?? []).filter(network => mayCarry(node, network, held.ip, switched, nic?.name));
  const switches = [
    ...networks.map(({name}) => name),
    ...(node.vmSwitches ?? [])
      .filter(({adapterDescription: its}) => its !== undefined && its === nic?.description)
      .map(({name}) => name),
  ];
  return {
    held,
    nic: nic?.name,
    switched,
    switches: [...new Set(switches)],
    networks,
    throughOvs: switched && switches.some(name => isOvsOn(node, name)),
  };
}

/** Network types that are bound to a NIC and so can carry the node's address. */
export function sitsOnNic({type}: Network): boolean {
  return /^(overlay|l2bridge|l2tunnel|transparent)$/i.test(type);
}

function mayCarry(node: NodeModel, network: Network, ip: string, switched: boolean, nic: string | undefined): boolean {
  if (!sitsOnNic(network)) return false;
  const layer = node.hnsNetworks?.filter(other => onOneSwitch(network, other)) ?? [];
  if ([network, ...layer].some(({managementIp}) => managementIp === ip)) return true;
  if (!switched) return false;
  const under = nicOf(node, network)?.name;
  if (under !== undefined && nic !== undefined) return same(under, nic);
  return network.managementIp === undefined;
}

/** Networks with the same layer share a switch, which is removed with the last of them. */
export function onOneSwitch(one: Network, other: Network): boolean {
  return one.layeredOn !== undefined && one.layeredOn === other.layeredOn;
}

/** Whether the switch is removed with this network; assumed if HNS does not report its layer. */
export function isLastOnSwitch({hnsNetworks = []}: NodeModel, network: Network): boolean {
  return !hnsNetworks.some(other => other !== network && onOneSwitch(network, other));
}

/** The switch takes precedence over HNS, whose copy may be outdated. */
export function isOvsOn({vmSwitchExtensions, hnsNetworks}: NodeModel, name: string): boolean {
  const onSwitch = vmSwitchExtensions?.find(row => isOvs(row) && same(row.switchName ?? '', name));
  if (onSwitch) return onSwitch.enabled;
  return hnsNetworks?.some(network => same(network.name, name) && network.extensions.some(isOnOvs)) ?? false;
}

function isOnOvs(extension: {id: string; enabled: boolean}): boolean {
  return isOvs(extension) && extension.enabled;
}

/**
 * Whether the node loses its address when these networks are removed. If the carrier is unknown, any network on a NIC
 * counts.
 */
export function losesAddress(carrier: Carrier | undefined, gone: readonly Network[]): boolean {
  if (!carrier) return gone.some(sitsOnNic);
  const left = carrier.networks.filter(network => !gone.includes(network));
  const lost = carrier.networks.filter(network => gone.includes(network));
  return lost.some(network => !left.some(other => onOneSwitch(network, other)));
}
