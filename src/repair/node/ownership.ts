import {isNeverStale, podNetwork} from '../../checks/pod-network.js';
import type {NodeSubject} from '../../model/check.js';
import {isType, type Network, same} from '../../snapshot/hns.js';
import {onOneSwitch, sitsOnNic} from './address-carrier.js';

// What belongs to the node's plugin, and so may be removed: the plugin recreates it. All else stays.

/** It holds something else up, or is not a pod network at all: Windows' own, Docker's, WSL's, the base under another. */
export function isUntouchable(network: Network): boolean {
  return isNeverStale(network) || /^base/i.test(network.name) || !sitsOnNic(network);
}

/** The networks that may be removed: that of the node's plugin, which recreates it, and its keeper, which the plan recreates. */
export function isOwnNetwork({node, plugin}: NodeSubject, network: Network): boolean {
  if (isSwitchKeeper(plugin, network)) return true;
  return !isUntouchable(network) && podNetwork(node, plugin.profile.network) === network;
}

/** As Flannel's setup script creates it. Another network of that name is someone else's. */
export function isSwitchKeeper({profile}: NodeSubject['plugin'], network: Network): boolean {
  return (
    profile.switchKeeper !== undefined &&
    same(network.name, profile.switchKeeper) &&
    isType(network, 'Overlay') &&
    network.subnets.some(({prefix}) => prefix === '192.168.255.0/30')
  );
}

/** Why a switch stays: it may go only where it is the plugin's, and no network is left on it. */
export function whySwitchStays(
  {node, plugin}: NodeSubject,
  name: string,
  left: readonly Network[],
): string | undefined {
  if (!same(name, plugin.profile.network?.name ?? ''))
    return `Switch ${name} does not belong to ${plugin.title}, so it stays.`;
  const namesake = node.hnsNetworks?.find(network => same(network.name, name));
  const id = node.vmSwitches?.find(its => same(its.name, name))?.id;
  const user = left.find(
    network =>
      same(network.name, name) ||
      (id !== undefined && network.layeredOn === id) ||
      (namesake && onOneSwitch(network, namesake)),
  );
  return user && `HNS network ${user.name} is on switch ${name} too, so it stays.`;
}
