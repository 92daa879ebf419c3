import type {JsonObject} from '../json.js';
import type {Access} from './access.js';
import type {ApiObject} from './object.js';
import type {ResourceType} from './resource-types.js';
import type {PodSecurityLevel} from './validation/pod-security.js';
import type {SchemaCheck} from './validation/schema.js';

/** A request for objects of one kind, after the path is parsed and before it is authorized. */
export interface ResourceRequest {
  method: string;
  type: ResourceType;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
  /** The path after `proxy`. */
  proxied?: string;
  query: URLSearchParams;
  accept: string;
  contentType: string;
  body: unknown;
  access: Access;
  userAgent: string;
  /** Returned as `Warning` headers. */
  warnings: string[];
  /** The Pod Security level of namespaces without a label. */
  podSecurity?: PodSecurityLevel | undefined;
  schema?: SchemaCheck | undefined;
}

export interface ApiAnswer {
  code: number;
  body: JsonObject | ApiObject;
}

export const isDryRun = (request: ResourceRequest): boolean => request.query.getAll('dryRun').includes('All');

/** The field manager: the name that the client gives, or the start of its user agent. */
export const managerOf = ({query, userAgent}: ResourceRequest): string =>
  query.get('fieldManager') || userAgent.split('/')[0] || 'unknown';

export type PathTarget = Pick<ResourceRequest, 'type' | 'namespace' | 'name' | 'subresource' | 'proxied'>;

/** Parses `/api/v1/namespaces/x/pods/y/exec` and the like. Undefined: no such resource. */
export function readPath(path: string, types: readonly ResourceType[]): PathTarget | undefined {
  const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  const named = parts[0] === 'apis';
  const [group, version, rest] = named
    ? [parts[1] ?? '', parts[2] ?? '', parts.slice(3)]
    : ['', parts[1] ?? '', parts.slice(2)];
  const typed = (plural: string | undefined) =>
    types.find(type => type.group === group && type.version === version && type.plural === plural);

  if (rest[0] === 'namespaces' && rest.length > 2 && typed(rest[2])?.namespaced) {
    const type = typed(rest[2]);
    if (!type || rest.length > 5) return undefined;
    return {type, namespace: rest[1], name: rest[3], subresource: rest[4]};
  }
  const type = typed(rest[0]);
  if (type && rest[2] === 'proxy' && type.subresources?.includes('proxy')) {
    return {type, namespace: undefined, name: rest[1], subresource: 'proxy', proxied: rest.slice(3).join('/')};
  }
  if (!type || rest.length > 3) return undefined;
  if (type.namespaced && rest.length > 1) return undefined;
  return {type, namespace: undefined, name: rest[1], subresource: rest[2]};
}
