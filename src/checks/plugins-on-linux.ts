import type {Fleet} from '../model/check.js';
import {isWindows} from '../snapshot/cluster.js';
import {unreadNode} from '../snapshot/node.js';

/** Plugins of Linux that have nothing for Windows, by their DaemonSets. */
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

/** What the Linux nodes of a cluster run, according to its objects; a policy engine beside a plugin may be among them. */
export function pluginsOnLinux({cluster, known}: Fleet): OnLinux[] {
  const object = cluster.all('Node').find(node => !isWindows(node));
  const sight = {cluster, object, node: unreadNode(object?.metadata.name ?? '')};
  const recognised = known.flatMap((plugin): OnLinux[] => {
    const seen = plugin.recognise(sight);
    return seen && seen.meant.length > 0 ? [{name: plugin.name, title: plugin.title, variant: seen.variant}] : [];
  });
  const others = linuxOnly
    .filter(({set}) => cluster.all('DaemonSet').some(({metadata}) => set.test(metadata.name)))
    .map(({title}): OnLinux => ({name: undefined, title, variant: undefined}));
  return [...recognised, ...others];
}
