import {type Network, same} from '../snapshot/hns.js';
import type {NodeModel} from '../snapshot/node.js';

/**
 * The name of the NIC of a network. HNS reports it only if its creator set it; otherwise it is derived from the switch
 * or its binding.
 */
export function uplinkOf(node: NodeModel, network: Network): string | undefined {
  if (network.adapterName !== undefined) return network.adapterName;
  // Several networks may share a switch, which is named after the first.
  const its = node.vmSwitches?.find(({id}) => id !== undefined && id === network.layeredOn);
  const description = (its ?? node.vmSwitches?.find(({name}) => same(name, network.name)))?.adapterDescription;
  const described = node.netAdapters?.find(adapter => !adapter.virtual && adapter.description === description);
  if (description !== undefined && described) return described.name;
  const bound = node.adapterBindings?.filter(({component, enabled}) => component === 'vms_pp' && enabled) ?? [];
  return bound.length === 1 ? bound[0]?.adapter : undefined;
}
