import type {ClusterModel, Workload} from './cluster.js';
import {ofPlugin} from './plugin-objects.js';

/** DaemonSets of a plugin that put pods on Windows nodes, by name. */
export function windowsDaemonSets(
  cluster: ClusterModel | undefined,
  name: RegExp,
  usualNamespaces?: readonly string[],
): readonly Workload[] {
  const named = (cluster?.all('DaemonSet') ?? []).filter(set => name.test(set.metadata.name) && isForWindows(set));
  return ofPlugin(named, usualNamespaces);
}

function isForWindows({metadata, spec}: Workload): boolean {
  const pod = spec.template.spec;
  const os = pod.nodeSelector['kubernetes.io/os'] ?? pod.nodeSelector['beta.kubernetes.io/os'] ?? pod.os?.name;
  if (os !== undefined) return os === 'windows';
  const affinity = JSON.stringify(pod.affinity ?? '');
  if (/"(beta\.)?kubernetes\.io\/os"/.test(affinity)) return /"windows"/.test(affinity);
  return /-win(dows)?(-|$)/i.test(metadata.name);
}

/** How a DaemonSet is named in evidence. */
export function daemonSetName({metadata}: Workload): string {
  return `DaemonSet ${metadata.namespace}/${metadata.name}`;
}
