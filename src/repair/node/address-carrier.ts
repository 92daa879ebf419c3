import {adapterNamed, isVirtual, nicOf, nicUnder, nodeAddressHolder} from '../../checks/net/adapters.js';
import {isOvs} from '../../checks/ovs/extension-ids.js';
import type {NodeSubject} from '../../model/check.js';
import {type Network, same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {Address} from '../../snapshot/sections.js';

/** What carries the node's own address: take it away, and the node is cut off. */
export interface Carrier {
  /** The address, and the adapter that has it. */
  readonly held: Address;
  /** The physical adapter under it. */
  readonly nic: string | undefined;
  /** Whether a virtual switch is between the two. */
  readonly switched: boolean;
  /** Names of that switch. */
  readonly switches: readonly string[];
  /** Networks that may be on that switch: doubt counts as yes. */
  readonly networks: readonly Network[];
  /** Whether packets of the node pass OVS. */
  readonly throughOvs: boolean;
}

/** Undefined where no adapter has the node's address, or the addresses were not read. */
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

/** Types that sit on a NIC, and so can carry the node's address. */
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

/** Networks that are layered on one thing share a switch, which goes with the last of them. */
export function onOneSwitch(one: Network, other: Network): boolean {
  return one.layeredOn !== undefined && one.layeredOn === other.layeredOn;
}

/** Whether the switch goes with this network. Where HNS does not tell what it is layered on, it may. */
export function isLastOnSwitch({hnsNetworks = []}: NodeModel, network: Network): boolean {
  return !hnsNetworks.some(other => other !== network && onOneSwitch(network, other));
}

/** The switch is trusted before HNS: HNS has a copy that may be old. */
export function isOvsOn({vmSwitchExtensions, hnsNetworks}: NodeModel, name: string): boolean {
  const onSwitch = vmSwitchExtensions?.find(row => isOvs(row) && same(row.switchName ?? '', name));
  if (onSwitch) return onSwitch.enabled;
  return hnsNetworks?.some(network => same(network.name, name) && network.extensions.some(isOnOvs)) ?? false;
}

function isOnOvs(extension: {id: string; enabled: boolean}): boolean {
  return isOvs(extension) && extension.enabled;
}

/** Whether the node loses its address when these networks go. Where it is not known what carries it, any on a NIC may. */
export function losesAddress(carrier: Carrier | undefined, gone: readonly Network[]): boolean {
  if (!carrier) return gone.some(sitsOnNic);
  const left = carrier.networks.filter(network => !gone.includes(network));
  const lost = carrier.networks.filter(network => gone.includes(network));
  return lost.some(network => !left.some(other => onOneSwitch(network, other)));
}
