import type {NodeSubject} from '../model/check.js';
import type {PodNetwork} from '../model/plugin.js';
import {type Network, same} from '../snapshot/hns.js';
import type {NodeModel} from '../snapshot/node.js';

/** Networks that hold the management vNIC or belong to someone else: never stale, whatever the plugin. */
export function isNeverStale({name}: Network): boolean {
  return /^(nat|external|ext|baseovnkuberneteshybridoverlaynetwork|default switch)$/i.test(name);
}

/** The pods' network on a node. Names are matched whole: one plugin's base network contains the other's name. */
export function podNetwork(node: NodeModel, expected: PodNetwork | undefined): Network | undefined {
  if (!expected) return undefined;
  return (
    node.hnsNetworks?.find(({name}) => same(name, expected.name)) ??
    node.hnsNetworks?.find(({name}) => expected.alsoNamed?.test(name) ?? false)
  );
}

/** Whether HNS was asked and has no network of the plugin: what belongs on it then cannot be there either. */
export function lacksNetwork({node, plugin}: Pick<NodeSubject, 'node' | 'plugin'>): boolean {
  return node.hnsNetworks !== undefined && podNetwork(node, plugin.profile.network) === undefined;
}
