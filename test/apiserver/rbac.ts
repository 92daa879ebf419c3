import type {AccessRule} from '../../src/sim/api/access.js';
import type {ApiObject} from '../../src/sim/api/object.js';
import {accessOf, othersOf} from '../../src/sim/front.js';
import type {Scenario} from '../../src/sim/scenario.js';

const api = 'rbac.authorization.k8s.io';
const apiVersion = `${api}/v1`;

/** Roles and bindings that grant the users of a scenario its rules. Rules with namespaces apply only there. */
export function rolesOf({access}: Pick<Scenario, 'access'>): ApiObject[] {
  const {user, groups, rules} = accessOf(access);
  const isAdmin = groups.includes('system:masters');
  const users = [...(isAdmin ? [] : [[user, rules] as const]), ...Object.entries(othersOf(access))];
  return users.flatMap(([name, rules], index) => grants(name, `scenario-${index}`, rules));
}

/** A role and its binding for cluster-wide rules, and for those of each namespace. */
function grants(user: string, name: string, rules: readonly AccessRule[]): ApiObject[] {
  const namespaces = new Set(rules.flatMap(rule => rule.namespaces ?? []));
  const everywhere = rules.filter(rule => !rule.namespaces);
  return [
    ...(everywhere.length > 0 ? grant(user, name, everywhere) : []),
    ...[...namespaces].flatMap(namespace =>
      grant(
        user,
        name,
        rules.filter(rule => rule.namespaces?.includes(namespace)),
        namespace,
      ),
    ),
  ];
}

function grant(user: string, name: string, rules: readonly AccessRule[], namespace?: string): ApiObject[] {
  const kind = namespace ? 'Role' : 'ClusterRole';
  const metadata = {name, ...(namespace && {namespace})};
  return [
    {apiVersion, kind, metadata, rules: rules.flatMap(policyRules)},
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: {apiGroup: api, kind, name},
      subjects: [{apiGroup: api, kind: 'User', name: user}],
    },
  ];
}

/** RBAC requires separate rules for resources and paths. */
function policyRules({verbs, apiGroups = [''], resources, resourceNames, nonResourceURLs}: AccessRule): object[] {
  return [
    ...(resources ? [{verbs, apiGroups, resources, ...(resourceNames && {resourceNames})}] : []),
    ...(nonResourceURLs ? [{verbs, nonResourceURLs}] : []),
  ];
}
