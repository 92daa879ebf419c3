import {listProperty, property, textProperty} from '../../lib/json-properties.js';
import {type ClusterModel, type CustomResource, oncePerCluster} from '../../snapshot/cluster.js';

// Calico objects may come from either API group: the CRDs, or the aggregated API for them.
const groups = ['crd.projectcalico.org', 'projectcalico.org'];

export function calicoObjects(cluster: ClusterModel | undefined, ...kinds: string[]): readonly CustomResource[] {
  return groups.flatMap(group => kinds.flatMap(kind => cluster?.custom(group, kind) ?? []));
}

export function specOf(object: CustomResource | undefined): unknown {
  return property(object, 'spec');
}

/** The operator's Installation, if the operator installed Calico. */
export function installation(cluster: ClusterModel | undefined): CustomResource | undefined {
  return cluster?.custom('operator.tigera.io', 'Installation').find(({metadata}) => metadata.name === 'default');
}

/** The CNI in the operator's configuration: `AzureVNET` or `AmazonVPC` if Calico only enforces policy. */
export function installedCni(cluster: ClusterModel | undefined): string | undefined {
  return textProperty(property(specOf(installation(cluster)), 'cni'), 'type');
}

/** A setting of FelixConfiguration: the node's own takes precedence over the cluster's. */
export function felixSetting(cluster: ClusterModel | undefined, node: string | undefined, key: string): unknown {
  const all = calicoObjects(cluster, 'FelixConfiguration');
  const of = (name: string) => property(specOf(all.find(({metadata}) => metadata.name === name)), key);
  return (node === undefined ? undefined : of(`node.${node}`)) ?? of('default');
}

export interface IpPool {
  readonly name: string;
  readonly cidr: string;
  readonly ipip: string;
  readonly vxlan: string;
  readonly nodeSelector: string;
}

/** Pools of IPv4 addresses for pods. */
export function ipPools(cluster: ClusterModel | undefined): IpPool[] {
  return unique(calicoObjects(cluster, 'IPPool')).flatMap(pool => {
    const spec = specOf(pool);
    const cidr = textProperty(spec, 'cidr');
    const uses = listProperty(spec, 'allowedUses');
    if (cidr === undefined || cidr.includes(':') || property(spec, 'disabled') === true) return [];
    if (uses.length > 0 && !uses.includes('Workload')) return [];
    return [
      {
        name: pool.metadata.name,
        cidr,
        ipip: textProperty(spec, 'ipipMode') ?? 'Never',
        vxlan: textProperty(spec, 'vxlanMode') ?? 'Never',
        nodeSelector: textProperty(spec, 'nodeSelector') ?? 'all()',
      },
    ];
  });
}

const blocksByNode = oncePerCluster((cluster): ReadonlyMap<string | undefined, CustomResource[]> | undefined => {
  const blocks = calicoObjects(cluster, 'IPAMBlock');
  if (blocks.length > 0) {
    return Map.groupBy(blocks, block => /^host:(.*)$/.exec(textProperty(specOf(block), 'affinity') ?? '')?.[1]);
  }
  const affinities = calicoObjects(cluster, 'BlockAffinity');
  if (affinities.length === 0) return undefined;
  return Map.groupBy(
    affinities.filter(affinity => (textProperty(specOf(affinity), 'state') ?? 'confirmed') === 'confirmed'),
    affinity => textProperty(specOf(affinity), 'node'),
  );
});

/** The IPv4 address blocks of a node; undefined if no blocks were read. */
export function blocksOf(cluster: ClusterModel | undefined, node: string): string[] | undefined {
  const all = cluster && blocksByNode(cluster);
  if (!all) return undefined;
  const cidrs = (all.get(node) ?? [])
    .filter(block => !['true', true].includes(property(specOf(block), 'deleted') as string | boolean))
    .map(block => textProperty(specOf(block), 'cidr'))
    .filter(cidr => cidr !== undefined && !cidr.includes(':'));
  return [...new Set(cidrs as string[])];
}

/** The same object may be read through both groups. */
function unique(objects: readonly CustomResource[]): readonly CustomResource[] {
  return [...new Map(objects.map(object => [object.metadata.name, object])).values()];
}
