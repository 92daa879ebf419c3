import {listProperty, property, textProperty} from '../lib/json-properties.js';
import type {ClusterModel, KubeNode, Workload} from './cluster.js';
import {ofPlugin} from './plugin-objects.js';

/** DaemonSets of a plugin, by name, that create pods on Windows nodes. */
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

/** Whether a DaemonSet selects a Windows node. Only label requirements with explicit values are evaluated. */
export function selects({spec}: Workload, node: KubeNode | undefined): boolean {
  if (node === undefined) return true;
  const {labels} = node.metadata;
  const {nodeSelector, affinity} = spec.template.spec;
  const fits = (label: string | undefined, values: readonly unknown[]) =>
    label === undefined || osLabel.test(label) || values.includes(labels[label]);
  const required = property(property(affinity, 'nodeAffinity'), 'requiredDuringSchedulingIgnoredDuringExecution');
  const terms = listProperty(required, 'nodeSelectorTerms').map(term =>
    listProperty(term, 'matchExpressions').every(
      asked => property(asked, 'operator') !== 'In' || fits(textProperty(asked, 'key'), listProperty(asked, 'values')),
    ),
  );
  return (
    Object.entries(nodeSelector).every(([label, value]) => fits(label, [value])) &&
    (terms.length === 0 || terms.includes(true))
  );
}

const osLabel = /^(beta\.)?kubernetes\.io\/os$/;

/** Name of a DaemonSet in evidence. */
export function daemonSetName({metadata}: Workload): string {
  return `DaemonSet ${metadata.namespace}/${metadata.name}`;
}
