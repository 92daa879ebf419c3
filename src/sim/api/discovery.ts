import type {JsonObject} from '../json.js';
import {apiVersionOf, type ResourceType} from './resource-types.js';

const storedVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const subresourceVerbs: Record<string, readonly string[]> = {
  status: ['get', 'patch', 'update'],
  log: ['get'],
  exec: ['create', 'get'],
  eviction: ['create'],
  proxy: ['create', 'delete', 'get', 'patch', 'update'],
  finalize: ['update'],
};

const subresourceKinds: Record<string, {group: string; version: string; kind: string}> = {
  exec: {group: '', version: 'v1', kind: 'PodExecOptions'},
  eviction: {group: 'policy', version: 'v1', kind: 'Eviction'},
  proxy: {group: '', version: 'v1', kind: 'NodeProxyOptions'},
};

const verbsOf = (type: ResourceType): readonly string[] => (type.review ? ['create'] : storedVerbs);

const groupsOf = (types: readonly ResourceType[]) => [...new Set(types.map(type => type.group))].filter(Boolean);

export const apiVersions = (address: string): JsonObject => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{clientCIDR: '0.0.0.0/0', serverAddress: address}],
});

export function groupList(types: readonly ResourceType[]): JsonObject {
  return {kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(types).map(group => groupEntry(types, group))};
}

export function groupEntry(types: readonly ResourceType[], group: string): JsonObject {
  const versions = [...new Set(types.filter(type => type.group === group).map(type => type.version))].map(version => ({
    groupVersion: `${group}/${version}`,
    version,
  }));
  return {name: group, versions, preferredVersion: versions[0]};
}

/** The resources of one group version, in the unaggregated form: `/api/v1`, `/apis/apps/v1`. */
export function resourceList(types: readonly ResourceType[], groupVersion: string): JsonObject | undefined {
  const here = types.filter(type => apiVersionOf(type) === groupVersion);
  if (here.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: here.flatMap(type => [
      {
        name: type.plural,
        singularName: type.singular,
        namespaced: type.namespaced,
        kind: type.kind,
        verbs: verbsOf(type),
        ...(type.shortNames && {shortNames: type.shortNames}),
        ...(type.categories && {categories: type.categories}),
      },
      ...(type.subresources ?? []).map(subresource => ({
        name: `${type.plural}/${subresource}`,
        singularName: '',
        namespaced: type.namespaced,
        kind: type.kind,
        ...subresourceKinds[subresource],
        verbs: subresourceVerbs[subresource] ?? ['get'],
      })),
    ]),
  };
}

export const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** All groups in one response, as current clients request it. */
export function aggregatedDiscovery(types: readonly ResourceType[], groups: 'core' | 'named'): JsonObject {
  const names = groups === 'core' ? [''] : groupsOf(types);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: names.map(group => ({
      metadata: {...(group && {name: group}), creationTimestamp: null},
      versions: [...new Set(types.filter(type => type.group === group).map(type => type.version))].map(version => ({
        version,
        resources: types.filter(type => type.group === group && type.version === version).map(discovered),
        freshness: 'Current',
      })),
    })),
  };
}

function discovered(type: ResourceType): JsonObject {
  const {group, version, kind} = type;
  return {
    resource: type.plural,
    responseKind: {group, version, kind},
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: type.singular,
    verbs: verbsOf(type),
    ...(type.shortNames && {shortNames: type.shortNames}),
    ...(type.categories && {categories: type.categories}),
    ...(type.subresources && {
      subresources: type.subresources.map(subresource => ({
        subresource,
        responseKind: subresourceKinds[subresource] ?? {group, version, kind},
        verbs: subresourceVerbs[subresource] ?? ['get'],
      })),
    }),
  };
}
