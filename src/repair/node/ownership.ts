import {isNeverStale, podNetwork} from '../../checks/pod-network.js';
import type {NodeSubject} from '../../model/check.js';
import {isType, type Network, same} from '../../snapshot/hns.js';
import {onOneSwitch, sitsOnNic} from './address-carrier.js';

// What belongs to the node's plugin and may be removed, because the plugin recreates it. Nothing else is removed.

/**
 * Networks that others depend on, or that are not pod networks: those of Windows, Docker and WSL, and base networks.
 */
export function isUntouchable(network: Network): boolean {
  return isNeverStale(network) || /^base/i.test(network.name) || !sitsOnNic(network);
}

/**
 * The networks that may be removed: the plugin's pod network, which the plugin recreates, and its switch keeper, which
 * the plan recreates.
 */
export function isOwnNetwork({node, plugin}: NodeSubject, network: Network): boolean {
  if (isSwitchKeeper(plugin, network)) return true;
  return !isUntouchable(network) && podNetwork(node, plugin.profile.network) === network;
}

/** As created by Flannel's setup script. Any other network of that name does not belong to the plugin. */
export function isSwitchKeeper({profile}: NodeSubject['plugin'], network: Network): boolean {
  return (
    profile.switchKeeper !== undefined &&
    same(network.name, profile.switchKeeper) &&
    isType(network, 'Overlay') &&
    network.subnets.some(({prefix}) => prefix === '192.168.255.0/30')
  );
}

/** Why a switch must stay: only the plugin's switch may be removed, and only if no network is left on it. */
export function whySwitchStays(
  {node, plugin}: NodeSubject,
  name: string,
  left: readonly Network[],
): string | undefined {
  if (!same(name, plugin.profile.network?.name ?? ''))
    return `Switch ${name} does not belong to ${plugin.title} and is not removed.`;
  const namesake = node.hnsNetworks?.find(network => same(network.name, name));
  const id = node.vmSwitches?.find(its => same(its.name, name))?.id;
  const user = left.find(
    network =>
      same(network.name, name) ||
      (id !== undefined && network.layeredOn === id) ||
      (namesake && onOneSwitch(network, namesake)),
  );
  return user && `HNS network ${user.name} also uses switch ${name}, so the switch is not removed.`;
}
