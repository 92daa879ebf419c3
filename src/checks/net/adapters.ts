import {unknown} from '../../model/verdict.js';
import {internalIps, type KubeNode} from '../../snapshot/cluster.js';
import {type Network, same} from '../../snapshot/hns.js';
import type {NodeModel} from '../../snapshot/node.js';
import type {Adapter, Address} from '../../snapshot/sections.js';
import {uplinkOf} from '../uplink.js';

// A network takes over a NIC and gives the host a virtual adapter instead, with the same MAC address and IP address.

/** A virtual adapter of a switch: identified by its driver, because descriptions are localised. */
export function isVirtual({component, name, description}: Adapter): boolean {
  if (component !== undefined) return same(component, 'vms_mp');
  return /^(vEthernet \(|br-int$|br-provider$)/i.test(name) || /^Hyper-V Virtual Ethernet/i.test(description ?? '');
}

/** The adapter that an address, a route or a binding refers to. */
export function adapterNamed(node: NodeModel, name: string | undefined, index?: number): Adapter | undefined {
  return (
    node.netAdapters?.find(adapter => index !== undefined && adapter.index === index) ??
    node.netAdapters?.find(adapter => name !== undefined && same(adapter.name, name))
  );
}

/** The entry of an address on the node, with its adapter. */
export function holderOf(node: NodeModel, ip: string | undefined): Address | undefined {
  return ip === undefined ? undefined : node.netIPAddresses?.find(address => address.ip === ip);
}

/** The node's own address: the first of its internal addresses that an adapter has. */
export function nodeAddressHolder(node: NodeModel, object: KubeNode | undefined): Address | undefined {
  return internalIps(object)
    .map(ip => holderOf(node, ip))
    .find(address => address !== undefined);
}

/** The NIC below a virtual adapter; for a NIC, the NIC itself. */
export function nicUnder(node: NodeModel, adapter: Adapter | undefined): Adapter | undefined {
  if (!adapter || !isVirtual(adapter)) return adapter;
  const nics = (node.netAdapters ?? []).filter(candidate => !isVirtual(candidate));
  const named = /^vEthernet \((.+)\)( \d+)?$/i.exec(adapter.name)?.[1];
  return (
    nics.find(({mac}) => mac !== undefined && mac !== '' && mac === adapter.mac) ??
    nics.find(({name}) => named !== undefined && same(name, named))
  );
}

/** The NIC of a network, if known. */
export function nicOf(node: NodeModel, network: Network): Adapter | undefined {
  const named = adapterNamed(node, uplinkOf(node, network));
  if (named) return nicUnder(node, named);
  const address = holderOf(node, network.managementIp);
  return address && nicUnder(node, adapterNamed(node, address.adapter, address.index));
}

export function noInternalAddress() {
  return unknown('The Node object has no internal IPv4 address.');
}
