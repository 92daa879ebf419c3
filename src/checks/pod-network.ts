import type {NodeSubject} from '../model/check.js';
import type {PodNetwork} from '../model/plugin.js';
import {type Network, same} from '../snapshot/hns.js';
import type {NodeModel} from '../snapshot/node.js';

/** Networks that have the management vNIC or belong to other software: never stale, with any plugin. */
export function isNeverStale({name}: Network): boolean {
  return /^(nat|external|ext|baseovnkuberneteshybridoverlaynetwork|default switch)$/i.test(name);
}

/**
 * The pod network of a node. Names are compared in full: the name of one plugin's base network contains that of another
 * network.
 */
export function podNetwork(node: NodeModel, expected: PodNetwork | undefined): Network | undefined {
  if (!expected) return undefined;
  return (
    node.hnsNetworks?.find(({name}) => same(name, expected.name)) ??
    node.hnsNetworks?.find(({name}) => expected.alsoNamed?.test(name) ?? false)
  );
}

/** Whether HNS was read and has no network of the plugin, so that everything on that network is missing too. */
export function lacksNetwork({node, plugin}: Pick<NodeSubject, 'node' | 'plugin'>): boolean {
  return node.hnsNetworks !== undefined && podNetwork(node, plugin.profile.network) === undefined;
}
