import type {IncomingHttpHeaders} from 'node:http';
import type {JsonObject} from '../json.js';
import {aggregatedDiscovery, aggregatedType, apiVersions, groupEntry, groupList, resourceList} from './discovery.js';
import {openApiDocument, openApiIndex} from './openapi.js';
import type {ResourceType} from './resource-types.js';
import {pathNotFound} from './status.js';
import type {ObjectStore} from './store.js';

export interface Meta {
  body: JsonObject | string;
  type?: string;
}

interface MetaOptions {
  store: ObjectStore;
  version: string;
}

const healthPaths = ['/healthz', '/livez', '/readyz'];
const json = (body: JsonObject | undefined): Meta => {
  if (!body) throw pathNotFound();
  return {body};
};

/** Everything that is not an object: version, health, discovery, schemas. Undefined for all other paths. */
export function readMeta(
  pathname: string,
  headers: IncomingHttpHeaders,
  {store, version}: MetaOptions,
): Meta | undefined {
  const {types} = store;
  const path = pathname.replace(/(?<=.)\/$/, '');
  if (healthPaths.includes(path)) return {body: 'ok', type: 'text/plain'};
  if (path === '/version') return {body: versionInfo(version)};
  if (path === '/openapi/v3') return {body: openApiIndex(types)};
  if (path.startsWith('/openapi/v3/')) return json(openApiDocument(types, path.slice('/openapi/v3/'.length)));
  return discovery(path, headers, types);
}

function discovery(path: string, headers: IncomingHttpHeaders, types: readonly ResourceType[]): Meta | undefined {
  const aggregated = headers.accept?.includes('g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
  if (path === '/api' || path === '/apis') {
    const core = path === '/api';
    if (aggregated) return {body: aggregatedDiscovery(types, core ? 'core' : 'named'), type: aggregatedType};
    return {body: core ? apiVersions(headers.host ?? '') : groupList(types)};
  }
  if (path === '/api/v1') return json(resourceList(types, 'v1'));
  const [root, group = '', version, ...rest] = path.split('/').filter(Boolean);
  if (root !== 'apis' || rest.length > 0) return undefined;
  if (version) return json(resourceList(types, `${group}/${version}`));
  if (!types.some(type => type.group === group)) throw pathNotFound();
  return {body: {kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(types, group)}};
}

function versionInfo(gitVersion: string): JsonObject {
  const [, major = '1', minor = '0'] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2024-12-10T11:56:06Z',
    goVersion: 'go1.22.9',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
