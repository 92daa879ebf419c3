import type {V1APIGroupList} from '@kubernetes/client-node';
import type {KubeClient} from '../kube/client.js';
import {plugins} from '../plugins/all.js';
import type {ObjectReader, StoredObject} from './object-reader.js';

/** The custom resources of plugins. */
const resourcesOf = (group: string): readonly string[] =>
  plugins.flatMap(({footprint}) => footprint.customResources[group] ?? []);

/** Reads of the plugins' custom resources, for the groups that this cluster has. */
export async function customResourceLists(
  reader: ObjectReader,
  client: KubeClient,
  signal: AbortSignal | undefined,
): Promise<(() => Promise<unknown>)[]> {
  const discovered = await reader.attempt({kind: 'API group', group: '*'}, () =>
    client.get<V1APIGroupList>('/apis', {signal}),
  );
  return (discovered?.groups ?? []).flatMap(({name: group, preferredVersion, versions}) => {
    const served = new Set([preferredVersion, ...versions].flatMap(version => version?.version ?? []));
    return resourcesOf(group).map(resource => () => readResource(reader, group, resource, [...served]));
  });
}

/** A resource may exist only in one version of its group, which is not always the preferred one. */
async function readResource(
  reader: ObjectReader,
  group: string,
  resource: string,
  versions: readonly string[],
): Promise<StoredObject[]> {
  for (const version of versions) {
    const items = await reader.list({kind: resource, group}, `/apis/${group}/${version}/${resource}`);
    if (items.length > 0) return items;
  }
  return [];
}
