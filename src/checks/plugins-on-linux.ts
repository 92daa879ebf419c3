import type {Fleet} from '../model/check.js';
import {isWindows} from '../snapshot/cluster.js';
import {unreadNode} from '../snapshot/node.js';

/** Linux plugins without Windows support, by their DaemonSets. */
const linuxOnly: readonly {set: RegExp; title: string}[] = [
  {set: /^weave-net$/, title: 'Weave Net'},
  {set: /^cilium$/, title: 'Cilium'},
  {set: /^kube-router$/, title: 'kube-router'},
  {set: /^canal$/, title: 'Canal'},
];

export interface OnLinux {
  readonly name: string | undefined;
  readonly title: string;
  readonly variant: string | undefined;
}

/**
 * The plugins of the Linux nodes, according to cluster objects. May include a policy engine used with another plugin.
 */
export function pluginsOnLinux({cluster, known}: Fleet): OnLinux[] {
  const object = cluster.all('Node').find(node => !isWindows(node));
  const input = {cluster, object, node: unreadNode(object?.metadata.name ?? '')};
  const recognised = known.flatMap((plugin): OnLinux[] => {
    const seen = plugin.recognise(input);
    return seen && seen.meant.length > 0 ? [{name: plugin.name, title: plugin.title, variant: seen.variant}] : [];
  });
  const others = linuxOnly
    .filter(({set}) => cluster.all('DaemonSet').some(({metadata}) => set.test(metadata.name)))
    .map(({title}): OnLinux => ({name: undefined, title, variant: undefined}));
  return [...recognised, ...others];
}
