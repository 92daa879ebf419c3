import type {ResourceType} from './resource-types.js';
import {forbidden} from './status.js';

/** An RBAC rule with the namespaces it applies to. Without namespaces it applies to all. */
export interface AccessRule {
  verbs: readonly string[];
  apiGroups?: readonly string[] | undefined;
  resources?: readonly string[] | undefined;
  resourceNames?: readonly string[] | undefined;
  nonResourceURLs?: readonly string[] | undefined;
  namespaces?: readonly string[] | undefined;
}

export interface Attempt {
  verb: string;
  group: string;
  /** Plural name, with `/subresource` if any. */
  resource: string;
  namespace?: string | undefined;
  name?: string | undefined;
}

export interface RequestImpersonation {
  user: string;
  groups: readonly string[];
}

export const everythingRule: AccessRule = {verbs: ['*'], apiGroups: ['*'], resources: ['*'], nonResourceURLs: ['*']};

/** Rules of every authenticated user (system:basic-user, system:discovery). */
const basicRules: readonly AccessRule[] = [
  {
    verbs: ['create'],
    apiGroups: ['authorization.k8s.io'],
    resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
  },
  {verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews']},
  {
    verbs: ['get'],
    nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/openapi', '/openapi/*', '/readyz'],
  },
  {verbs: ['get'], nonResourceURLs: ['/version', '/version/']},
];

const holds = (list: readonly string[] | undefined, value: string) =>
  list?.some(x => x === '*' || x === value) ?? false;

function holdsResource(list: readonly string[] | undefined, resource: string): boolean {
  const [, subresource] = resource.split('/');
  return holds(list, resource) || (subresource !== undefined && (list?.includes(`*/${subresource}`) ?? false));
}

export class Access {
  readonly user: string;
  readonly groups: readonly string[];
  readonly rules: readonly AccessRule[];

  constructor(user: string, rules: readonly AccessRule[], groups: readonly string[] = [], basic = basicRules) {
    this.user = user;
    this.groups = [...groups, 'system:authenticated'];
    this.rules = [...rules, ...basic];
  }

  /** The same user as seen by a server that has not read any roles yet. Administrators need none. */
  beforeRoles(): Access {
    return this.groups.includes('system:masters') ? this : new Access(this.user, [], this.groups, []);
  }

  allows({verb, group, resource, namespace, name}: Attempt): boolean {
    return this.rules.some(
      rule =>
        holds(rule.verbs, verb) &&
        holds(rule.apiGroups, group) &&
        holdsResource(rule.resources, resource) &&
        (!rule.namespaces || (namespace !== undefined && rule.namespaces.includes(namespace))) &&
        (!rule.resourceNames || (name !== undefined && rule.resourceNames.includes(name))),
    );
  }

  allowsPath(verb: string, path: string): boolean {
    return this.rules.some(
      rule =>
        holds(rule.verbs, verb) &&
        rule.nonResourceURLs?.some(url => (url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : path === url)),
    );
  }

  demand(type: Pick<ResourceType, 'group' | 'plural' | 'kind'>, attempt: Attempt): void {
    if (this.allows(attempt)) return;
    const where = attempt.namespace ? `in the namespace "${attempt.namespace}"` : 'at the cluster scope';
    const what = `resource "${attempt.resource}" in API group "${attempt.group}" ${where}`;
    throw forbidden(type, attempt.name ?? '', `User "${this.user}" cannot ${attempt.verb} ${what}`);
  }

  /** Another user, with its own rules, if this user may impersonate it. */
  impersonate({user, groups}: RequestImpersonation, rules: readonly AccessRule[]): Access {
    for (const [plural, kind, name] of [['users', 'User', user], ...groups.map(group => ['groups', 'Group', group])]) {
      const type = {group: '', plural: plural ?? '', kind: kind ?? ''};
      this.demand(type, {verb: 'impersonate', group: '', resource: type.plural, name});
    }
    return new Access(user, groups.includes('system:masters') ? [everythingRule] : rules, groups);
  }

  /** The rules for a namespace as a rules review reports them, without the internal `namespaces`. */
  rulesIn(namespace: string): AccessRule[] {
    return this.rules
      .filter(rule => !rule.namespaces || rule.namespaces.includes(namespace))
      .map(({namespaces: _, ...rule}) => rule);
  }
}
